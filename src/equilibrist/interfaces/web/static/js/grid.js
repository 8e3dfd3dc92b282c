// The 13×13 grid: 169 buttons made once; height is reach, width the mix of actions.

import { className } from "./hands.js";
import { h, percent } from "./dom.js";
import { heat } from "./looks.js";

export class Grid {
  constructor({ label, hover, pin, paint } = {}) {
    this.cells = [];
    this.hover = hover;
    this.pin = pin;
    this.element = h("div", { class: "grid", role: "grid", "aria-label": label ?? "Hands by class" });
    for (let cell = 0; cell < 169; cell += 1) {
      const name = className(cell);
      const button = h("button", { type: "button", class: "cell off", "data-class": name, tabIndex: cell ? -1 : 0 }, h("b", {}, name), h("i", {}));
      this.cells.push(button);
      this.element.append(button);
    }
    this.element.addEventListener("keydown", (event) => this.walk(event));
    if (hover) {
      this.element.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") this.hover(this.at(event)); });
      this.element.addEventListener("pointerleave", () => this.hover(null));
      this.element.addEventListener("focusin", (event) => this.hover(this.at(event)));
    }
    if (pin) this.element.addEventListener("click", (event) => { const cell = this.at(event); if (cell !== null) this.pin(cell); });
    if (paint) this.paintable(paint);
  }

  at(event) {
    const place = this.cells.indexOf(event.target.closest?.(".cell"));
    return place < 0 ? null : place;
  }

  // arrow keys move inside the grid, so that it is one stop for the Tab key
  walk(event) {
    const here = this.cells.indexOf(document.activeElement);
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 13, ArrowUp: -13 };
    if (here < 0 || !(event.key in steps) || event.altKey || event.ctrlKey) return;
    const there = here + steps[event.key];
    if (there < 0 || there > 168 || (Math.abs(steps[event.key]) === 1 && Math.floor(there / 13) !== Math.floor(here / 13))) return;
    event.preventDefault();
    event.stopPropagation();
    this.cells[here].tabIndex = -1;
    this.cells[there].tabIndex = 0;
    this.cells[there].focus();
  }

  paintable(paint) {
    let stroke = null;
    const touch = (cell) => { if (stroke && cell !== null && !stroke.seen.has(cell)) { stroke.seen.add(cell); paint.cell(cell, stroke.value); } };
    this.element.addEventListener("pointerdown", (event) => {
      const cell = this.at(event);
      if (cell === null || event.button !== 0) return;
      event.preventDefault();
      this.cells[cell].focus();
      stroke = { value: paint.begin(cell), seen: new Set() };
      touch(cell);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (!stroke) return;
      const under = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".cell");
      const place = under ? this.cells.indexOf(under) : -1;
      touch(place < 0 ? null : place);
    });
    window.addEventListener("pointerup", () => { if (stroke) { stroke = null; paint.end(); } });
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      const cell = this.at(event);
      if (cell !== null) { paint.cell(cell, paint.begin(cell)); paint.end(); }
    });
  }

  // one cell: { height 0–1, parts: [[colour, share]…], text, title } or null where no hand is
  set(cell, look) {
    const button = this.cells[cell];
    const style = button.style;
    if (!look) {
      button.classList.replace("on", "off");
      style.backgroundImage = "none";
      button.lastChild.textContent = "";
      button.setAttribute("aria-label", `${className(cell)}: absent`);
      return;
    }
    button.classList.replace("off", "on");
    let place = 0;
    const stops = [];
    for (const [colour, share] of look.parts) {
      const next = place + 100 * share;
      stops.push(`${colour} ${place.toFixed(2)}% ${next.toFixed(2)}%`);
      place = next;
    }
    style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
    style.backgroundSize = `100% ${(100 * look.height).toFixed(1)}%`;
    button.lastChild.textContent = look.text ?? "";
    button.setAttribute("aria-label", `${className(cell)}: ${look.title ?? ""}`);
  }

  mark(pinned) {
    this.cells.forEach((button, cell) => button.classList.toggle("pinned", cell === pinned));
  }
}

export function strategyLook(sum, tallest, colours, names, only) {
  if (!(sum.weight > 1e-6)) return null;
  const parts = [];
  let top = 0;
  sum.mix.forEach((share, action) => {
    if (share > sum.mix[top]) top = action;
    parts.push([only === null || only === action ? colours[action] : "transparent", share]);
  });
  const told = sum.mix.map((share, action) => `${names[action]} ${percent(share, 0)}`).join(", ");
  const said = only === null ? top : only;
  return { height: Math.max(0.08, sum.average / tallest), parts, text: `${Math.round(100 * sum.mix[said])}`, title: told };
}

export function heatLook(sum, value, text, low, high) {
  if (!(sum.weight > 1e-6) || value === null || Number.isNaN(value)) return null;
  const share = high > low ? (value - low) / (high - low) : 0.5;
  return { height: 1, parts: [[heat(share), 1]], text, title: text };
}
