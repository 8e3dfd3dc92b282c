// Making elements, and numbers and cards as people read them.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || (value === false && !name.startsWith("aria-"))) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name in element && !name.startsWith("aria") && name !== "list" && name !== "form") element[name] = value;
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
export function svg(tag, properties = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return parent;
}

export function labelled(label, control, hint) {
  return h("label", { class: "field", title: hint }, label, control);
}

export function select(options, value, onchange, properties = {}) {
  const list = h("select", { ...properties, onchange: (event) => onchange(event.target.value) },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  return list;
}

export function say(...content) {
  const note = h("div", {}, ...content);
  document.getElementById("said").append(note);
  setTimeout(() => note.remove(), 8000);
}

export function debounce(milliseconds, work) {
  let timer = 0;
  return (...values) => { clearTimeout(timer); timer = setTimeout(() => work(...values), milliseconds); };
}

export const percent = (share, digits = 1) => (share === null || share === undefined || Number.isNaN(share) ? "–" : `${(100 * share).toFixed(digits)} %`);
export const number = (value, digits = 2) => (value === null || value === undefined || Number.isNaN(value) ? "–" : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
export const chips = (value) => value.toLocaleString("en", { maximumFractionDigits: 2 });
export const bytes = (size) => (size >= 1e9 ? `${(size / 1e9).toFixed(2)} GB` : `${(size / 1e6).toFixed(1)} MB`);
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

export const SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
export const SUIT_NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
export function splitCards(text) { return text.match(/[2-9TJQKA][cdhs]/g) ?? []; }
export function card(name) {
  return h("span", { class: `card suit-${name[1]}`, title: `${name[0]} of ${SUIT_NAMES[name[1]] ?? ""}` }, name[0] + (SIGNS[name[1]] ?? ""));
}
export function cards(text, properties = {}) {
  const found = splitCards(text);
  return h("span", { class: `cards ${properties.class ?? ""}`, role: "img", "aria-label": found.length ? `cards ${found.join(" ")}` : text },
    found.length ? found.map(card) : text.split("").map((rank) => h("span", { class: "card" }, rank)));
}

export function mixBar(shares, colours, names) {
  const title = shares.map((share, i) => `${names[i]} ${percent(share)}`).join(", ");
  return h("div", { class: "bar", role: "img", "aria-label": title, title },
    shares.map((share, i) => h("span", { style: { width: `${100 * (share ?? 0)}%`, background: colours[i] } })));
}

export const playerName = (player) => (player === "oop" ? "OOP" : player === "ip" ? "IP" : player ?? "–");
