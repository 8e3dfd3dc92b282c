// Play: hands against a player, and a look back at each of them.

import { get, post } from "./api.js";
import { cards, chips, h, labelled, number, percent, replace, say, select } from "./dom.js";
import { HandReview } from "./hand_review.js";

export async function playView(view, place, go) {
  if (!place.rest) return lobby(view, go);
  const table = new Table(view, place.rest, go);
  await table.open(place.query.hand);
  return () => table.close();
}

async function lobby(view, go) {
  const [agents, games] = await Promise.all([get("/agents"), get("/tables/games")]);
  let agent = "rule-based";
  let game = Object.keys(games)[0];
  const about = h("p", { class: "hint" });
  const tell = () => {
    const file = agent.split("(")[0];
    replace(about, `${agent}: ${agents.find((each) => each.name === agent)?.summary ?? ""}. `, file.endsWith(".eqb") ? h("a", { href: `/strategy/${encodeURIComponent(file)}` }, "Look at its strategy") : null);
  };
  const sit = async () => {
    // files play their own game
    try { const table = await post("/tables", { agent, game: agent.includes(".eqb") ? "" : game }); go(`/play/${table.id}`); } catch (error) { say(error.message); }
  };
  replace(view, h("h1", {}, "Play"), h("section", { class: "panel" }, h("div", { class: "row" },
    labelled("Game", select(Object.entries(games), game, (value) => { game = value; }, { id: "table-game" })), labelled("Opponent", select(agents.map((each) => [each.name, each.name]), agent, (value) => { agent = value; tell(); }, { id: "agent" })),
    h("button", { type: "button", class: "main", id: "sit", onclick: sit }, "Sit down")), about,
  h("p", { class: "hint" }, "Trained blueprints and solved games (.eqb) in the folder ", h("code", {}, "agents"), " of the data folder play too. After a hand you see what the opponent could hold, if it can say so, and against solved games and blueprints what each of your decisions cost.")));
  tell();
}

