// Points of a dial as lines: told apart by colour, dash and mark, with their names beside them; hover previews, click pins.

import { number, svg } from "./dom.js";

const WIDTH = 520;
const HEIGHT = 250;
const EDGE = { left: 56, right: 70, top: 14, bottom: 40 };
const SHAPES = {
  disc: (x, y) => svg("circle", { cx: x, cy: y, r: 4.5 }),
  square: (x, y) => svg("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }),
};

// points: any objects; x and series[].of give numbers of them; series[].name, .kind (a class) and .shape
export function dialChart(points, { title, x, xName, yName, series, chosen, hover, pin }) {
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart dial", role: "img", "aria-label": spoken(points, title, series) });
  if (!points.length) return chart;
  const across = scale(points.map(x), EDGE.left, WIDTH - EDGE.right);
  const up = scale([0, ...series.flatMap((line) => points.map(line.of))], HEIGHT - EDGE.bottom, EDGE.top);
  chart.append(...axes(across, up, xName, yName));
  if (chosen) chart.append(svg("line", { class: "chosen", x1: across.at(x(chosen)), x2: across.at(x(chosen)), y1: EDGE.top, y2: HEIGHT - EDGE.bottom }));
  for (const line of series) chart.append(...drawn(points, line, x, across, up, chosen));
  chart.append(...catchers(points, x, across, hover, pin));
  return chart;
}

const spoken = (points, title, series) => `${title}: ${points.map((point) => `p ${point.p}: ${series.map((line) => `${line.name} ${number(line.of(point), 1)}`).join(", ")}`).join("; ")}`;

function scale(values, from, to) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low || 1;
  return { low, high: low + span, at: (value) => from + ((value - low) / span) * (to - from) };
}

function ticks({ low, high }) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + 1e-9; value += step) found.push(Math.round(value / power) * power);
  return found;
}

function axes(across, up, xName, yName) {
  const parts = ticks(up).flatMap((value) => [
    svg("line", { class: "axis", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: up.at(value), y2: up.at(value) }),
    svg("text", { x: EDGE.left - 6, y: up.at(value) + 4, "text-anchor": "end" }, plain(value)),
  ]);
  parts.push(...ticks(across).map((value) => svg("text", { x: across.at(value), y: HEIGHT - EDGE.bottom + 16, "text-anchor": "middle" }, plain(value))));
  parts.push(svg("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, xName));
  parts.push(svg("text", { x: -(EDGE.top + HEIGHT - EDGE.bottom) / 2, y: 12, transform: "rotate(-90)", "text-anchor": "middle" }, yName));
  return parts;
}

function drawn(points, line, x, across, up, chosen) {
  const place = (point) => [across.at(x(point)), up.at(line.of(point))];
  const last = place(points[points.length - 1]);
  const marks = points.map((point) => {
    const mark = SHAPES[line.shape](...place(point));
    mark.setAttribute("class", `mark ${line.kind}${point === chosen ? " here" : ""}`);
    return mark;
  });
  return [
    svg("polyline", { class: `curve ${line.kind}`, points: points.map((point) => place(point).map((each) => each.toFixed(1)).join(",")).join(" ") }),
    ...marks, svg("text", { class: "name", x: last[0] + 9, y: last[1] + 4 }, line.name),
  ];
}

// strips between the points, so that a finger need not hit a mark
function catchers(points, x, across, hover, pin) {
  const places = points.map((point) => across.at(x(point)));
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  return order.map((i, rank) => {
    const before = rank ? (places[order[rank - 1]] + places[i]) / 2 : EDGE.left - 10;
    const after = rank + 1 < order.length ? (places[order[rank + 1]] + places[i]) / 2 : WIDTH;
    const strip = svg("rect", { class: "catch", "data-p": points[i].p, x: before, y: 0, width: Math.max(after - before, 1), height: HEIGHT });
    strip.addEventListener("pointermove", () => hover(points[i]));  // a pointer that rests says nothing
    strip.addEventListener("pointerleave", () => hover(null));
    strip.addEventListener("click", () => pin(points[i]));
    return strip;
  });
}

const plain = (value) => `${Number(value.toFixed(2))}`;
