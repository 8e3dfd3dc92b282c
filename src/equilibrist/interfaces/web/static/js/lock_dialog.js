// Lock a decision: say what a player does there, and solve the rest around it.

import { post } from "./api.js";
import { h, labelled, percent, playerName, replace, say } from "./dom.js";

export function openLock(solution, node, { hands, started }) {
  const dialog = h("dialog", { "aria-label": "Lock this decision", id: "lock" });
  const inputs = node.labels.map((label, a) => h("input", { type: "number", min: 0, max: 100, step: 0.1, value: (100 * (node.frequencies[a] ?? 0)).toFixed(1), "aria-label": `${node.actions[a]} in per cent`, style: { width: "6rem" }, oninput: () => sum() }));
  const total = h("p", { class: "hint" });
  const way = h("select", {}, h("option", { value: "frequency" }, "the range as a whole takes each action this often"), h("option", { value: "strategy" }, "every one of these hands plays exactly this mix"));
  const which = h("input", { value: hands ?? "random", spellcheck: false });
  const weight = h("input", { type: "number", min: 1, max: 100, value: 100, style: { width: "5rem" } });
  const shares = () => inputs.map((input) => Number(input.value) / 100);
  const sum = () => { const all = shares().reduce((a, b) => a + b, 0); total.textContent = `Together ${percent(all)}`; total.className = Math.abs(all - 1) > 0.002 ? "problem" : "hint"; };
  if (hands) way.value = "strategy";
  const send = async () => {
    const all = shares().reduce((a, b) => a + b, 0);
    const table = Object.fromEntries(node.labels.map((label, a) => [label, shares()[a] / all]));
    const lock = { line: node.line, hands: which.value.trim() || "random", weight: Number(weight.value) / 100, [way.value]: table };
    try {
      const job = await post("/jobs", { solution: solution.id, lock: [lock], until: `${Math.max(solution.percent_of_pot, 0.05).toPrecision(2)}%`, name: `${solution.name}, ${playerName(node.player)} locked after ${node.line || "the start"}`.slice(0, 200) });
      dialog.close();
      started(job);
    } catch (error) { replace(problem, error.message); }
  };
  const problem = h("p", { class: "problem", role: "alert" });
  replace(dialog, h("h2", {}, `What does ${playerName(node.player)} do here?`),
    h("p", { class: "hint" }, "Everything else is solved again around it, so the answer is how to play against somebody who does this."),
    h("div", { class: "row" }, node.labels.map((label, a) => labelled(`${node.actions[a]} %`, inputs[a]))), total,
    h("div", { class: "row" }, labelled("Meaning", way)),
    h("div", { class: "row" }, labelled("Hands", which, "random: all hands"), labelled("How surely, %", weight, "100: always; 50: half of the time, free otherwise")),
    problem,
    h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: send }, "Lock and solve"), h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  sum();
  dialog.showModal();
}

export async function unlock(solution, line, started) {
  try {
    started(await post("/jobs", { solution: solution.id, unlock: [line], until: `${Math.max(solution.percent_of_pot, 0.05).toPrecision(2)}%`, name: `${solution.name}, unlocked` }));
  } catch (error) { say(error.message); }
}
