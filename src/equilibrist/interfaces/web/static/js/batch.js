// Batch: one spot on many boards; what is solved so far, side by side, and the weighted means.

import { get, post, watchJobs } from "./api.js";
import { cards, debounce, h, labelled, mixBar, number, percent, replace, say, splitCards } from "./dom.js";
import { shownAll } from "./looks.js";
import { csvLink } from "./runouts.js";

export async function batchView(view, place, go) {
  if (!place.rest) return listView(view);
  const page = new BatchPage(view, place.rest, place.query, go);
  await page.load();
  page.stop = watchJobs(debounce(300, () => page.load()));
  return () => page.stop();
}

async function listView(view) {
  const batches = await get("/batches");
  replace(view, h("h1", {}, "Batches"), h("section", { class: "panel" }, batches.length
    ? h("ul", {}, batches.map((batch) => h("li", {}, h("a", { href: `/batch/${batch.id}` }, batch.name), ` ${batch.solved} of ${batch.boards} boards solved`)))
    : h("p", { class: "hint" }, "No batch yet: under Solve, open “Many boards at once”.")));
}

class BatchPage {
  constructor(view, id, query, go) {
    Object.assign(this, { view, id, go, line: query.line ?? "", sort: query.sort ?? "order", down: query.down === "1" });
    this.field = h("input", { value: this.line, placeholder: "x:b120", spellcheck: false });
    this.head = h("div", { class: "row spread" });
    this.table = h("section", { class: "panel", "aria-label": "Boards" });
    replace(view, this.head, h("form", { class: "panel row", onsubmit: (event) => { event.preventDefault(); this.line = this.field.value.trim(); this.moved(); } },
      labelled("Line", this.field), h("button", { class: "main" }, "Show"), h("span", { class: "hint" }, "The empty line is the first decision.")), this.table);
  }

  async moved() {
    const asked = Object.entries({ line: this.line, sort: this.sort === "order" ? "" : this.sort, down: this.down ? "1" : "" }).filter(([, value]) => value);
    history.replaceState(null, "", `/batch/${this.id}${asked.length ? `?${new URLSearchParams(asked)}` : ""}`);
    await this.load();
  }

  async load() {
    try { this.batch = await get(`/batches/${this.id}`, { line: this.line }); } catch (error) { replace(this.table, h("p", { class: "problem", role: "alert" }, error.message)); return; }
    this.draw();
  }

  draw() {
    const { batch } = this;
    const stop = async () => { try { await post(`/batches/${this.id}/cancel`); await this.load(); } catch (error) { say(error.message); } };
    replace(this.head, h("h1", {}, batch.name), h("div", { class: "row" }, h("span", { id: "batch-solved" }, `${batch.solved} of ${batch.boards} boards solved`),
      batch.active ? [h("progress", { max: batch.boards, value: batch.boards - batch.active, "aria-label": "Boards solved" }), h("button", { type: "button", onclick: stop }, "Stop all")] : null));
    replace(this.table, this.means(), h("div", { class: "scroll" }, h("table", { id: "batch-rows" }, this.heads(), h("tbody", {}, this.ordered().map((row) => this.row(row))))), csvLink(this.file(), "batch.csv"));
  }

  means() {
    const { batch } = this;
    if (batch.ev.oop === undefined) return h("p", { class: "hint" }, "Means are shown once a board is solved.");
    const mix = batch.labels.length ? [h("span", {}, batch.actions.map((name, a) => `${name} ${percent(batch.frequencies[a])}`).join(", ")), mixBar(batch.frequencies, shownAll(batch.colours), batch.actions)] : h("span", { class: "hint" }, "Boards offer different actions here.");
    return h("div", { class: "chips", id: "batch-means" }, h("b", {}, "Weighted mean"), mix, h("span", {}, "EV ", h("b", {}, `OOP ${number(batch.ev.oop)}, IP ${number(batch.ev.ip)}`)), h("span", {}, "Equity OOP ", h("b", {}, percent(batch.equity.oop))));
  }

  heads() {
    const head = (name, text) => h("th", { scope: "col", class: "left", "aria-sort": this.sort === name ? (this.down ? "descending" : "ascending") : undefined },
      h("button", { type: "button", onclick: () => { this.down = this.sort === name ? !this.down : true; this.sort = name; this.moved(); } }, text));
    const plain = (text) => h("th", { scope: "col", class: "left" }, text);
    return h("thead", {}, h("tr", {}, head("order", "Board"), head("weight", "Weight"), plain("Status"), head("gap", "Exploitability"), head("passive", "What is done"), plain("Mix"), head("ev", "EV OOP"), head("equity", "Equity OOP")));
  }

