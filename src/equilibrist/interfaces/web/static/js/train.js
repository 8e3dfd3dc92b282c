// Train: decisions drawn from a solution; an answer is graded by the EV it gives away.

import { get } from "./api.js";
import { cards, chips, h, labelled, mixBar, number, percent, playerName, replace, say, select } from "./dom.js";
import { shownAll } from "./looks.js";

const WORDS = { best: "Best.", fine: "Fine.", inaccuracy: "Inaccurate.", mistake: "A mistake.", blunder: "A blunder." };

export async function trainView(view, place, go) {
  if (!place.rest) return choose(view);
  const trainer = new Trainer(view, decodeURIComponent(place.rest), place.query, go);
  await trainer.load();
  return () => trainer.close();
}

const FILES = ["table-solution", "three-way-solution"];  // spots of two are in the library
const isFile = (id) => id.includes(".");

async function choose(view) {
  const [{ solutions }, strategies] = await Promise.all([get("/solutions", { limit: 100 }), get("/strategies")]);
  const files = strategies.filter((file) => FILES.includes(file.kind));
  replace(view, h("h1", {}, "Train"), h("section", { class: "panel" }, solutions.length + files.length ? [h("p", {}, "Choose a solution; decisions come up as they do in play, and answers are graded by what they lose."),
    h("ul", {}, solutions.map((each) => h("li", {}, cards(each.board), " ", h("a", { href: `/train/${each.id}` }, each.name))), files.map((file) => h("li", {}, h("a", { href: `/train/${encodeURIComponent(file.name)}` }, file.name), ` ${file.title}`)))] : h("p", {}, "The library is empty. ", h("a", { href: "/solve" }, "Solve a spot"), " first.")));
}

class Trainer {
  constructor(view, id, query, go) {
    Object.assign(this, { view, id, go });
    this.player = query.player ?? "";
    this.line = query.line ?? "";
    this.seed = query.seed === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(query.seed);
    this.grade = null;
    this.key = `training ${id}`;
    this.score = read(this.key);
    this.keys = (event) => this.press(event);
    document.addEventListener("keydown", this.keys);
  }

  close() { document.removeEventListener("keydown", this.keys); }

  async load() {
    this.grade = null;
    try {
      this.question = await get(`/trainer/${encodeURIComponent(this.id)}/question`, this.asked());
    } catch (error) { replace(this.view, h("h1", {}, "Train"), h("p", { class: "problem" }, error.message)); return; }
    const { seed, ...filters } = this.asked();
    history.replaceState(null, "", `/train/${encodeURIComponent(this.id)}?${new URLSearchParams({ seed, ...filters }).toString().replaceAll("%3A", ":")}`);
    this.draw();
  }

  asked() { return { seed: this.seed, ...(this.player ? { player: this.player } : {}), ...(this.line ? { line: this.line } : {}) }; }

  async answer(label) {
    if (this.grade) return;
    try { this.grade = await get(`/trainer/${encodeURIComponent(this.id)}/grade`, { ...this.asked(), answer: label }); } catch (error) { say(error.message); return; }
    this.score = { asked: this.score.asked + 1, good: this.score.good + (["best", "fine"].includes(this.grade.verdict) ? 1 : 0), lost: this.score.lost + this.grade.percent_of_pot };
    write(this.key, this.score);
    this.draw();
  }

  next() { this.seed = Math.floor(Math.random() * 2 ** 30); this.load(); }

  draw() {
    const { question, grade, score } = this;
    const colours = shownAll(question.colours);
    replace(this.view, h("div", { class: "row spread" }, h("h1", {}, "Train"), h("div", { class: "chips" }, h("span", {}, "Asked ", h("b", {}, score.asked)), h("span", {}, "Best or fine ", h("b", {}, score.asked ? percent(score.good / score.asked, 0) : "–")),
      h("span", {}, "Lost on average ", h("b", { id: "lost" }, score.asked ? `${number(score.lost / score.asked, 2)} % of the pot` : "–")), h("button", { type: "button", class: "quiet", onclick: () => { this.score = { asked: 0, good: 0, lost: 0 }; write(this.key, this.score); this.draw(); } }, "Start anew"))),
    h("section", { class: "panel" }, h("div", { class: "row" }, labelled("You play", select([["", "anybody"], ...question.players.map((name) => [name, playerName(name)])], this.player, (value) => { this.player = value; this.load(); })), labelled("After the line", h("input", { value: this.line, size: 16, spellcheck: "false", onchange: (event) => { this.line = event.target.value.trim(); this.load(); } }))),
      h("div", { class: "felt" }, h("div", {}, question.history.length ? question.history.join(" · ") : "The first decision"), h("div", {}, h("div", { class: "big" }, cards(question.board)), h("div", {}, `pot ${chips(question.pot)} · behind ${question.players.map((name) => (question.players.length > 2 ? `${playerName(name)} ` : "") + chips(question.stacks[name])).join(" / ")}`)),
        h("div", {}, h("div", { class: "big", id: "held" }, question.board ? cards(question.hand) : question.hand), h("div", {}, `you are ${playerName(question.player)}`))),
      h("div", { class: "acts" }, question.labels.map((label, a) => h("button", { type: "button", "data-action": label, disabled: grade !== null, onclick: () => this.answer(label) }, h("span", { class: "swatch", style: { background: colours[a] } }), question.actions[a], h("small", {}, ` (${a + 1})`)))),
      grade ? h("div", { id: "grade" }, h("p", { class: `verdict ${["best", "fine"].includes(grade.verdict) ? "good" : "bad"}` }, WORDS[grade.verdict], ` You gave away ${number(grade.ev_loss, question.unit === "chips" ? 2 : 3)} ${question.unit}, ${number(grade.percent_of_pot, 2)} % of the pot.`),
        h("table", {}, h("thead", {}, h("tr", {}, ["Action", "EV", "How often the solution does it"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, question.labels.map((label, a) => h("tr", {}, h("td", {}, label === grade.answer ? h("b", {}, question.actions[a]) : question.actions[a]), h("td", { class: label === grade.best ? "good" : "" }, number(grade.ev_by_action[a], question.unit === "chips" ? 2 : 3)), h("td", {}, percent(grade.strategy[a])))))),
        mixBar(grade.strategy, colours, question.actions),
        h("div", { class: "acts" }, h("button", { type: "button", class: "main", id: "next", onclick: () => this.next() }, "Next (Enter)"), h("a", { href: `${isFile(this.id) ? "/strategy" : "/study"}/${encodeURIComponent(this.id)}?line=${question.line}` }, "Study this place"))) : h("p", { class: "hint" }, "Keys 1 … 9 answer.")));
  }

  press(event) {
    if (event.target.closest?.("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey || !this.question) return;
    if (/^[1-9]$/.test(event.key) && Number(event.key) <= this.question.labels.length) this.answer(this.question.labels[Number(event.key) - 1]);
    else if (event.key === "Enter" && this.grade && !event.target.closest("a, button")) this.next();
    else return;
    event.preventDefault();
  }
}

function read(key) {
  try { return { asked: 0, good: 0, lost: 0, ...JSON.parse(localStorage.getItem(key) ?? "{}") }; } catch { return { asked: 0, good: 0, lost: 0 }; }
}
function write(key, score) {
  try { localStorage.setItem(key, JSON.stringify(score)); } catch { /* private windows */ }
}
