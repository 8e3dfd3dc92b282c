// Exploitability against iterations, both logarithmic.

import { svg } from "./dom.js";

const WIDTH = 420;
const HEIGHT = 170;
const EDGE = { left: 48, right: 10, top: 10, bottom: 26 };

export function curveChart(points, { goal = null, unit = "" } = {}) {
  const kept = points.filter((point) => point.exploitability > 0 && point.iteration > 0);
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img" });
  if (kept.length < 2) { chart.setAttribute("aria-label", "No curve yet"); return chart; }
  const last = kept[kept.length - 1];
  chart.setAttribute("aria-label", `Exploitability fell from ${kept[0].exploitability.toPrecision(3)} to ${last.exploitability.toPrecision(3)}${unit} in ${last.iteration} iterations`);
  const logs = (pick) => kept.map((point) => Math.log10(pick(point)));
  const xs = logs((point) => point.iteration);
  const ys = logs((point) => point.exploitability);
  const least = Math.min(...ys, goal > 0 ? Math.log10(goal) : Infinity);
  const most = Math.max(...ys, least + 0.1);
  const x = (value) => EDGE.left + ((value - xs[0]) / Math.max(xs[xs.length - 1] - xs[0], 1e-9)) * (WIDTH - EDGE.left - EDGE.right);
  const y = (value) => EDGE.top + ((most - value) / (most - least)) * (HEIGHT - EDGE.top - EDGE.bottom);
  for (const tick of ticks(least, most)) {
    chart.append(svg("line", { class: "axis", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(tick), y2: y(tick) }));
    chart.append(svg("text", { x: EDGE.left - 6, y: y(tick) + 4, "text-anchor": "end" }, label(10 ** tick)));
  }
  for (const tick of ticks(xs[0], xs[xs.length - 1])) {
    chart.append(svg("text", { x: x(tick), y: HEIGHT - 8, "text-anchor": "middle" }, label(10 ** tick)));
  }
  if (goal > 0) chart.append(svg("line", { class: "goal", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(Math.log10(goal)), y2: y(Math.log10(goal)) }));
  chart.append(svg("polyline", { class: "curve", points: xs.map((value, i) => `${x(value).toFixed(1)},${y(ys[i]).toFixed(1)}`).join(" ") }));
  return chart;
}

function ticks(low, high) {
  const found = [];
  for (let power = Math.ceil(low - 1e-9); power <= high + 1e-9; power += 1) found.push(power);
  return found.length >= 2 ? found : [low, high];
}
const label = (value) => (value >= 1000 ? `${(value / 1000).toPrecision(2)}k` : value >= 1 ? `${Number(value.toPrecision(2))}` : `${Number(value.toPrecision(1))}`);
