// Learn: CFR on a small game, iteration by iteration; the address carries game, solver, iteration, line and infoset.

import { get } from "./api.js";
import { curveChart } from "./chart.js";
import { h, labelled, number, percent, replace, say, select } from "./dom.js";
import { shown } from "./looks.js";

const MOST = 5000;
const SPEEDS = { slow: [700, 1], usual: [250, 1], fast: [120, 5] };

export async function learnView(view, place) {
  const [games, solvers] = await Promise.all([get("/lessons/games"), get("/lessons/solvers")]);
  const lesson = new Lesson(games, solvers, place.query);
  replace(view, lesson.layout());
  await lesson.load();
  return () => lesson.pause();
}

class Lesson {
  constructor(games, solvers, query) {
    this.games = games;
    this.solvers = solvers;
    this.game = games.some((each) => each.name === query.game) ? query.game : "kuhn";
    this.solver = query.solver in solvers ? query.solver : "cfr";
    this.iteration = Math.min(Math.max(Number.parseInt(query.t ?? "0", 10) || 0, 0), MOST);
    this.line = query.line ?? "";
    this.infoset = query.infoset ?? null;
    this.timer = null;
    this.speed = "usual";
  }

  layout() {
    this.summary = h("p", { class: "hint" });
    this.count = h("input", { type: "number", min: 0, max: MOST, "aria-label": "Iteration", style: { width: "6rem" }, onchange: () => this.to(Number(this.count.value)) });
    this.play = h("button", { type: "button", class: "main", id: "run", onclick: () => (this.timer ? this.pause() : this.run()) }, "Run");
    this.said = h("div", { class: "chips", id: "lesson-facts" });
    this.chart = h("div", {});
    this.lines = h("div", {});
    this.table = h("div", { class: "scroll" });
    this.step = h("section", { class: "panel", "aria-label": "The last step", id: "step" });
    const jump = (by) => h("button", { type: "button", "data-step": by, onclick: () => { this.pause(); this.to(this.iteration + by); } }, by > 0 ? `+${by}` : `${by}`);
    return [h("h1", {}, "Learn: counterfactual regret minimisation at work"),
      h("section", { class: "panel" }, h("div", { class: "row" },
        labelled("Game", select(this.games.map((each) => [each.name, `${each.title} (${each.infosets.toLocaleString("en")} infosets)`]), this.game, (value) => { this.pause(); this.game = value; this.line = ""; this.infoset = null; this.to(0); }, { id: "game" })),
        labelled("Algorithm", select(Object.entries(this.solvers).map(([name]) => [name, name.toUpperCase()]), this.solver, (value) => { this.solver = value; this.load(); }, { id: "algorithm" })),
        labelled("Iteration", this.count), h("button", { type: "button", onclick: () => { this.pause(); this.to(0); } }, "Reset"), jump(-1), jump(1), jump(10), jump(100), this.play,
        labelled("Speed", select(Object.keys(SPEEDS).map((name) => [name, name]), this.speed, (value) => { this.speed = value; if (this.timer) { this.pause(); this.run(); } }))), this.summary, this.said),
      h("div", { class: "study" }, h("section", { class: "panel learn", "aria-label": "Infosets" }, this.lines, this.table), h("div", {}, this.step, h("section", { class: "panel" }, h("h2", {}, "How exploitable the average is"), this.chart), how()))];
  }

  address() {
    const asked = { game: this.game, solver: this.solver, t: this.iteration, line: this.line, infoset: this.infoset };
    return `/learn?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== null && value !== "" && value !== 0))}`;
  }

  to(iteration) {
    this.iteration = Math.min(Math.max(Math.round(iteration) || 0, 0), MOST);
    return this.load();
  }

  run() {
    const [wait, by] = SPEEDS[this.speed];
    this.play.textContent = "Pause";
    const tick = async () => {
      await this.to(this.iteration + by);
      if (this.timer && this.iteration < MOST) this.timer = setTimeout(tick, wait); else this.pause();
    };
    this.timer = setTimeout(tick, 0);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.play.textContent = "Run";
  }

  async load() {
    try {
      const state = await get("/lessons/state", { game: this.game, solver: this.solver, iteration: this.iteration, line: this.line, infoset: this.infoset });
      this.line = state.line;
      history.replaceState(null, "", this.address());
      this.draw(state);
    } catch (error) { this.pause(); say(error.message); }
  }

  draw(state) {
    this.count.value = state.iteration;
    this.summary.textContent = `${this.games.find((each) => each.name === this.game).summary} ${this.solvers[this.solver]}.`;
    replace(this.said, h("span", {}, "Iteration ", h("b", { id: "iteration" }, state.iteration.toLocaleString("en"))), h("span", {}, "Value of the averages ", h("b", {}, state.value.map((each) => number(each, 4)).join(" / "))),
      h("span", {}, "Exploitability ", h("b", { id: "exploitability" }, number(state.exploitability, 5))));
    replace(this.chart, curveChart(state.curve));
    this.drawLines(state);
    this.drawTable(state);
    this.drawStep(state);
  }

