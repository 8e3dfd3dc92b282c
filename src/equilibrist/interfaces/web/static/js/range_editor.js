// A range painted on the grid or written as text; both say the same at any time.

import { get, post } from "./api.js";
import { debounce, h, labelled, replace, say, SIGNS, splitCards } from "./dom.js";
import { Grid } from "./grid.js";
import { cardNumber, className, pairName, PAIRS, PAIRS_OF } from "./hands.js";

const INK = "#d98c1a";

export class RangeEditor {
  constructor({ name, text, changed }) {
    this.name = name;
    this.changed = changed;
    this.weights = new Float64Array(1326);
    this.dead = new Set();
    this.brush = 1;
    this.cell = null;
    this.grid = null;
    this.gridHolder = h("div", {});
    this.text = h("textarea", { rows: 3, spellcheck: false, "aria-label": `Range of ${name} as text`, value: text, onchange: () => this.read(this.text.value) });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.count = h("b", {});
    this.combos = h("div", {});
    this.write = debounce(200, () => this.toText());
    this.element = this.layout();
    this.read(text);
  }

  // the grid is made when it is first looked at, so that the page is there sooner
  open() {
    if (this.grid) return;
    this.grid = new Grid({
      label: `Range of ${this.name}`,
      hover: (cell) => { if (cell !== null) this.showCombos(cell); },
      paint: {
        begin: (cell) => (this.average(cell) >= this.brush - 1e-9 ? 0 : this.brush),
        cell: (cell, weight) => { for (const pair of PAIRS_OF[cell]) this.weights[pair] = weight; this.draw(cell); this.showCombos(cell); },
        end: () => this.painted(),
      },
    });
    replace(this.gridHolder, this.grid.element);
    this.drawAll();
  }

  layout() {
    const brush = h("input", { type: "range", min: 5, max: 100, step: 5, value: 100, oninput: () => { this.brush = brush.value / 100; shown.textContent = `${brush.value} %`; } });
    const shown = h("output", {}, "100 %");
    this.presets = h("select", { onchange: (event) => { if (event.target.value) this.read(event.target.value); event.target.value = ""; } }, h("option", { value: "" }, "choose…"));
    loadPresets(this.presets);
    return h("div", { class: "editor" },
      this.gridHolder,
      h("div", {},
        h("p", {}, this.count, " of 1,326 combinations"),
        h("div", { class: "row" }, labelled("Weight of the brush", h("span", { class: "row" }, brush, shown))),
        h("div", { class: "row" }, labelled("Preset", this.presets),
          h("button", { type: "button", onclick: () => this.read("none") }, "Clear")),
        h("label", { class: "field wide" }, "As text", this.text),
        this.problem,
        h("details", {}, h("summary", {}, "How ranges are written"),
          h("p", { class: "hint" }, h("code", {}, "TT+"), " pairs from tens up, ", h("code", {}, "A5s-A2s"), " a span, ", h("code", {}, "AK"), " suited and offsuit, ",
            h("code", {}, "AsKd"), " one hand, ", h("code", {}, "QJo:0.5"), " half of the time, ", h("code", {}, "random,!AA"), " all but aces. Later entries replace earlier ones.")),
        h("h3", {}, "Suits"), this.combos,
        h("p", { class: "hint" }, "Drag over the grid to paint; point at a class to set single suits.")));
  }

  average(cell) {
    const pairs = PAIRS_OF[cell];
    return pairs.reduce((sum, pair) => sum + this.weights[pair], 0) / pairs.length;
  }

  draw(cell) {
    if (!this.grid) return;
    const weight = this.average(cell);
    this.grid.set(cell, weight > 0 ? { height: weight, parts: [[INK, 1]], text: weight < 0.995 ? `${Math.round(100 * weight)}` : "", title: `${Math.round(100 * weight)} %` } : null);
  }

  drawAll() {
    for (let cell = 0; cell < 169; cell += 1) this.draw(cell);
    this.counted();
    if (this.cell !== null) this.showCombos(this.cell);
  }

  counted() {
    let total = 0;
    for (const weight of this.weights) total += weight;
    this.count.textContent = total.toLocaleString("en", { maximumFractionDigits: 1 });
  }

  showCombos(cell) {
    this.cell = cell;
    replace(this.combos, h("b", {}, className(cell)), h("div", { class: "combos" }, PAIRS_OF[cell].map((pair) => {
      const [low, high] = PAIRS[pair];
      const gone = this.dead.has(low) || this.dead.has(high);
      const weight = this.weights[pair];
      const name = pairName(pair);
      const button = h("button", {
        type: "button", disabled: gone, "aria-pressed": weight > 0, "aria-label": `${name} ${Math.round(100 * weight)} %`,
        onclick: () => { this.weights[pair] = weight >= this.brush - 1e-9 ? 0 : this.brush; this.draw(cell); this.showCombos(cell); this.painted(); },
      }, splitCards(name).map((each) => h("span", {}, each[0] + SIGNS[each[1]])), h("small", {}, ` ${Math.round(100 * weight)}`));
      return button;
    })));
  }

  painted() { this.counted(); this.write(); }

  async toText() {
    try {
      const found = await post("/ranges", { weights: [...this.weights] });
      this.text.value = found.text;
      this.problem.textContent = "";
      this.changed();
    } catch (error) { this.problem.textContent = error.message; }
  }

  async read(text) {
    try {
      const found = await post("/ranges", { text });
      this.weights.set(found.weights);
      this.text.value = found.text;
      this.problem.textContent = "";
      this.drawAll();
      this.changed();
    } catch (error) { this.problem.textContent = error.message; }
  }

  set board(text) { this.dead = new Set(splitCards(text).map(cardNumber)); if (this.cell !== null) this.showCombos(this.cell); }
}

let presets = null;
async function loadPresets(list) {
  try {
    presets ??= get("/ranges/presets");
    const groups = Map.groupBy ? Map.groupBy(await presets, (each) => each.group) : grouped(await presets);
    for (const [group, found] of groups) list.append(h("optgroup", { label: group }, found.map((each) => h("option", { value: each.text }, each.name))));
  } catch (error) { say(error.message); }
}
function grouped(found) {
  const groups = new Map();
  for (const each of found) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return groups;
}