  ordered() {
    const ways = { weight: (row) => row.weight, gap: (row) => row.percent_of_pot ?? 1e9, passive: (row) => row.report?.frequencies[0] ?? -1, ev: (row) => row.report?.ev.oop ?? -1e9, equity: (row) => row.report?.equity.oop ?? -1 };
    const way = ways[this.sort];
    const sorted = way ? [...this.batch.rows].sort((a, b) => way(a) - way(b)) : [...this.batch.rows];
    return this.down ? sorted.reverse() : sorted;
  }

  row(row) {
    const { report } = row;
    const first = [h("td", {}, report ? h("a", { href: `/study/${row.id}${this.line ? `?line=${this.line}` : ""}` }, cards(row.board)) : cards(row.board)), h("td", {}, number(row.weight, 1)), h("td", { class: "left" }, row.status), h("td", {}, row.percent_of_pot === null ? "–" : `${number(row.percent_of_pot, 3)} %`)];
    if (!report || report.problem) return h("tr", { "data-status": row.status }, first, h("td", { class: "left hint", colSpan: 4 }, report?.problem ?? ""));
    return h("tr", { "data-status": row.status }, first, h("td", { class: "left" }, report.actions.map((name, a) => `${name} ${percent(report.frequencies[a], 0)}`).join(", ")),
      h("td", {}, mixBar(report.frequencies, shownAll(report.colours), report.actions)), h("td", {}, number(report.ev.oop)), h("td", {}, percent(report.equity.oop)));
  }

  file() {
    return [["board", "weight", "status", "actions", "frequencies", "ev oop", "ev ip", "equity oop"], ...this.batch.rows.map((row) => [row.board, row.weight, row.status, row.report?.labels.join(" "), row.report?.frequencies.join(" "), row.report?.ev.oop, row.report?.ev.ip, row.report?.equity.oop])];
  }
}

// the part of the Solve page that asks for a batch: `spot` and `until` give what the form says, `setBoard` makes it another street
export function batchPanel({ spot, until, setBoard, go }) {
  const text = h("textarea", { rows: 4, spellcheck: false, id: "batch-boards", placeholder: "Td9d6h\nAhKd2c:24", "aria-label": "Boards, one per line" });
  const count = h("input", { type: "number", min: 1, max: 200, value: 25, style: { width: "5rem" } });
  const name = h("input", { maxLength: 120, placeholder: "optional" });
  const sample = async () => {
    try {
      const flops = await get("/flops", { count: count.value });
      text.value = flops.map((each) => `${each.board}:${Number(each.weight.toFixed(2))}`).join("\n");
      if (splitCards(spot().board).length !== 3) { setBoard(flops[0].board); say("The form is a flop now: look at the sizes of flop and turn."); }
    } catch (error) { say(error.message); }
  };
  const send = async () => {
    try { const batch = await post("/batches", { spot: spot(), boards: sameStreet(readBoards(text.value), spot().board), until: until(), name: name.value }); go(`/batch/${batch.id}`); } catch (error) { say(error.message); }
  };
  return h("section", { class: "panel" }, h("details", {}, h("summary", {}, "Many boards at once"),
    h("p", { class: "hint" }, "Boards, one per line, each with as many cards as the board above; after a colon, how much it counts in the means. Ranges, chips and sizes are those of the form."), text,
    h("div", { class: "row" }, labelled("Flops", count, "Spread over ranks; weights say how many of all 22,100 each stands for"), h("button", { type: "button", onclick: sample }, "Choose flops for me"), labelled("Name of the batch", name), h("button", { type: "button", class: "main", id: "solve-batch", onclick: send }, "Solve all"), h("a", { href: "/batch" }, "Earlier batches"))));
}

// sizes go by street, so that boards of another street would be solved without any
export function sameStreet(boards, own) {
  const [wanted, odd] = [splitCards(own).length, boards.find(({ board }) => splitCards(board).length !== splitCards(own).length)];
  if (odd) throw new Error(`The form has a board of ${wanted} cards, and its bet sizes are for the streets from there on, but ${odd.board} has ${splitCards(odd.board).length}. Choose ${splitCards(odd.board).length} cards above first.`);
  return boards;
}

function readBoards(text) {
  return text.split(/[\s,;]+/).filter(Boolean).map((word) => {
    const [board, weight] = word.split(":");
    return { board, weight: weight === undefined ? 1 : Number(weight) };
  });
}
