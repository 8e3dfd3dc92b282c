// A hand looked at afterwards: what each own decision was worth, and what the opponent could hold at the time.

import { get } from "./api.js";
import { cards, chips, h, number, percent, replace } from "./dom.js";
import { Grid } from "./grid.js";
import { cellOfName, PAIRS_OF } from "./hands.js";

const WAYS = {
  exact: "the whole game is known, and you play perfectly from there on against this opponent.",
  solved: "the rest of the hand is solved from both ranges: the opponent's by its strategy, yours as it would have played in your place. ± is how far the solution may be off.",
  blueprint: "hands from the opponent's range are played to their end, both players following its blueprint. ± is a 95 % interval.",
};

export class HandReview {
  constructor(table, state) {
    Object.assign(this, { table, state, stopped: false, chosen: null, values: new Map() });
    this.rows = h("tbody", {});
    this.notes = h("div", {});
    this.rangePanel = h("section", { class: "panel", id: "opponent-range" });
    this.element = h("div", {}, this.panel(), this.rangePanel);
    this.drawRange();
    if (state.reviews?.length) { this.drawRows(); this.fetchAll(); }
  }

  stop() { this.stopped = true; }

  panel() {
    if (!this.state.reviews?.length) return h("section", { class: "panel" }, h("h2", {}, "Your decisions"), h("p", { class: "hint" }, "You had nothing to decide in this hand."));
    const names = ["You", "Board", "Pot", "Equity", "EV of each action (chips)", "EV lost"];
    return h("section", { class: "panel", id: "reviews" }, h("h2", {}, "Your decisions"), h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col", class: "left" }, name)))), this.rows)), this.notes);
  }

  async fetchAll() {
    for (const review of this.state.reviews) {
      if (this.stopped) return;
      let value;
      try { value = await get(`/tables/${this.table}/hands/${this.state.hand}/decisions/${review.move}`); } catch (error) { value = { method: null, reason: error.message, opponent_range: null }; }
      this.values.set(review.move, value);
      if (!this.stopped) this.drawRows();
    }
  }

  drawRows() {
    replace(this.rows, this.state.reviews.map((review) => this.row(review)));
    const values = [...this.values.values()];
    const ways = Object.keys(WAYS).filter((way) => values.some((value) => value.method === way));
    const reasons = [...new Set(values.filter((value) => !value.method).map((value) => value.reason))];
    replace(this.notes, ways.map((way) => h("p", { class: "hint" }, h("b", {}, `${way}: `), WAYS[way])), ways.length ? h("p", { class: "hint" }, "EV in chips, folding now being 0; the action you took is underlined.") : null,
      reasons.map((reason) => h("p", { class: "hint", "data-reason": "" }, h("b", {}, "No EV: "), reason)),
      [...new Set(values.map((value) => value.note).filter(Boolean))].map((note) => h("p", { class: "hint" }, note)));
  }

  row(review) {
    const value = this.values.get(review.move);
    const show = h("button", { type: "button", class: "quiet", "aria-pressed": this.chosen === review.move, title: "The opponent's range at this moment", onclick: () => this.choose(review.move) }, review.action);
    return h("tr", { "data-move": review.move, "data-method": value?.method ?? (value ? "none" : "waiting"), class: this.chosen === review.move ? "chosen" : "" }, h("td", {}, show), h("td", { class: "left" }, review.board ? cards(review.board) : "–"), h("td", {}, chips(review.pot)), h("td", {}, percent(review.equity)), valueCells(value, this.state.unit));
  }

  choose(move) {
    this.chosen = this.chosen === move ? null : move;
    this.drawRows();
    this.drawRange();
  }

  drawRange() {
    const { state, chosen } = this;
    const hands = chosen === null ? state.opponent_range : this.values.get(chosen)?.opponent_range;
    const title = chosen === null ? "What the opponent could hold at the end" : `What the opponent could hold when you ${state.reviews.find((review) => review.move === chosen).action.replace(/s\b/, "")}`;
    replace(this.rangePanel, h("h2", {}, title), hands?.length ? rangeOf(hands) : h("p", { class: "hint" }, state.seats.length > 2 ? "With several opponents their ranges are not known." : "This opponent does not say what it does with each hand, so its range is not known."),
      hands?.length ? h("p", { class: "hint" }, "The likeliest hand counts as 100 %; your cards and the board are left out. Click one of your decisions for the range at that moment.") : null);
  }
}

function valueCells(value, unit) {
  if (!value) return [h("td", { class: "left hint" }, "computing…"), h("td", {}, "")];
  if (!value.method) return [h("td", { class: "left hint" }, "not known"), h("td", {}, "–")];
  const best = Math.max(...value.ev);
  const shares = value.ev.map((ev, a) => h("span", { class: a === value.chosen ? "taken-action" : "" }, `${value.actions[a]} `, h("b", { class: ev >= best - 1e-6 ? "good" : "" }, number(Math.abs(ev) < 0.05 ? 0 : ev, 1))));
  const unsure = value.error > 0.0005 * unit ? ` ± ${number(value.error / unit, 2)}` : "";
  return [h("td", { class: "left evs" }, h("div", { class: "chips" }, shares)),
    h("td", { class: value.loss > Math.max(value.error, 0.005 * unit) ? "bad" : "good" }, `${number(value.loss_bb, 2)}${unsure} ${value.unit}`, h("br"), h("small", { class: "hint" }, value.method))];
}

function rangeOf(hands) {
  if (!hands.every((each) => each.hand.length === 4)) {
    return h("table", {}, h("tbody", {}, hands.map((each) => h("tr", {}, h("td", {}, cards(each.hand)), h("td", {}, percent(each.weight))))));
  }
  const grid = new Grid({ label: "The opponent's range" });
  const sums = new Float64Array(169);
  for (const each of hands) sums[cellOfName(each.hand)] += each.weight;
  for (let cell = 0; cell < 169; cell += 1) {
    const weight = sums[cell] / PAIRS_OF[cell].length;
    grid.set(cell, weight > 1e-6 ? { height: Math.min(1, weight), parts: [["#d98c1a", 1]], text: `${Math.round(100 * weight)}`, title: percent(weight) } : null);
  }
  return grid.element;
}
