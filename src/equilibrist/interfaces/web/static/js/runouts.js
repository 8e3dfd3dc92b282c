// What the next card changes: one field per card, coloured by what is asked for.

import { get } from "./api.js";
import { h, number, percent, playerName, replace, select, SIGNS } from "./dom.js";
import { RANKS, SUITS } from "./hands.js";
import { heat, inkOn } from "./looks.js";

export async function runoutsPanel(solution, line, { metric, choose, changed }) {
  const holder = h("section", { class: "panel", "aria-label": "Next cards" }, h("p", { class: "hint" }, "Looking at every card…"));
  const draw = (found) => {
    const ways = {
      ...Object.fromEntries(found.labels.map((label, a) => [`f${a}`, [`${playerName(found.player)} ${found.actions[a]}, how often`, (row) => row.frequencies[a], (value) => percent(value, 0)]])),
      evoop: ["EV of OOP", (row) => row.ev.oop, (value) => number(value, 1)], evip: ["EV of IP", (row) => row.ev.ip, (value) => number(value, 1)],
      eqoop: ["Equity of OOP", (row) => row.equity.oop, (value) => percent(value, 0)], eqip: ["Equity of IP", (row) => row.equity.ip, (value) => percent(value, 0)],
    };
    const key = metric in ways ? metric : "evoop";
    const [name, pick, text] = ways[key];
    const values = found.cards.map(pick).filter((value) => value !== null && value !== undefined);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const by = new Map(found.cards.map((row) => [row.card, row]));
    const cells = [...SUITS].reverse().flatMap((suit) => [...RANKS].reverse().map((rank) => {
      const row = by.get(rank + suit);
      const value = row ? pick(row) : null;
      const colour = value === null || value === undefined ? null : heat(high > low ? (value - low) / (high - low) : 0.5);
      return h("button", {
        type: "button", disabled: !row, "data-card": rank + suit, onclick: () => choose(rank + suit), style: colour ? { background: colour, color: inkOn(colour) } : {},
        "aria-label": `${rank} of ${suit}: ${row ? text(value) : "on the board"}`,
      }, rank + SIGNS[suit], h("small", {}, row ? text(value) : ""));
    }));
    replace(holder,
      h("div", { class: "row spread" }, h("h2", {}, "The next card"), h("label", { class: "field" }, "Coloured by", select(Object.entries(ways).map(([each, [title]]) => [each, title]), key, changed))),
      h("p", { class: "hint" }, `${name}: from ${text(low)} (dark) to ${text(high)} (bright). Choose a card to go on.`),
      h("div", { class: "heat" }, cells),
      h("details", {}, h("summary", {}, "As a table"), runoutTable(found)));
  };
  get(`/solutions/${solution}/runouts`, { line }).then(draw, (error) => replace(holder, h("p", { class: "problem" }, error.message)));
  return holder;
}

function runoutTable(found) {
  const file = [["card", "probability", ...found.labels, "ev oop", "ev ip", "equity oop", "equity ip"], ...found.cards.map((row) => [row.card, row.probability, ...row.frequencies, row.ev.oop, row.ev.ip, row.equity.oop, row.equity.ip])];
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, ["Card", "Probability", ...found.actions, "EV OOP", "EV IP", "Equity OOP"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, found.cards.map((row) => h("tr", {}, h("td", {}, row.card), h("td", {}, percent(row.probability, 2)), row.frequencies.map((share) => h("td", {}, percent(share))),
      h("td", {}, number(row.ev.oop)), h("td", {}, number(row.ev.ip)), h("td", {}, percent(row.equity.oop)))))), csvLink(file, `runouts ${found.line}.csv`));
}

export function csvLink(rows, name) {
  const text = rows.map((row) => row.map((value) => `"${String(value ?? "").replaceAll('"', '""')}"`).join(",")).join("\n");
  return h("button", { type: "button", class: "quiet", onclick: () => {
    const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name.replace(/[^\w. -]/g, "_") });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } }, "Download as CSV");
}
