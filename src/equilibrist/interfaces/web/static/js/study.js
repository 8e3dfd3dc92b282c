// Study: walk a solution. The address carries solution, line, player, way of looking and pinned class.

import { get } from "./api.js";
import { cards, chips, h, mixBar, number, percent, playerName, replace, say, select } from "./dom.js";
import { openDial } from "./exploit.js";
import { className, RANKS } from "./hands.js";
import { HandsTable } from "./hands_table.js";
import { jobsPanel } from "./jobs_view.js";
import { join, lineCards, scrollToHere } from "./line_cards.js";
import { openLock, unlock } from "./lock_dialog.js";
import { shownAll } from "./looks.js";
import { MODES } from "./class_sums.js";
import { NodeGrid } from "./node_grid.js";
import { runoutsPanel } from "./runouts.js";

export async function studyView(view, place, go) {
  const id = place.rest || null;
  if (!id) return latest(view, go);
  const study = new Study(view, id, place.query, go);
  await study.open();
  return () => study.close();
}

async function latest(view, go) {
  const { solutions } = await get("/solutions", { limit: 1 });
  if (solutions.length) { go(`/study/${solutions[0].id}`, true); return undefined; }
  replace(view, h("h1", {}, "Study"), h("section", { class: "panel" }, h("p", {}, "The library is empty. ", h("a", { href: "/solve" }, "Solve a spot"), " first; a river takes moments.")));
  return undefined;
}

const cellOfClass = (name) => { for (let cell = 0; cell < 169; cell += 1) if (className(cell) === name) return cell; return null; };

