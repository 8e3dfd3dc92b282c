// Theme and colours: light or dark, and a scheme of blue against yellow for people who do not tell red from green.

import { get } from "./api.js";

let palette = null;
const remembered = (name, usual) => { try { return localStorage.getItem(name) ?? usual; } catch { return usual; } };
const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* private windows */ } };

export function setUpLooks(redraw) {
  const root = document.documentElement;
  for (const [name, usual] of [["theme", "auto"], ["scheme", "usual"]]) {
    const control = document.getElementById(name);
    control.value = remembered(name, usual);
    root.dataset[name] = control.value;
    control.addEventListener("change", () => { root.dataset[name] = control.value; remember(name, control.value); redraw(); });
  }
  const ready = get("/about").then((about) => { palette = about.palette; if (root.dataset.scheme === "safe") redraw(); });
  ready.catch(() => { /* the usual colours stay */ });
}

const channels = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
const mixed = (first, second, share) => "#" + channels(first).map((a, i) => Math.round(a + (channels(second)[i] - a) * share).toString(16).padStart(2, "0")).join("");

// The server colours actions; here its colours are translated where people asked for the other scheme.
export function shown(colour) {
  if (!palette || document.documentElement.dataset.scheme !== "safe") return colour;
  const { usual, safe } = palette;
  if (colour === usual.fold) return safe.fold;
  if (colour === usual.call) return safe.call;
  const [from, to, here] = [usual.smallest_bet, usual.largest_bet, colour].map((each) => channels(each)[0]);
  const share = (here - from) / (to - from);
  return share >= 0 && share <= 1 ? mixed(safe.smallest_bet, safe.largest_bet, share) : colour;
}
export const shownAll = (colours) => colours.map(shown);

const HEAT = ["#3b2f8f", "#2a7fb8", "#2fae8a", "#a8cf45", "#f5d63d"];
export function heat(share) {
  const place = Math.min(Math.max(share, 0), 1) * (HEAT.length - 1);
  const left = Math.min(Math.floor(place), HEAT.length - 2);
  return mixed(HEAT[left], HEAT[left + 1], place - left);
}
// black or white, whichever stands out more (relative luminance as in WCAG)
export function inkOn(colour) {
  const [red, green, blue] = channels(colour).map((each) => { const share = each / 255; return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}
