// Strategy: walk a solved game of any kind. The address carries file, line and the class that is pinned.

import { get, post } from "./api.js";
import { card, cards, chips, h, labelled, mixBar, number, percent, replace, say, select, splitCards } from "./dom.js";
import { cellOfName, className, PAIRS_OF } from "./hands.js";
import { shownAll } from "./looks.js";
import { NodeGrid } from "./node_grid.js";

const KINDS = { solution: "all infosets", boards: "board by board", "spot-solution": "spot", "table-solution": "table before the flop", buckets: "buckets of hands", "poker-blueprint": "blueprint" };
const PAGE = 200;

export async function strategyView(view, place, go) {
  if (!place.rest) { go("/library", true); return undefined; }
  const walk = new StrategyWalk(view, decodeURIComponent(place.rest), place.query, go);
  await walk.open();
  return () => walk.close();
}

// rows of the library: solved games that are no spots of it
export function strategiesTable(files) {
  return h("table", { id: "strategies" }, h("thead", {}, h("tr", {}, ["File", "Game", "Kept as", "Solver", "Infosets", "Value", "Exploitability"].map((name, i) => h("th", { scope: "col", class: i < 4 ? "left" : "" }, name)))),
    h("tbody", {}, files.map((file) => h("tr", {}, h("td", {}, h("a", { href: addressOf(file.name) }, file.name)), h("td", { class: "left" }, file.title), h("td", { class: "left" }, KINDS[file.kind] ?? file.kind), h("td", { class: "left" }, file.solver),
      h("td", {}, file.infosets.toLocaleString("en")), h("td", {}, valueText(file)), h("td", { class: file.converged ? "good" : "warn" }, gapText(file))))));
}

const addressOf = (name) => `/strategy/${encodeURIComponent(name)}`;
const valueText = (file) => (file.value.length ? file.value.map((each) => number(each, 4)).join(" / ") : "not measured");
const gapText = (file) => (file.exploitability === null ? "not measured" : `${file.exploitability.toPrecision(3)} ${file.unit}`);

// EVs at tables are big blinds or prize money, and small
const worth = (value) => number(value, 3);

