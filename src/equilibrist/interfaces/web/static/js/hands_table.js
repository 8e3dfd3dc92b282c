// Hands one by one: weight, equity, EV, EQR, mix and EV of every action; sorted by any column.

import { cards, h, mixBar, number, percent, replace } from "./dom.js";
import { shownAll } from "./looks.js";

const MOST_ROWS = 240;

export class HandsTable {
  constructor() {
    this.sort = { key: "hand", down: true };
    this.element = h("div", { class: "scroll hands" });
  }

  draw(node, hands, title) {
    this.last = [node, hands, title];
    const acts = node.strategy.length > 0;
    const colours = shownAll(node.colours);
    const columns = [
      ["hand", "Hand", (i) => -i], ["weight", "Weight", (i) => node.weight[i]], ["equity", "Equity", (i) => node.hand_equity[i]],
      ["ev", "EV", (i) => node.hand_ev[i]], ["eqr", "EQR", (i) => node.hand_eqr[i]],
      ...(acts ? node.labels.map((label, a) => [`a${a}`, node.actions[a], (i) => node.strategy[i][a], colours[a]]) : []),
      ...(acts ? node.labels.map((label, a) => [`e${a}`, `EV ${label}`, (i) => node.ev_by_action[i][a], colours[a]]) : []),
    ];
    const chosen = columns.find(([key]) => key === this.sort.key) ?? columns[0];
    const order = [...hands].sort((a, b) => ((chosen[2](b) ?? -1e99) - (chosen[2](a) ?? -1e99)) * (this.sort.down ? 1 : -1));
    const arrow = (key) => (key === chosen[0] ? (this.sort.down ? " ↓" : " ↑") : "");
    const sorter = (key, ...content) => h("button", { type: "button", onclick: () => { this.sort = { key, down: key === chosen[0] ? !this.sort.down : true }; this.draw(...this.last); } }, ...content, arrow(key));
    const ordered = (...keys) => (keys.includes(chosen[0]) ? (this.sort.down ? "descending" : "ascending") : undefined);
    const head = columns.slice(0, 5).map(([key, name]) => h("th", { scope: "col", "aria-sort": ordered(key) }, sorter(key, name)));
    if (acts) node.labels.forEach((label, a) => head.push(h("th", { scope: "col", "aria-sort": ordered(`a${a}`, `e${a}`) },
      sorter(`a${a}`, h("span", { class: "swatch", style: { background: colours[a] } }), node.actions[a]), h("br"), sorter(`e${a}`, h("small", {}, "EV")))));
    const best = (i) => Math.max(...node.ev_by_action[i].map((value) => value ?? -1e99));
    const rows = order.slice(0, MOST_ROWS).map((i) => h("tr", {},
      h("td", {}, cards(node.hands[i])), h("td", {}, number(node.weight[i], 3)), h("td", {}, percent(node.hand_equity[i])), h("td", {}, number(node.hand_ev[i])), h("td", {}, percent(node.hand_eqr[i], 0)),
      acts ? h("td", { class: "mix" }, mixBar(node.strategy[i], colours, node.actions)) : null,
      acts ? node.strategy[i].map((share, a) => h("td", {}, percent(share, 0), h("br"), h("small", { class: node.ev_by_action[i][a] !== null && node.ev_by_action[i][a] >= best(i) - 1e-4 ? "good" : "hint" }, number(node.ev_by_action[i][a])))) : null));
    if (acts) head.splice(5, 0, h("th", { scope: "col", class: "left" }, "Mix"));
    replace(this.element, h("table", {}, h("caption", { class: "hint left" }, title), h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)),
      order.length > MOST_ROWS ? h("p", { class: "hint" }, `${MOST_ROWS} of ${order.length} hands; point at a class, or sort.`) : null);
  }
}
