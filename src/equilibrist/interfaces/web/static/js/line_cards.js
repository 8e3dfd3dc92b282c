// The line so far: one card per decision, with what could be done and how often it is.

import { card, chips, h, percent, playerName } from "./dom.js";
import { shown } from "./looks.js";

export function lineCards(path, go, marked) {
  return h("div", { class: "line", role: "list", "aria-label": "Decisions so far" }, path.map((step, number) => {
    const here = number === path.length - 1;
    const title = step.kind === "deal" ? "Card" : step.kind === "over" ? "End" : playerName(step.player);
    return h("div", { class: here ? "step here" : "step", role: "listitem", "aria-current": here ? "step" : undefined },
      h("header", {}, h("b", {}, title), h("span", {}, `pot ${chips(step.pot)}`)),
      step.kind === "decision" ? step.labels.map((label, a) => h("button", {
        type: "button", class: [step.chosen === label ? "taken" : "", here && marked === a ? "marked" : ""].join(" "), "data-action": label,
        "aria-label": `${playerName(step.player)} ${step.actions[a]}, ${percent(step.frequencies[a])}`, onclick: () => go(join(step.line, label)),
      }, h("span", { class: "swatch", style: { background: shown(step.colours[a]) } }), step.actions[a], h("span", {}, percent(step.frequencies[a])))) : null,
      step.kind === "deal" ? (step.chosen ? h("button", { type: "button", onclick: () => go(step.line) }, h("span", {}), card(step.chosen), h("span", {}, "other…")) : h("span", { class: "hint" }, "choose a card below")) : null,
      step.kind === "over" ? h("span", { class: "hint" }, "the hand is over") : null);
  }));
}

export const join = (line, move) => (line ? `${line}:${move}` : move);
export function scrollToHere(element) {
  element.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