  // the navigator: the decisions so far, what is done at each, and where the play can go
  drawLines(state) {
    const go = (line) => { this.line = line; this.infoset = null; this.load(); };
    const cards = state.path.map((step, number) => h("div", { class: number === state.path.length - 1 ? "step here" : "step", role: "listitem" },
      h("header", {}, h("b", {}, `Player ${step.player + 1}`), h("button", { type: "button", class: "quiet", onclick: () => go(step.line) }, number === state.path.length - 1 ? "here" : "go back")),
      step.labels.map((label, a) => h("button", { type: "button", class: step.chosen === label ? "taken" : "", "data-action": label, disabled: !step.following[label].length, "aria-label": `Player ${step.player + 1} ${step.actions[a]}, ${percent(step.frequencies[a])}`, onclick: () => go(step.following[label][0]) },
        h("span", { class: "swatch", style: { background: shown(state.colours[label]) } }), step.actions[a], h("span", {}, percent(step.frequencies[a], 0))))));
    const last = state.path[state.path.length - 2];
    const siblings = last ? last.following[last.chosen] : [];
    replace(this.lines, h("div", { class: "line", role: "list", "aria-label": "Decisions so far" }, cards),
      siblings.length > 1 ? h("label", { class: "row" }, "After the card: ", select(siblings.map((line) => [line, line]), state.line, go)) : null);
    this.lines.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  drawTable(state) {
    const largest = Math.max(1e-9, ...state.infosets.flatMap((row) => row.regret.map(Math.abs)));
    const strategies = (shares, actions) => h("div", { class: "bar", title: shares.map((share, a) => `${actions[a]} ${percent(share)}`).join(", "), role: "img", "aria-label": shares.map((share, a) => `${actions[a]} ${percent(share)}`).join(", ") }, shares.map((share, a) => h("span", { style: { width: `${100 * share}%`, background: shown(state.colours[actions[a]]) } })));
    replace(this.table, h("table", {}, h("thead", {}, h("tr", {}, ["Infoset", "Action", "Regret", "", "Current", "Average", "Average mix"].map((name) => h("th", { scope: "col", class: "left" }, name)))),
      h("tbody", {}, state.infosets.slice(0, 60).map((row) => row.actions.map((action, a) => h("tr", { class: row.key === (state.step?.key ?? this.infoset) ? "chosen" : "", "data-infoset": row.key, onclick: () => { this.infoset = row.key; this.load(); } },
        a === 0 ? h("td", { rowSpan: row.actions.length, class: "left" }, h("button", { type: "button", class: "quiet", onclick: (event) => { event.stopPropagation(); this.infoset = row.key; this.load(); } }, row.key || "start")) : null,
        h("td", { class: "left" }, h("span", { class: "swatch", style: { background: shown(state.colours[action]) } }), action), h("td", {}, number(row.regret[a], 4)), h("td", {}, regretBar(row.regret[a] / largest)),
        h("td", {}, percent(row.current[a])), h("td", {}, percent(row.average[a])), a === 0 ? h("td", { rowSpan: row.actions.length }, strategies(row.average, row.actions)) : null)))),
    ), state.infosets.length > 60 ? h("p", { class: "hint" }, `60 of ${state.infosets.length} infosets here; go on along a line for fewer.`) : null);
  }

  drawStep(state) {
    const { step } = state;
    if (!step) { replace(this.step, h("h2", {}, "The last step"), h("p", {}, "Nothing has happened yet: all regrets are zero, so every action is equally likely. Press +1.")); return; }
    replace(this.step, h("h2", {}, "Iteration ", String(state.iteration), " at ", h("code", {}, step.key || "start")),
      h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Action", "σ before", "v(a)", "v(a) − v", "R before", "R now", "σ next", "Average"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, step.actions.map((each) => h("tr", {}, h("td", {}, each.name), h("td", {}, percent(each.before)), h("td", {}, number(each.value, 4)), h("td", { class: each.gain >= 0 ? "good" : "bad" }, number(each.gain, 4)), h("td", {}, number(each.regret_before, 4)), h("td", {}, number(each.regret, 4)), h("td", {}, percent(each.after)), h("td", {}, percent(each.average))))))),
      h("div", { class: "formula", tabIndex: 0, role: "region", "aria-label": "The same as formulas" }, step.formulas.join("\n")));
  }
}

function regretBar(share) {
  const width = 50 * Math.min(Math.abs(share), 1);
  return h("div", { class: "regret" }, h("span", { style: { left: share < 0 ? `${50 - width}%` : "50%", width: `${width}%`, background: share < 0 ? "var(--faint)" : "var(--accent)" } }));
}

function how() {
  return h("section", { class: "panel" }, h("h2", {}, "How it works"), h("p", {}, "An ", h("b", {}, "infoset"), " is everything a player knows: its card and the play so far. In every iteration each infoset asks what each action would have been worth against the opponent's present strategy, weighted by how likely chance and the opponent lead there: the counterfactual value v(a)."),
    h("p", {}, "The ", h("b", {}, "regret"), " of an action grows by v(a) − v, where v is what the infoset's mix earned. The next mix plays actions in proportion to their positive regrets. The current strategy never settles; its ", h("b", {}, "average"), " does, towards an equilibrium. Exploitability says how far it still is."));
}
