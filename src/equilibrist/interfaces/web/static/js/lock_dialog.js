// Lock a decision: say what a player does there, and solve the rest around it.

import { post } from "./api.js";
import { h, labelled, percent, playerName, replace, say } from "./dom.js";

export function openLock(solution, node, { hands, started }) {
  const dialog = h("dialog", { "aria-label": "Lock this decision", id: "lock" });
  let last = null;  // the action that was typed into last keeps its number when the rest is given to another
  const start = wholePercents(node.frequencies.map((share) => share ?? 0));
  const inputs = node.labels.map((label, a) => h("input", { type: "number", min: 0, max: 100, step: 0.1, value: start[a], "aria-label": `${node.actions[a]} in per cent`, style: { width: "6rem" }, oninput: () => { last = a; sum(); } }));
  const total = h("p", { class: "hint", id: "lock-sum" });
  const submit = h("button", { type: "button", class: "main", onclick: () => send() }, "Lock and solve");
  const way = h("select", {}, h("option", { value: "frequency" }, "the range as a whole takes each action this often"), h("option", { value: "strategy" }, "every one of these hands plays exactly this mix"));
  const which = h("input", { value: hands ?? "random", spellcheck: false });
  const weight = h("input", { type: "number", min: 1, max: 100, value: 100, style: { width: "5rem" } });
  const shares = () => inputs.map((input) => Number(input.value) / 100);
  const sum = () => {
    const { all, rest, takes } = missing(shares(), last);
    submit.disabled = rest !== 0;
    total.className = rest === 0 ? "hint" : "problem";
    replace(total, rest === 0 ? "Together 100 %" : Number.isNaN(rest) ? "Every share lies between 0 and 100 %." : `Together ${percent(all)}: ${rest > 0 ? `${percent(rest)} missing` : `${percent(-rest)} too much`}. `,
      takes === null ? null : h("button", { type: "button", class: "quiet", id: "lock-rest", onclick: () => { inputs[takes].value = Number((100 * (shares()[takes] + rest)).toFixed(4)); sum(); } }, rest > 0 ? `Add it to ${node.actions[takes]}` : `Take it from ${node.actions[takes]}`));
  };
  if (hands) way.value = "strategy";
  const send = async () => {
    const all = shares().reduce((a, b) => a + b, 0);  // 1 but for the last digits
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
    h("div", { class: "row" }, submit, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  sum();
  dialog.showModal();
}

// per cent with one digit, rounded so that they sum to exactly 100
export function wholePercents(shares) {
  const all = shares.reduce((a, b) => a + b, 0);
  if (!(all > 0)) return shares.map((_, a) => (a === 0 ? "100.0" : "0.0"));
  const exact = shares.map((share) => (1000 * share) / all);
  const down = exact.map(Math.floor);
  const order = exact.map((_, a) => a).sort((a, b) => (exact[b] - down[b]) - (exact[a] - down[a]));
  const rest = 1000 - down.reduce((a, b) => a + b, 0);
  for (const a of order.slice(0, rest)) down[a] += 1;
  return down.map((each) => (each / 10).toFixed(1));
}

// what shares miss of 1, and the action that can take it: the largest that was not typed into last
export function missing(shares, last) {
  const all = shares.reduce((a, b) => a + b, 0);
  const rest = shares.some((share) => !(share >= 0 && share <= 1)) ? Number.NaN : Math.abs(all - 1) < 5e-6 ? 0 : 1 - all;
  const able = shares.map((share, a) => a).filter((a) => a !== last && shares[a] + rest >= -1e-9 && shares[a] + rest <= 1 + 1e-9);
  const takes = rest !== 0 && able.length ? able.reduce((best, a) => (shares[a] > shares[best] ? a : best)) : null;
  return { all, rest, takes };
}

export async function unlock(solution, line, started) {
  try {
    started(await post("/jobs", { solution: solution.id, unlock: [line], until: `${Math.max(solution.percent_of_pot, 0.05).toPrecision(2)}%`, name: `${solution.name}, unlocked` }));
  } catch (error) { say(error.message); }
}
