// Report: many solutions at one line, side by side.

import { get } from "./api.js";
import { cards, h, labelled, mixBar, number, percent, replace } from "./dom.js";
import { shownAll } from "./looks.js";
import { csvLink } from "./runouts.js";

export async function reportView(view, place, go) {
  const line = h("input", { value: place.query.line ?? "", placeholder: "x:b120", spellcheck: false });
  const query = h("input", { type: "search", value: place.query.query ?? "", placeholder: "all solutions" });
  const holder = h("section", { class: "panel" }, h("p", { class: "hint" }, "Looking…"));
  const show = () => go(`/report?${new URLSearchParams(Object.entries({ line: line.value.trim(), query: query.value.trim() }).filter(([, value]) => value))}`);
  replace(view, h("h1", {}, "Aggregate report"), h("form", { class: "panel row", onsubmit: (event) => { event.preventDefault(); show(); } },
    labelled("Line", line), labelled("Search", query), h("button", { class: "main" }, "Show"), h("span", { class: "hint" }, "The empty line is the first decision of every spot.")), holder);
  const found = await get("/report", { line: place.query.line, query: place.query.query });
  let key = "board";
  let down = false;
  const ways = { board: (row) => row.board, passive: (row) => row.frequencies[0] ?? -1, ev: (row) => (row.ev.oop ?? -1e9) / row.pot, equity: (row) => row.equity.oop ?? -1 };
  const head = (name, text) => h("th", { scope: "col", class: "left", "aria-sort": key === name ? (down ? "descending" : "ascending") : undefined }, h("button", { type: "button", onclick: () => { down = key === name ? !down : true; key = name; draw(); } }, text));
  function draw() {
    const rows = [...found.rows].sort((a, b) => (ways[key](a) < ways[key](b) ? -1 : 1) * (down ? -1 : 1));
    const file = [["board", "name", "actions", "frequencies", "ev oop", "ev ip", "equity oop", "pot"], ...rows.map((row) => [row.board, row.name, row.labels.join(" "), row.frequencies.join(" "), row.ev.oop, row.ev.ip, row.equity.oop, row.pot])];
    replace(holder, h("p", { class: "hint" }, `${found.count} solutions found.`), h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, head("board", "Board"), h("th", { scope: "col", class: "left" }, "Solution"), head("passive", "What is done"), h("th", { scope: "col" }, ""), head("ev", "EV OOP"), head("equity", "Equity OOP"))),
      h("tbody", {}, rows.map((row) => h("tr", {}, h("td", {}, cards(row.board)), h("td", { class: "left" }, h("a", { href: `/study/${row.id}${found.line ? `?line=${found.line}` : ""}` }, row.name)),
        row.problem ? h("td", { class: "left hint", colSpan: 4 }, row.problem) : [
          h("td", { class: "left" }, row.actions.map((name, a) => `${name} ${percent(row.frequencies[a], 0)}`).join(", ")), h("td", {}, mixBar(row.frequencies, shownAll(row.colours), row.actions)),
          h("td", {}, `${number(row.ev.oop)} (${percent(row.ev.oop / row.pot, 0)} of the pot)`), h("td", {}, percent(row.equity.oop))]))))), csvLink(file, "report.csv"));
  }
  draw();
}