class Study {
  constructor(view, id, query, go) {
    Object.assign(this, { view, id, go });
    this.line = query.line ?? "";
    this.player = query.player ?? null;
    this.mode = query.mode in MODES ? query.mode : "strategy";
    this.pinned = query.hand ? cellOfClass(query.hand) : null;
    this.metric = query.by ?? "f0";
    this.only = null;
    this.marked = null;
    this.kinds = query.kinds === "1";
    this.ahead = [];
    this.table = new HandsTable();
    this.grid = new NodeGrid({ label: "Hands by class", hover: (cell) => this.preview(cell), pin: (cell) => this.pin(cell) });
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  async open() {
    this.solution = await get(`/solutions/${this.id}`);
    this.path = h("div", {});
    this.facts = h("div", { class: "facts" });
    this.main = h("div", {});
    this.lockJobs = h("div", {});
    replace(this.view, this.heading(), this.path, this.facts, this.lockJobs, this.main);
    await this.load();
  }

  heading() {
    const { id, solution } = this;
    return h("div", { class: "row spread" }, h("h1", {}, solution.name), h("div", { class: "row" },
      solution.part_of ? h("a", { href: `/exploit/${solution.part_of}` }, "Back to gain and risk") : null,
      solution.locks && !solution.part_of ? h("button", { type: "button", id: "exploit-locks", title: "Responses to somebody who keeps to the locks, with what they gain and risk", onclick: () => openDial(id, this.go) }, "Exploit the locks") : null,
      h("button", { type: "button", class: "quiet", onclick: () => { navigator.clipboard?.writeText(location.href); say("The link of this view is in the clipboard."); } }, "Copy link"),
      h("a", { href: `/solve?from=${id}` }, "Edit spot"), h("a", { href: `/train/${id}` }, "Train"), h("a", { href: `/compare?first=${id}` }, "Compare"),
      h("button", { type: "button", class: "quiet", "aria-label": "Keys", onclick: keysDialog }, "Keys ?")));
  }

  close() { document.removeEventListener("keydown", this.keys); this.stopJobs?.(); }

  address() {
    const asked = { line: this.line, player: this.player, mode: this.mode === "strategy" ? null : this.mode, hand: this.pinned === null ? null : className(this.pinned), by: this.metric === "f0" ? null : this.metric, kinds: this.kinds ? "1" : null };
    const kept = Object.entries(asked).filter(([, value]) => value);
    return `/study/${this.id}${kept.length ? `?${kept.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%3A", ":")}`).join("&")}` : ""}`;
  }

  async to(line, { keepAhead = false } = {}) {
    if (!keepAhead && !this.ahead.some((known) => known === line || known.startsWith(`${line}:`))) this.ahead = [line];
    this.line = line;
    this.player = null;
    this.only = null;
    history.pushState(null, "", this.address());
    await this.load();
  }

  changed() { history.replaceState(null, "", this.address()); }

  async load() {
    const asked = this.line;
    try {
      const node = await get(`/solutions/${this.id}/node`, { line: asked, player: this.player });
      if (asked !== this.line) return;
      this.node = node;
    } catch (error) {
      replace(this.main, h("p", { class: "problem", role: "alert" }, error.message), h("button", { type: "button", onclick: () => this.to("") }, "Back to the beginning"));
      return;
    }
    this.marked = this.mostly();
    this.draw();
  }

  mostly() {
    const { frequencies } = this.node;
    return frequencies.length ? frequencies.indexOf(Math.max(...frequencies.map((share) => share ?? 0))) : null;
  }

  draw() {
    const { node, solution } = this;
    document.title = `${solution.name} ${node.line} – equilibrist`;
    this.drawLine();
    replace(this.facts, h("div", { class: "chips" }, cards(node.board), h("span", {}, "Pot ", h("b", { id: "pot" }, chips(node.pot))),
      h("span", {}, "Behind ", h("b", {}, `${chips(node.stacks.oop)} / ${chips(node.stacks.ip)}`)),
      h("span", {}, "EV ", h("b", {}, `OOP ${number(node.ev.oop)}, IP ${number(node.ev.ip)}`)), h("span", {}, "Equity ", h("b", {}, `${percent(node.equity.oop)} / ${percent(node.equity.ip)}`)),
      h("span", { title: "What a perfect opponent could win more" }, "Exploitability ", h("b", { class: solution.converged ? "good" : "warn" }, `${number(solution.percent_of_pot, 3)} % of the pot`), solution.converged ? "" : " (not at its goal)")));
    if (node.resolve) this.facts.append(h("p", { class: "hint" }, `This street was not saved and was solved again, to ${number(node.resolve.exploitability.percent_of_pot, 2)} % of the pot here.`));
    if (node.kind === "deal") { this.drawDeal(); return; }
    this.drawNode();
  }

  drawLine() {
    replace(this.path, lineCards(this.node.path, (line) => this.to(line), this.marked));
    scrollToHere(this.path);
  }

  async drawDeal() {
    const asked = this.line;
    const panel = await runoutsPanel(this.id, this.line, { metric: this.metric, choose: (name) => this.to(join(asked, name)), changed: (metric) => { this.metric = metric; this.changed(); this.drawDeal(); } });
    if (asked === this.line) replace(this.main, panel);
  }

  drawNode() {
    const { node } = this;
    const acts = node.strategy.length > 0;
    const players = h("div", { class: "row", role: "group", "aria-label": "Whose hands" }, ["oop", "ip"].map((player) => h("button", {
      type: "button", "aria-pressed": node.hands_of === player, onclick: () => { this.player = player === node.player ? null : player; this.changed(); this.load(); },
    }, `${playerName(player)}${player === node.player ? " (acts)" : ""}`)));
    const modes = h("label", { class: "row" }, "Show ", select(Object.entries(MODES).filter(([key]) => acts || key !== "strategy"), acts || this.mode !== "strategy" ? this.mode : "range", (mode) => { this.mode = mode; this.changed(); this.drawGrid(); }, { id: "mode" }));
    this.side = h("section", { class: "panel", "aria-label": "Hands" });
    const colours = shownAll(node.colours);
    const legend = acts ? h("div", { class: "legend", role: "group", "aria-label": "Actions" }, node.labels.map((label, a) => h("button", {
      type: "button", "aria-pressed": this.only === a, title: "Show this action alone", onclick: () => { this.only = this.only === a ? null : a; this.drawNode(); },
    }, h("span", { class: "swatch", style: { background: colours[a] } }), `${node.actions[a]} ${percent(node.frequencies[a])}`))) : null;
    replace(this.main, h("div", { class: "study" },
      h("section", { class: "panel", "aria-label": "Grid" }, h("div", { class: "row spread" }, players, modes), h("p", { class: "hint" }, "Height: how much of a class is here. Width: what it does."), this.grid.element, legend,
        node.kind === "decision" ? h("div", { class: "row" }, h("button", { type: "button", id: "lock-button", onclick: () => this.lock() }, "Lock this decision…"),
          node.locked ? h("button", { type: "button", onclick: () => unlock(this.solution, node.line, (job) => this.started(job)) }, "Unlock and solve") : null, node.locked ? h("span", { class: "warn" }, "Locked here") : null) : null),
      this.side));
    this.drawGrid();
  }

  drawGrid() {
    this.grid.draw(this.node, { mode: this.mode, only: this.only, pinned: this.pinned });
    this.preview(this.pinned);
  }

  preview(cell) {
    const { node } = this;
    const chosen = cell !== null && this.grid.sums[cell].hands.length ? cell : this.pinned;
    if (chosen === null) { this.drawSummary(); return; }
    const hands = this.grid.sums[chosen].hands;
    const name = className(chosen);
    this.table.draw(node, hands, `${name}: ${hands.length} hands${chosen === this.pinned ? ", pinned (Escape lets go)" : ""}`);
    if (!this.side.contains(this.table.element) || this.side.dataset.what !== "class") { this.side.dataset.what = "class"; replace(this.side, h("h2", {}, "Hands"), this.table.element); }
  }

  pin(cell) {
    this.pinned = this.pinned === cell ? null : cell;
    this.changed();
    this.grid.grid.mark(this.pinned);
    this.preview(cell);
  }

  drawSummary() {
    if (this.side.dataset.what === "summary" && this.side.dataset.line === `${this.node.line}/${this.node.hands_of}/${this.kinds}`) return;
    this.side.dataset.what = "summary";
    this.side.dataset.line = `${this.node.line}/${this.node.hands_of}/${this.kinds}`;
    const { node } = this;
    const values = h("table", {}, h("thead", {}, h("tr", {}, ["", "EV", "Equity", "EQR"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ["oop", "ip"].map((player) => h("tr", {}, h("th", { scope: "row" }, playerName(player)), h("td", {}, number(node.ev[player])), h("td", {}, percent(node.equity[player])), h("td", {}, percent(node.eqr[player], 0))))));
    const holder = h("div", {});
    const tabs = h("div", { class: "tabs" }, [[false, "All hands"], [true, "Kinds of hands"]].map(([kinds, name]) => h("button", { type: "button", "aria-pressed": this.kinds === kinds, onclick: () => { this.kinds = kinds; this.changed(); this.drawSummary(); } }, name)));
    replace(this.side, h("h2", {}, `${playerName(node.hands_of)}'s range`), values, h("p", { class: "hint" }, "EQR: how much of its equity a range turns into chips. Point at a class for its hands; click to pin it."), tabs, holder);
    if (this.kinds) this.drawKinds(holder);
    else { this.table.draw(node, node.hands.map((_, i) => i).filter((i) => node.weight[i] > 1e-4), "All hands"); replace(holder, this.table.element); }
  }

  async drawKinds(holder) {
    const { node } = this;
    try {
      const found = await get(`/solutions/${this.id}/categories`, { line: node.line, player: node.hands_of });
      const colours = shownAll(node.colours);
      replace(holder, h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Kind", "Share", "Equity", "EV", node.strategy.length ? "Mix" : null, ...(node.strategy.length ? node.actions : [])].filter(Boolean).map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, found.rows.map((row) => h("tr", {}, h("td", {}, row.name), h("td", {}, percent(row.share)), h("td", {}, percent(row.equity)), h("td", {}, number(row.ev)),
          row.frequencies.length ? h("td", {}, mixBar(row.frequencies, colours, node.actions)) : null, row.frequencies.map((share) => h("td", {}, percent(share, 0)))))))),
      h("p", { class: "hint" }, "Draws are counted again in their own rows."));
    } catch (error) { replace(holder, h("p", { class: "problem" }, error.message)); }
  }

  lock() {
    openLock(this.solution, this.node, { hands: this.pinned === null ? null : className(this.pinned), started: (job) => this.started(job) });
  }

  started(job) {
    this.stopJobs?.();
    const line = this.line;
    const ready = h("div", {});
    const jobs = jobsPanel({
      only: (each) => each.id === job.id,
      started: job,
      finished: () => replace(ready, h("p", {}, "Solved around it: ", h("a", { href: `/study/${job.id}?line=${line}`, id: "open-locked" }, "open the new solution"), ", ", h("a", { href: `/compare?first=${this.id}&second=${job.id}&line=${line}` }, "compare the two"), " or ", h("button", { type: "button", class: "quiet", onclick: () => openDial(job.id, this.go) }, "exploit the lock"), ".")),
    });
    this.stopJobs = jobs.stop;
    replace(this.lockJobs, h("section", { class: "panel", "aria-label": "Solving around the lock" }, jobs.element, ready));
  }

  key(event) {
    if (event.target.closest?.("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey || !this.node) return;
    const { node } = this;
    const width = node.labels.length;
    if (event.key === "ArrowLeft") { if (this.line) this.to(this.line.includes(":") ? this.line.slice(0, this.line.lastIndexOf(":")) : "", { keepAhead: true }); }
    else if (event.key === "ArrowRight") this.forward();
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && width) { this.marked = (this.marked + (event.key === "ArrowDown" ? 1 : width - 1)) % width; this.drawLine(); }
    else if (/^[1-9]$/.test(event.key) && Number(event.key) <= width) this.to(join(this.line, node.labels[Number(event.key) - 1]));
    else if (event.key === "Escape") { this.pinned = null; this.only = null; this.changed(); if (node.kind !== "deal") this.drawNode(); }
    else if (event.key === "p" && node.kind !== "deal") { const other = node.hands_of === "oop" ? "ip" : "oop"; this.player = other === node.player ? null : other; this.changed(); this.load(); }
    else if (event.key === "?") keysDialog();
    else return;
    event.preventDefault();
  }

  // along the line walked before, or the marked action; where a card comes, the first that is left
  forward() {
    const { node } = this;
    const known = this.ahead.find((line) => line.startsWith(this.line ? `${this.line}:` : "") && line !== this.line);
    if (node.kind === "decision" && this.marked !== null) {
      const before = known?.slice(this.line ? this.line.length + 1 : 0).split(":")[0];
      this.to(join(this.line, this.marked === this.mostly() && before ? before : node.labels[this.marked]), { keepAhead: true });
    } else if (node.kind === "deal") {
      const before = known?.slice(this.line.length + 1).split(":")[0];
      const free = [...RANKS].flatMap((rank) => [...("cdhs")].map((suit) => rank + suit)).find((name) => !node.board.includes(name));
      this.to(join(this.line, before ?? free), { keepAhead: true });
    }
  }
}

function keysDialog() {
  const rows = [["←", "one move back"], ["→", "on: the line walked before, or the marked action"], ["↑ ↓", "mark another action"], ["1 … 9", "take that action"], ["p", "the other player's hands"], ["Escape", "let go of the pinned class"], ["Tab, then arrows", "walk over the grid"]];
  const dialog = h("dialog", { "aria-label": "Keys" }, h("h2", {}, "Keys"), h("table", {}, h("tbody", {}, rows.map(([key, meaning]) => h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", { class: "left" }, meaning))))), h("button", { type: "button", onclick: () => dialog.close() }, "Close"));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