class StrategyWalk {
  constructor(view, name, query, go) {
    Object.assign(this, { view, name, go, line: query.line ?? "", seat: query.chart ?? "", mode: "strategy", offset: 0, pinned: null, dealt: [] });
    this.grid = new NodeGrid({ label: "Hands by class", hover: (cell) => this.preview(cell), pin: (cell) => { this.pinned = this.pinned === cell ? null : cell; this.grid.grid.mark(this.pinned); this.preview(cell); } });
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  close() { document.removeEventListener("keydown", this.keys); }

  playerText(player) { return this.file.seats[player]?.name ?? `Player ${player + 1}`; }

  async open() {
    this.file = await get(`/strategies/${encodeURIComponent(this.name)}`);
    [this.path, this.facts, this.main] = [h("div", {}), h("div", { class: "facts" }), h("div", {})];
    const play = h("button", { type: "button", class: "main", id: "play-strategy", onclick: async () => {
      play.disabled = true;
      try { this.go(`/play/${(await post("/tables", { agent: this.name, game: "" })).id}`); } catch (error) { say(error.message); play.disabled = false; }
    } }, "Play against it");
    replace(this.view, h("div", { class: "row spread" }, h("h1", {}, this.file.title), h("div", { class: "row" },
      h("button", { type: "button", class: "quiet", onclick: () => { navigator.clipboard?.writeText(location.href); say("The link of this view is in the clipboard."); } }, "Copy link"), h("a", { href: "/library" }, "Library"), this.file.seats.length ? h("a", { href: `/train/${encodeURIComponent(this.name)}` }, "Train") : null, play)), this.seats(), this.path, this.facts, this.main);
    await (this.seat ? this.chart(this.seat) : this.load());
  }

  // a table before the flop: what every seat has, how much a best response would gain, and its charts
  seats() {
    const { file } = this;
    if (!file.seats.length) return null;
    return h("section", { class: "panel", "aria-label": "Seats" }, h("div", { class: "scroll" }, h("table", { id: "seats" }, h("thead", {}, h("tr", {}, ["Seat", "Stack", `EV (${file.unit})`, `Gain of a best response (${file.unit})`, "Charts"].map((name, i) => h("th", { scope: "col", class: i ? "" : "left" }, name)))),
      h("tbody", {}, file.seats.map((seat) => h("tr", { "data-seat": seat.name }, h("td", {}, seat.name), h("td", {}, chips(seat.stack)), h("td", {}, number(seat.ev, 4)), h("td", {}, seat.gain.toPrecision(3)), h("td", {}, h("button", { type: "button", class: "quiet", onclick: () => this.chart(seat.name, true) }, `Chart of ${seat.name}`))))))),
    h("details", {}, h("summary", {}, "What the model leaves out"), file.model.map((sentence) => h("p", { class: "hint" }, sentence))));
  }

  // the most frequent decisions of one seat, as `equilibrist chart` prints them
  async chart(seat, walked = false) {
    let found;
    try { found = await get(`/strategies/${encodeURIComponent(this.name)}/chart`, { seat }); } catch (error) { replace(this.main, h("p", { class: "problem", role: "alert" }, error.message)); return; }
    this.seat = found.seat;
    if (walked) history.pushState(null, "", `${addressOf(this.name)}?chart=${encodeURIComponent(this.seat)}`);
    document.title = `${this.file.title} ${this.seat} – equilibrist`;
    replace(this.path);
    replace(this.facts);
    replace(this.main, h("section", { class: "panel", id: "chart", "aria-label": `Chart of ${this.seat}` }, h("div", { class: "row spread" }, h("h2", {}, `${this.seat}: its most frequent decisions`), h("button", { type: "button", class: "quiet", onclick: () => this.to("") }, "Back to the beginning")),
      h("div", { class: "charts" }, found.places.map((place) => this.panel(place)))));
  }

  panel(place) {
    const grid = new NodeGrid({ label: `${this.seat} ${place.line ? `after ${place.line}` : "first to act"}` });
    grid.draw(nodeOf(place));
    return h("figure", { "data-line": place.line }, h("figcaption", {}, h("button", { type: "button", class: "quiet", onclick: () => this.to(place.line) }, place.line ? `after ${place.line}` : "first to act"), this.legend(place)), grid.element);
  }

  address() { return addressOf(this.name) + (this.line ? `?line=${encodeURIComponent(this.line).replaceAll("%3A", ":")}` : ""); }

  async to(line) {
    Object.assign(this, { line, seat: "", offset: 0, pinned: null, dealt: [] });
    history.pushState(null, "", this.address());
    await this.load();
  }

  async load() {
    const asked = this.line;
    try {
      const place = await get(`/strategies/${encodeURIComponent(this.name)}/place`, { line: asked, offset: this.offset, limit: this.place?.grid ? 2000 : PAGE });
      if (asked !== this.line) return;
      if (place.grid && place.count > place.rows.length) { this.place = place; await this.load(); return; }  // a grid shows all of its hands
      this.place = place;
      this.line = place.line;
    } catch (error) {
      replace(this.main, h("p", { class: "problem", role: "alert" }, error.message), h("button", { type: "button", onclick: () => this.to("") }, "Back to the beginning"));
      return;
    }
    this.draw();
  }

  draw() {
    const { place, file } = this;
    document.title = `${file.title} ${place.line} – equilibrist`;
    this.drawLine();
    replace(this.facts, h("div", { class: "chips" }, place.board ? cards(place.board) : null, file.seats.length ? this.here() : h("span", {}, "Value ", h("b", { id: "value" }, valueText(file))),
      h("span", { title: file.measured ?? "What a perfect opponent could win more" }, file.seats.length ? "Largest gain " : "Exploitability ", h("b", { id: "gap", class: file.converged ? "good" : "warn" }, gapText(file)), file.exploitability !== null && !file.converged ? " (no goal was reached)" : ""),
      h("span", {}, "Solver ", h("b", {}, file.solver), `, ${file.iterations.toLocaleString("en")} iterations`), h("span", {}, "Infosets ", h("b", {}, file.infosets.toLocaleString("en"))), h("span", {}, KINDS[file.kind] ?? file.kind)));
    if (place.kind === "deal") this.drawDeal();
    else if (place.kind === "over") replace(this.main, h("section", { class: "panel" }, h("p", { id: "over" }, this.file.seats.length ? `The betting is over here: ${place.note}` : "The hand is over here.")));
    else if (place.grid) this.drawGrid();
    else replace(this.main, h("section", { class: "panel", "aria-label": "Infosets" }, h("h2", {}, this.title()), this.legend(), this.table(place.rows), this.pages()));
  }

  // pot, stacks and what every seat expects at this place
  here() {
    const { place, file } = this;
    return [h("span", {}, "Pot ", h("b", { id: "pot" }, chips(place.pot))), h("span", {}, "Behind ", h("b", {}, place.stacks.map((stack, seat) => `${file.seats[seat].name} ${chips(stack)}`).join(" / "))),
      place.values.length ? h("span", {}, `EV here (${file.unit}) `, h("b", { id: "values" }, place.values.map((value, seat) => `${file.seats[seat].name} ${worth(value)}`).join(" / "))) : null];
  }

  title() { const { place } = this; return `${this.playerText(place.player)} decides${place.line ? ` after ${place.line}` : " first"}`; }

  // one card per decision, as in Study; where an action leads to several places, cards came in between
  drawLine() {
    const last = this.place.path.length - 1;
    const steps = this.place.path.map((step, n) => h("div", { class: n === last ? "step here" : "step", role: "listitem", "aria-current": n === last ? "step" : undefined },
      h("header", {}, h("b", {}, step.kind === "deal" ? "Cards" : step.kind === "over" ? "End" : this.playerText(step.player)), n === last ? null : h("button", { type: "button", class: "quiet", onclick: () => this.to(step.line) }, "go back")),
      step.kind === "deal" ? (step.chosen ? h("span", {}, splitCards(step.chosen).length ? splitCards(step.chosen).map(card) : step.chosen) : h("span", { class: "hint" }, "choose below")) : null,
      step.labels.map((label, a) => h("button", {
        type: "button", class: step.chosen === label ? "taken" : "", "data-action": label, disabled: !step.following[label].length, title: step.following[label].length ? undefined : "Nothing is decided after it",
        "aria-label": `${this.playerText(step.player)} ${step.actions[a]}, ${percent(step.frequencies[a])}`, onclick: () => this.to(step.following[label][0]),
      }, h("span", { class: "swatch", style: { background: shownAll(step.colours)[a] } }), step.actions[a], h("span", {}, percent(step.frequencies[a]))))));
    const before = this.place.path[last - 1];
    const siblings = before?.following[before.chosen] ?? [];
    replace(this.path, h("div", { class: "line", role: "list", "aria-label": "Decisions so far" }, steps),
      siblings.length > 1 ? h("label", { class: "row" }, "What came then ", siblingSelect(siblings, this.place.line, (line) => this.to(line))) : null,
      this.place.weighted ? null : h("p", { class: "hint" }, "Frequencies are means over infosets, all counted alike: the game is too large to be laid out here, or not known to this server."));
    this.path.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  legend(place = this.place) {
    const colours = shownAll(place.colours);
    return h("div", { class: "legend", "aria-label": "Actions" }, place.actions.map((name, a) => h("span", {}, h("span", { class: "swatch", style: { background: colours[a] } }), `${name} ${percent(place.frequencies[a])}`)));
  }

  table(rows) {
    const { place } = this;
    const [weights, values] = [rows.some((row) => row.weight !== null), rows.some((row) => row.value !== null)];
    const players = new Set(rows.map((row) => row.player)).size > 1;
    const colours = shownAll(place.colours);
    const names = ["Infoset", players ? "Player" : null, weights ? "Likely" : null, values ? "Value" : null, "Mix"].filter(Boolean);
    const odd = rows.some((row) => row.labels);
    const line = (row) => {
      const labels = row.labels ?? place.labels;
      const value = (a) => (row.action_values?.[a] ?? null) === null ? null : [h("br"), h("small", { class: "hint" }, number(row.action_values[a], 3))];
      return h("tr", { "data-infoset": row.key }, h("td", {}, splitCards(row.hand).join("") === row.hand && row.hand ? cards(row.hand) : row.hand || "–"), players ? h("td", {}, row.player + 1) : null,
        weights ? h("td", {}, row.weight === null ? "–" : percent(row.weight, 2)) : null, values ? h("td", {}, number(row.value, 3)) : null,
        h("td", { class: "mix" }, mixBar(row.strategy, row.labels ? labels.map((label) => colours[place.labels.indexOf(label)] ?? "var(--faint)") : colours, row.labels ?? place.actions)),
        odd ? h("td", { class: "left" }, row.strategy.map((share, a) => `${labels[a]} ${percent(share)}`).join(", ")) : row.strategy.map((share, a) => h("td", {}, percent(share), value(a))));
    };
    return h("div", { class: "scroll hands" }, h("table", { id: "infosets" }, h("thead", {}, h("tr", {}, names.map((name, i) => h("th", { scope: "col", class: i ? "" : "left" }, name)),
      odd ? h("th", { scope: "col", class: "left" }, "Actions") : place.actions.map((name, a) => h("th", { scope: "col" }, h("span", { class: "swatch", style: { background: colours[a] } }), name)))), h("tbody", {}, rows.map(line))));
  }

  pages() {
    const { place } = this;
    if (place.count <= PAGE) return null;
    const turn = (by) => { this.offset = Math.max(0, this.offset + by); this.load(); };
    return h("div", { class: "row" }, h("button", { type: "button", disabled: !place.offset, onclick: () => turn(-PAGE) }, "Earlier"), h("span", { class: "hint" }, `${place.offset + 1} to ${place.offset + place.rows.length} of ${place.count.toLocaleString("en")} infosets`),
      h("button", { type: "button", disabled: place.offset + place.rows.length >= place.count, onclick: () => turn(PAGE) }, "Later"));
  }

  drawGrid() {
    const { place } = this;
    this.side = h("section", { class: "panel", "aria-label": "Hands" });
    replace(this.main, h("div", { class: "study" }, h("section", { class: "panel", "aria-label": "Grid" }, h("h2", {}, this.title()), h("p", { class: "hint" }, "Height: how much of a class is here. Width: what it does."), place.note ? h("p", { class: "problem" }, place.note) : null, this.file.seats.length ? labelled("Show", select([["strategy", "Strategy"], ["range", "Range"], ["ev", `EV (${this.file.unit})`]], this.mode, (value) => { this.mode = value; this.drawGrid(); }, { id: "mode" })) : null, this.grid.element, this.legend()), this.side));
    this.grid.draw(nodeOf(place), { mode: this.mode, pinned: this.pinned });
    this.preview(this.pinned);
  }

  preview(cell) {
    const { place } = this;
    const chosen = cell !== null && this.grid.sums[cell]?.hands.length ? cell : this.pinned;
    if (chosen === null) { replace(this.side, h("h2", {}, "Hands"), h("p", { class: "hint" }, "Point at a class for its hands; click to pin it.")); return; }
    replace(this.side, h("h2", {}, className(chosen)), this.table(this.grid.sums[chosen].hands.map((i) => place.rows[i])));
  }

  drawDeal() {
    const { place } = this;
    const take = (name) => {
      this.dealt = this.dealt.includes(name) ? this.dealt.filter((each) => each !== name) : [...this.dealt, name];
      if (this.dealt.length === place.coming) this.to(place.line ? `${place.line}:${this.dealt.join("")}` : this.dealt.join("")); else this.drawDeal();
    };
    const suited = place.cards.every((name) => splitCards(name).join("") === name);
    replace(this.main, h("section", { class: "panel", "aria-label": "Cards to come" }, h("h2", {}, place.coming === 1 ? "Which card comes?" : `Which ${place.coming} cards come?`),
      h("div", { class: place.cards.length > 26 ? "picker" : "row", id: "coming" }, place.cards.map((name) => h("button", { type: "button", "data-card": name, "aria-pressed": this.dealt.includes(name), onclick: () => take(name) }, suited ? card(name) : name)))));
  }

  key(event) {
    if (event.target.closest?.("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey || !this.place || this.seat) return;
    const { path, labels } = this.place;
    const here = path[path.length - 1];
    if (event.key === "ArrowLeft") { if (path.length > 1) this.to(path[path.length - 2].line); }
    else if (/^[1-9]$/.test(event.key) && here.following[labels[Number(event.key) - 1]]?.length) this.to(here.following[labels[Number(event.key) - 1]][0]);
    else if (event.key === "Escape" && this.place.grid) { this.pinned = null; this.drawGrid(); }
    else return;
    event.preventDefault();
  }
}

function siblingSelect(lines, value, change) {
  const start = lines.reduce((common, line) => { let n = 0; while (n < common.length && common[n] === line[n]) n += 1; return common.slice(0, n); }, lines[0]);
  return h("select", { id: "came", onchange: (event) => change(event.target.value) }, lines.map((line) => h("option", { value: line, selected: line === value }, line.slice(start.length) || line)));
}

// a place as the grid of Study takes it; equity is not known here
function nodeOf(place) {
  const classes = place.rows.some((row) => row.hand.length < 4);  // which count for all of their hands
  const weight = (row) => (row.weight ?? 1) * (classes ? PAIRS_OF[cellOfName(row.hand)].length : 1);
  return { board: place.board, labels: place.labels, actions: place.actions, colours: place.colours, hands: place.rows.map((row) => row.hand), weight: place.rows.map(weight), strategy: place.rows.map((row) => row.strategy), hand_ev: place.rows.map((row) => row.value) };
}
