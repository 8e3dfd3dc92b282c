// Compare: two solutions of the same board at one line.

import { get } from "./api.js";
import { cards, chips, h, labelled, mixBar, number, percent, playerName, replace, select } from "./dom.js";
import { lineCards } from "./line_cards.js";
import { shownAll } from "./looks.js";
import { NodeGrid } from "./node_grid.js";

export async function compareView(view, place, go) {
  const { first, second, line = "" } = place.query;
  const { solutions } = await get("/solutions", { limit: 500 });
  const names = solutions.map((each) => [each.id, `${each.board} ${each.name}`]);
  names.push(...await unlisted([first, second].filter((id) => id && !solutions.some((each) => each.id === id))));
  const address = (one, two, there) => `/compare?first=${one ?? ""}&second=${two ?? ""}${there ? `&line=${there}` : ""}`;
  const pick = (value, change, label) => labelled(label, select([["", "choose…"], ...names], value ?? "", change));
  const holder = h("div", {});
  replace(view, h("h1", {}, "Compare two solutions"), h("section", { class: "panel row" },
    pick(first, (id) => go(address(id, second, line)), "First"), pick(second, (id) => go(address(first, id, line)), "Second")), holder);
  if (!first || !second) { holder.append(h("p", { class: "hint" }, "Choose two solutions with the same board: before and after a lock, with other sizes or other ranges.")); return; }
  try {
    const [found, ...nodes] = await Promise.all([get("/compare", { first, second, line }), get(`/solutions/${first}/node`, { line }), get(`/solutions/${second}/node`, { line })]);
    draw(holder, found, nodes, (there) => go(address(first, second, there)));
  } catch (error) {
    replace(holder, h("p", { class: "problem", role: "alert" }, error.message), line ? h("button", { type: "button", onclick: () => go(address(first, second, "")) }, "Back to the beginning") : null);
  }
}

// responses to locks are not listed, but can be compared
async function unlisted(ids) {
  const found = await Promise.all([...new Set(ids)].map((id) => get(`/solutions/${id}`).catch(() => null)));
  return found.filter(Boolean).map((each) => [each.id, `${each.board} ${each.name}`]);
}

function draw(holder, found, nodes, to) {
  const colours = shownAll(found.colours);
  const sides = [["First", found.first], ["Second", found.second]];
  const values = h("table", {}, h("thead", {}, h("tr", {}, ["", "EV OOP", "EV IP", "Equity OOP", "Exploitability", ...found.actions].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, sides.map(([name, side]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, number(side.ev.oop)), h("td", {}, number(side.ev.ip)), h("td", {}, percent(side.equity.oop)), h("td", {}, `${number(side.exploitability.percent_of_pot, 3)} %`), side.frequencies.map((share) => h("td", {}, percent(share))))),
      h("tr", {}, h("th", { scope: "row" }, "Difference"), h("td", {}, number(found.second.ev.oop - found.first.ev.oop)), h("td", {}, number(found.second.ev.ip - found.first.ev.ip)), h("td", {}, ""), h("td", {}, ""), found.first.frequencies.map((share, a) => h("td", {}, percent(found.second.frequencies[a] - share))))));
  const grids = nodes.map((node) => { const grid = new NodeGrid({ label: "Strategy" }); grid.draw(node); return grid.element; });
  replace(holder, lineCards(nodes[0].path, to), h("section", { class: "panel" }, h("div", { class: "chips" }, cards(found.board), h("span", {}, "Pot ", h("b", {}, chips(found.first.pot))),
    h("span", {}, found.player ? `${playerName(found.player)} acts; ${percent(found.difference)} of the strategy differs` : "Nobody acts here")), h("div", { class: "scroll" }, values)),
  found.player ? h("div", { class: "two" }, sides.map(([name], i) => h("section", { class: "panel" }, h("h2", {}, name), grids[i]))) : null,
  found.player ? h("section", { class: "panel" }, h("h2", {}, "Hands that are played most differently"), h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, ["Hand", "Share of the range", "Difference", "First", "Second"].map((name) => h("th", { scope: "col", class: "left" }, name)))),
    h("tbody", {}, Object.entries(found.hands).map(([hand, row]) => h("tr", {}, h("td", {}, cards(hand)), h("td", {}, percent(row.weight, 2)), h("td", {}, percent(row.difference)), h("td", {}, mixBar(row.first, colours, found.actions)), h("td", {}, mixBar(row.second, colours, found.actions)))))))) : null);
}
