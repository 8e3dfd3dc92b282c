// The page: one view at a time, chosen by the address.

import { setUpLooks } from "./looks.js";
import { h, replace } from "./dom.js";

const VIEWS = {
  solve: () => import("./solve.js").then((found) => found.solveView), library: () => import("./library.js").then((found) => found.libraryView),
  study: () => import("./study.js").then((found) => found.studyView), compare: () => import("./compare.js").then((found) => found.compareView),
  strategy: () => import("./strategy.js").then((found) => found.strategyView),
  exploit: () => import("./exploit.js").then((found) => found.exploitView),
  batch: () => import("./batch.js").then((found) => found.batchView),
  report: () => import("./report.js").then((found) => found.reportView), learn: () => import("./learn.js").then((found) => found.learnView),
  play: () => import("./play.js").then((found) => found.playView), train: () => import("./train.js").then((found) => found.trainView),
  help: () => import("./help.js").then((found) => found.helpView),
};
const TITLES = { solve: "Solve", library: "Library", study: "Study", strategy: "Strategy", exploit: "Exploit", batch: "Batch", compare: "Compare", report: "Report", learn: "Learn", play: "Play", train: "Train", help: "Help" };
let leave = null;
let turn = 0;

async function show() {
  const [, name = "", rest = ""] = location.pathname.split("/");
  const chosen = name in VIEWS ? name : "solve";
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const mine = (turn += 1);
  leave?.();
  leave = null;
  document.title = `${TITLES[chosen]} – equilibrist`;
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.getAttribute("href") === `/${chosen}`) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  const view = document.getElementById("view");
  view.setAttribute("aria-busy", "true");
  try {
    const draw = await VIEWS[chosen]();
    const left = await draw(view, { name: chosen, rest, query }, go);
    if (mine === turn) leave = left ?? null; else left?.();
  } catch (error) {
    if (mine === turn) replace(view, h("h1", {}, TITLES[chosen]), h("p", { class: "problem", role: "alert" }, error.message), h("p", {}, h("a", { href: "/library" }, "To the library")));
  }
  view.removeAttribute("aria-busy");
  view.dataset.ready = chosen;
}

export function go(address, instead = false) {
  history[instead ? "replaceState" : "pushState"](null, "", address);
  show();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button || link.hasAttribute("download") || link.origin !== location.origin) return;
  const [, name] = link.pathname.split("/");
  if (!(name in VIEWS)) return;
  event.preventDefault();
  go(link.pathname + link.search);
  document.getElementById("view").focus();
});
window.addEventListener("popstate", show);
window.addEventListener("go", (event) => go(event.detail));
setUpLooks(show);
show();
