// A node's hands on the grid in one of five ways of looking.

import { classSums } from "./class_sums.js";
import { number, percent } from "./dom.js";
import { Grid, heatLook, strategyLook } from "./grid.js";
import { shownAll } from "./looks.js";

const SPANS = { equity: [0, 1], eqr: [0, 2] };

export class NodeGrid {
  constructor(options) { this.grid = new Grid(options); this.element = this.grid.element; }

  draw(node, { mode = "strategy", only = null, pinned = null } = {}) {
    const began = performance.now();
    const { sums, tallest } = classSums(node);
    this.sums = sums;
    const colours = shownAll(node.colours);
    const acts = node.strategy.length > 0;
    const way = mode === "strategy" && !acts ? "range" : mode;
    const [low, high] = SPANS[way] ?? span(sums);
    for (let cell = 0; cell < 169; cell += 1) {
      const sum = sums[cell];
      let look = null;
      if (way === "strategy") look = strategyLook(sum, tallest, colours, node.actions, only);
      else if (way === "range") look = sum.weight > 1e-6 ? { height: sum.average / tallest, parts: [["#d98c1a", 1]], text: number(sum.average, 2), title: `weight ${number(sum.average, 2)}` } : null;
      else look = heatLook(sum, sum[way], way === "ev" ? number(sum.ev, 1) : percent(sum[way], 0), low, high);
      this.grid.set(cell, look);
    }
    this.grid.mark(pinned);
    this.milliseconds = performance.now() - began;
    window.lastGridMilliseconds = this.milliseconds;  // read by benchmarks/web.py
  }
}

function span(sums) {
  const values = sums.filter((sum) => sum.weight > 1e-6 && sum.ev !== null).map((sum) => sum.ev);
  return values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
}