class Table {
  constructor(view, id, go) {
    Object.assign(this, { view, id, go, busy: false });
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  close() { this.review?.stop(); document.removeEventListener("keydown", this.keys); }

  async open(hand) {
    this.state = await (hand === undefined ? get(`/tables/${this.id}`) : get(`/tables/${this.id}/hands/${hand}`));
    this.draw();
  }

  async act(action) {
    if (this.busy) return;
    this.busy = true;
    try { this.state = await post(`/tables/${this.id}/act`, { hand: this.state.hand, move: this.state.move, action }); this.draw(); } catch (error) { say(error.message); }
    this.busy = false;
  }

  async deal() {
    if (this.busy) return;
    this.busy = true;
    try { this.state = await post(`/tables/${this.id}/deal`); history.replaceState(null, "", `/play/${this.id}`); this.draw(); } catch (error) { say(error.message); }
    this.busy = false;
  }

  async look(hand) {
    this.state = await get(`/tables/${this.id}/hands/${hand}`);
    history.replaceState(null, "", `/play/${this.id}?hand=${hand}`);
    this.draw();
  }

  draw() {
    const { state } = this;
    const latest = state.hand >= state.played - (state.over ? 1 : 0);
    replace(this.view, this.heading(),
      h("div", { class: "study" }, h("section", { class: "panel", "aria-label": "Table" }, this.felt(), state.choice ? this.choice() : this.after(latest)), this.side()));
  }

  heading() {
    const { state } = this;
    const prizes = state.payoffs === "prize money";
    const each = (thousandths) => (prizes ? number(thousandths / 1000, 2) : number(thousandths, 0));
    const mbb = state.mean_mbb === null ? "–" : `${each(state.mean_mbb)}${state.interval_mbb === null ? "" : ` ± ${each(state.interval_mbb)}`} ${prizes ? "prize money" : "mbb"} a hand`;
    return h("div", { class: "row spread" }, h("h1", {}, `Against ${state.agent}`), h("div", { class: "chips" }, h("span", {}, state.played === 1 ? "1 hand" : `${state.played} hands`),
      h("span", {}, "Result ", h("b", { id: "total", class: state.total >= 0 ? "good" : "bad" }, `${state.total >= 0 ? "+" : ""}${chips(state.total)}`)), h("span", { title: prizes ? "Mean and 95 % interval" : "Mean and 95 % interval, in thousandths of a big blind" }, mbb)));
  }

  felt() {
    const { state } = this;
    const mine = state.seat;
    const others = state.seats.map((_, i) => (mine + 1 + i) % state.seats.length).filter((seat) => seat !== mine);
    return h("div", { class: "felt", id: "felt" },
      h("div", { class: "others" }, others.map((seat) => this.opponent(state.seats[seat]))),
      h("div", {}, h("div", { class: "big" }, state.board ? cards(state.board) : "–"), h("div", {}, `pot ${chips(state.pot)}`)),
      h("div", {}, h("div", { class: "big" }, cards(state.hole)), h("div", {}, `${state.seats[mine].name === "you" ? `you (player ${mine + 1})` : `you are ${state.seats[mine].name}`}${behind(state.seats[mine])}${state.seats[mine].folded ? " · folded" : ""}`)));
  }

  opponent(seat) {
    const many = this.state.seats.length > 2;
    const held = h("div", { class: `cards ${many ? "" : "big"}`, role: "img", "aria-label": "face-down cards" }, Array.from({ length: Math.max(1, Math.floor(this.state.hole.length / 2)) }, () => h("span", { class: "card back" }, "??")));
    return h("div", { class: "opponent", "data-folded": seat.folded }, h("div", {}, seat.name, behind(seat)), seat.shown ? cards(seat.shown, { class: many ? "" : "big" }) : seat.folded ? h("div", {}, "folded") : held);
  }

  choice() {
    const { choice } = this.state;
    const button = (offer, key) => h("button", { type: "button", "data-action": offer.label, onclick: () => this.act(offer.label) }, offer.text, key ? h("small", {}, ` (${key})`) : null);
    const keys = { f: "f", x: "c", c: "c" };
    const amount = choice.raise_least === null ? null : h("input", { type: "number", min: choice.raise_least, max: choice.raise_most, value: choice.raise_least, "aria-label": "Raise to", style: { width: "7rem" } });
    return h("div", {}, choice.to_call ? h("p", {}, `${chips(choice.to_call)} to call: you need ${percent(choice.needed_equity)} equity.`) : null,
      h("div", { class: "acts" }, choice.offers.map((offer) => button({ ...offer, text: offer.label === "c" ? `call ${chips(choice.to_call)}` : offer.text }, keys[offer.label]))),
      choice.pot_raises.length ? h("div", { class: "acts" }, choice.pot_raises.map((offer) => button({ label: offer.label, text: `${offer.text}: ${offer.label.slice(1)}` })),
        amount, h("button", { type: "button", onclick: () => this.act(amount.value) }, "bet or raise to")) : null);
  }

  after(latest) {
    const { state } = this;
    const words = state.payoffs === "prize money" ? `You have ${number(state.result, 2)} of prize money.` : state.result > 0 ? `You win ${chips(state.result)}.` : state.result < 0 ? `You lose ${chips(-state.result)}.` : "Nobody wins anything.";
    return h("div", { class: "acts" }, h("span", { class: "verdict", id: "result" }, words), latest ? h("button", { type: "button", class: "main", id: "next", onclick: () => this.deal() }, "Next hand (n)") : h("button", { type: "button", onclick: () => this.open() }, "Back to the table"));
  }

  side() {
    const { state } = this;
    return h("div", {}, h("section", { class: "panel" }, h("h2", {}, `Hand ${state.hand + 1}`), h("ol", { class: "log" }, state.moves.map((move) => h("li", {}, move.seat === null ? ["board ", cards(move.label)] : move.seat === state.seat ? `you ${move.text.replace(/^(\w+)s\b/, "$1")}` : `${state.seats[move.seat].name} ${move.text}`))),
      h("div", { class: "row" }, h("button", { type: "button", class: "quiet", disabled: state.hand === 0, onclick: () => this.look(state.hand - 1) }, "← hand before"), h("a", { href: `/api/v1/tables/${this.id}/history`, download: "hands.phhs" }, "Hand history (PHH)"), h("a", { href: "/play" }, "Another table"))),
    state.over ? this.lookedBack() : null);
  }

  // decisions are valued one after the other, since each may take some seconds
  lookedBack() {
    this.review?.stop();
    this.review = new HandReview(this.id, this.state);
    return this.review.element;
  }

  key(event) {
    if (event.target.closest?.("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey || !this.state) return;
    const labels = this.state.choice?.offers.map((offer) => offer.label) ?? [];
    if (event.key === "n" && this.state.over) this.deal();
    else if (event.key === "f" && labels.includes("f")) this.act("f");
    else if (event.key === "c" && (labels.includes("x") || labels.includes("c"))) this.act(labels.includes("x") ? "x" : "c");
    else return;
    event.preventDefault();
  }
}

const behind = (seat) => (seat.behind === null ? "" : ` · ${chips(seat.behind)} behind`);
