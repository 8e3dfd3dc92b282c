// Solve: a spot put together by hand, checked while it changes, solved in the queue.

import { get, post } from "./api.js";
import { bytes, cards, chips, debounce, h, labelled, replace, say, select, SIGNS, splitCards, SUIT_NAMES } from "./dom.js";
import { RANKS, SUITS } from "./hands.js";
import { jobsPanel } from "./jobs_view.js";
import { RangeEditor } from "./range_editor.js";

const STREETS = ["flop", "turn", "river"];
const COLUMNS = [["oop", "bet"], ["oop", "raise"], ["oop", "donk"], ["ip", "bet"], ["ip", "raise"]];
const START = {
  board: "Td9d6hQc2s", pot: 200, stack: 900,
  range: { oop: "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s", ip: "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+" },
  bets: { bet: "50%, 100%", raise: "60%, a" }, thresholds: { add_allin: 1.5, force_allin: 0.15 },
};

export async function solveView(view, place, go) {
  const spot = await spotOf(place);
  const form = new SpotForm(spot, go);
  const jobs = jobsPanel({ finished: (job) => say("Solved: ", h("a", { href: `/study/${job.id}` }, job.name)) });
  replace(view, h("h1", {}, "Solve a spot after the flop"),
    h("div", { class: "solve" }, form.element,
      h("div", { class: "sticky" }, form.summary, h("section", { class: "panel", "aria-label": "Queue" }, h("h2", {}, "Queue"), jobs.element))));
  form.check();
  return () => jobs.stop();
}

async function spotOf(place) {
  try {
    if (place.query.from) return (await get(`/solutions/${place.query.from}`)).spot;
    if (place.query.spot) return JSON.parse(place.query.spot);
  } catch (error) { say(`The spot of this link cannot be read: ${error.message}`); }
  return START;
}

class SpotForm {
  constructor(spot, go) {
    this.go = go;
    this.chosen = splitCards(spot.board);
    this.checkSoon = debounce(300, () => this.check());
    this.locks = spot.lock ?? [];
    this.others = Object.fromEntries(["betting", "line"].filter((key) => spot[key] !== undefined).map((key) => [key, spot[key]]));
    this.summary = h("section", { class: "panel", "aria-label": "Size" });
    this.ranges = Object.fromEntries(["oop", "ip"].map((name) => [name, new RangeEditor({ name: name.toUpperCase(), text: spot.range[name], changed: this.checkSoon })]));
    this.element = h("form", { onsubmit: (event) => event.preventDefault() },
      this.boardPanel(), this.rangesPanel(), this.chipsPanel(spot), this.betsPanel(spot), this.filePanel(), this.batchHolder());
    this.ranges.oop.open();
    this.drawBoard();
  }

  boardPanel() {
    this.board = h("span", {});
    this.buttons = new Map();
    const picker = h("div", { class: "picker", role: "group", "aria-label": "Cards of the board" });
    for (const suit of [...SUITS].reverse()) {
      for (const rank of [...RANKS].reverse()) {
        const name = rank + suit;
        const button = h("button", { type: "button", class: `suit-${suit}`, "aria-pressed": "false", "aria-label": `${rank} of ${SUIT_NAMES[suit]}`, "data-card": name, onclick: () => this.toggle(name) }, rank + SIGNS[suit]);
        this.buttons.set(name, button);
        picker.append(button);
      }
    }
    return h("section", { class: "panel" }, h("h2", {}, "1. Board"), h("div", { class: "row" }, this.board, h("button", { type: "button", class: "quiet", onclick: () => { this.chosen = []; this.drawBoard(); } }, "Clear")), picker,
      h("p", { class: "hint" }, "Three cards are a flop, four a turn, five a river. Rivers take moments, turns seconds, flops minutes and more memory."));
  }

  toggle(name) {
    const place = this.chosen.indexOf(name);
    if (place >= 0) this.chosen.splice(place, 1);
    else if (this.chosen.length < 5) this.chosen.push(name);
    else { say("A board has at most five cards; take one away first."); return; }
    this.drawBoard();
  }

  drawBoard() {
    replace(this.board, this.chosen.length ? cards(this.chosen.join(""), { class: "big" }) : h("span", { class: "hint" }, "Choose three to five cards."));
    for (const [name, button] of this.buttons) button.setAttribute("aria-pressed", this.chosen.includes(name));
    for (const editor of Object.values(this.ranges)) editor.board = this.chosen.join("");
    const first = Math.max(this.chosen.length - 3, 0);
    this.rows?.forEach((row, street) => {
      if (row.hidden && street >= first) this.fill(street);
      row.hidden = street < first;
      const donk = this.inputs[`${STREETS[street]}.oop.donk`];
      donk.disabled = street <= first;  // nobody knows who bet before the spot begins
      if (donk.disabled) donk.value = "";
      else if (!donk.value && this.same.checked) donk.value = this.inputs[`${STREETS[street]}.oop.bet`].value;
    });
    this.checkSoon();
  }

  // a street that appears without any size takes those of the next street that has some
  fill(street) {
    const keys = (name) => Object.keys(this.inputs).filter((key) => key.startsWith(`${name}.`));
    const sized = (name) => keys(name).some((key) => this.inputs[key].value);
    const from = STREETS.slice(street + 1).find(sized);
    if (!from || sized(STREETS[street])) return;
    for (const key of keys(STREETS[street])) this.inputs[key].value = this.inputs[key.replace(STREETS[street], from)].value;
  }

  rangesPanel() {
    const names = { oop: "Out of position (OOP, acts first)", ip: "In position (IP)" };
    const holders = Object.fromEntries(["oop", "ip"].map((name) => [name, h("div", { role: "tabpanel", id: `range-${name}`, hidden: name === "ip" }, this.ranges[name].element)]));
    const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Player" }, ["oop", "ip"].map((name) => h("button", {
      type: "button", role: "tab", "aria-selected": name === "oop", "aria-controls": `range-${name}`,
      onclick: (event) => {
        for (const [other, holder] of Object.entries(holders)) holder.hidden = other !== name;
        this.ranges[name].open();
        for (const tab of tabs.children) tab.setAttribute("aria-selected", tab === event.currentTarget);
      },
    }, names[name])));
    return h("section", { class: "panel" }, h("h2", {}, "2. Ranges"), tabs, Object.values(holders));
  }

  chipsPanel(spot) {
    const field = (value, label) => h("input", { type: "number", min: 0, step: "any", value, "aria-label": label, oninput: this.checkSoon, style: { width: "7rem" } });
    this.pot = field(spot.pot, "Pot");
    this.oopStack = field(spot.stacks?.oop ?? spot.stack, "Stack of OOP");
    this.ipStack = field(spot.stacks?.ip ?? spot.stack, "Stack of IP");
    // the chip follows the amounts until somebody chooses one; a spot that was loaded keeps the one it has
    this.chip = field(spot.chip ?? 1, "Smallest chip");
    this.chip.addEventListener("input", () => { this.ownChip = true; });
    this.ownChip = Number(this.chip.value) !== this.usualChip();
    for (const input of [this.pot, this.oopStack, this.ipStack]) input.addEventListener("input", () => { if (!this.ownChip) this.chip.value = this.usualChip(); });
    this.rate = field(100 * (spot.rake?.rate ?? 0), "Rake in per cent");
    this.cap = field(spot.rake?.cap ?? "", "Cap of the rake");
    return h("section", { class: "panel" }, h("h2", {}, "3. Pot, stacks, rake"), h("div", { class: "row" },
      labelled("Pot", this.pot), labelled("Stack OOP", this.oopStack), labelled("Stack IP", this.ipStack), labelled("Smallest chip", this.chip, "Bets are rounded to multiples of it; 0: not at all"), labelled("Rake %", this.rate), labelled("Rake cap", this.cap)),
    h("p", { class: "hint" }, "Chips, cents or big blinds. Stacks are what is behind; the smaller one counts. Bets are rounded to the smallest chip: 1, or 0.01 where amounts have decimals or are below 50, unless you choose another."));
  }

  usualChip() { return usualChip([this.pot, this.oopStack, this.ipStack].map((input) => Number(input.value))); }

  betsPanel(spot) {
    this.inputs = {};
    this.rows = STREETS.map((street) => h("tr", {}, h("th", { scope: "row" }, street), COLUMNS.map(([player, kind]) => {
      const input = h("input", { value: menuOf(spot.bets ?? {}, street, player, kind), "aria-label": `${street}, ${player.toUpperCase()} ${kind}`, spellcheck: false, oninput: () => { this.copy(street, player, kind); this.checkSoon(); } });
      this.inputs[`${street}.${player}.${kind}`] = input;
      return h("td", {}, input);
    })));
    this.same = h("input", { type: "checkbox", checked: !differ(this.inputs) });
    const threshold = (key, usual) => h("input", { type: "number", min: 0, step: "any", value: spot.thresholds?.[key] ?? usual, oninput: this.checkSoon, style: { width: "6rem" } });
    this.thresholds = { add_allin: threshold("add_allin", 0), force_allin: threshold("force_allin", 0), merge: threshold("merge", 0) };
    return h("section", { class: "panel" }, h("h2", {}, "4. Bet sizes"),
      h("label", { class: "row" }, this.same, "Same sizes on all streets and for both players: type in one field"),
      h("div", { class: "scroll" }, h("table", { class: "menus" }, h("thead", {}, h("tr", {}, h("th", {}, ""), ["OOP bets", "OOP raises", "OOP donks", "IP bets", "IP raises"].map((each) => h("th", { class: "left" }, each)))), h("tbody", {}, this.rows))),
      h("details", {}, h("summary", {}, "How sizes are written"), grammar()),
      h("details", {}, h("summary", {}, "Tidying up"), h("div", { class: "row" },
        labelled("Add all-in up to (pots)", this.thresholds.add_allin), labelled("All-in when left over (stack/pot)", this.thresholds.force_allin), labelled("Merge sizes closer than", this.thresholds.merge)),
      h("p", { class: "hint" }, "All-in is offered where it is at most so many pots; a bet becomes all-in where little would be left; of two sizes that are close the smaller is dropped. 0 turns a rule off.")));
  }

  // one field speaks for all of its kind while the box is ticked
  copy(street, player, kind) {
    if (!this.same.checked) return;
    const value = this.inputs[`${street}.${player}.${kind}`].value;
    for (const [key, input] of Object.entries(this.inputs)) {
      const other = key.split(".")[2];
      if (!input.disabled && (other === kind || (kind === "bet" && other === "donk"))) input.value = value;
    }
  }

  // loaded when it is opened, so that the page is there sooner
  batchHolder() {
    const holder = h("section", { class: "panel" }, h("button", { type: "button", class: "quiet", id: "many-boards", onclick: async () => {
      const { batchPanel } = await import("./batch.js");
      const panel = batchPanel({ spot: () => this.spot(), until: () => this.until ?? "0.3%", setBoard: (board) => { this.chosen = splitCards(board); this.drawBoard(); }, go: this.go });
      holder.replaceWith(panel);
      panel.querySelector("details").open = true;
    } }, "Many boards at once…"));
    return holder;
  }

  filePanel() {
    this.toml = h("textarea", { rows: 10, spellcheck: false, "aria-label": "Spot file" });
    return h("section", { class: "panel" }, h("details", {}, h("summary", {}, "Spot file (TOML): copy it out, or paste one"), this.toml,
      h("button", { type: "button", onclick: () => this.readFile() }, "Use this text"),
      h("p", { class: "hint" }, "The same file is solved by ", h("code", {}, "equilibrist solve spot.toml"), ".")));
  }

  async readFile() {
    try {
      const found = await post("/spots/read", { toml: this.toml.value });
      window.dispatchEvent(new CustomEvent("go", { detail: `/solve?spot=${encodeURIComponent(JSON.stringify(found.spot))}` }));
    } catch (error) { say(error.message); }
  }

  spot() {
    const first = Math.max(this.chosen.length - 3, 0);
    const bets = {};
    for (const street of STREETS.slice(first)) {
      bets[street] = {};
      for (const player of ["oop", "ip"]) {
        bets[street][player] = Object.fromEntries(COLUMNS.filter(([who]) => who === player).map(([, kind]) => [kind, this.inputs[`${street}.${player}.${kind}`].value]));
        if (STREETS.indexOf(street) === first) delete bets[street][player].donk;
      }
    }
    const value = (input) => (input.value === "" ? null : Number(input.value));
    const spot = {
      ...this.others, board: this.chosen.join(""), pot: value(this.pot) ?? 0, chip: value(this.chip) ?? this.usualChip(),
      range: { oop: this.ranges.oop.text.value, ip: this.ranges.ip.text.value }, bets,
      thresholds: Object.fromEntries(Object.entries(this.thresholds).map(([key, input]) => [key, value(input) ?? 0])),
    };
    const [oop, ip] = [value(this.oopStack) ?? 0, value(this.ipStack) ?? 0];
    if (oop === ip) spot.stack = oop; else spot.stacks = { oop, ip };
    if (value(this.rate)) spot.rake = { rate: value(this.rate) / 100, ...(value(this.cap) === null ? {} : { cap: value(this.cap) }) };
    if (spot.betting?.kind === "limit") { delete spot.bets; delete spot.thresholds; }
    if (this.locks.length) spot.lock = this.locks;
    return spot;
  }

  async check() {
    const spot = this.spot();
    const asked = (this.asked = JSON.stringify(spot));
    let content;
    try {
      if (this.chosen.length < 3) throw new Error("Choose at least three cards for the board.");
      const found = await post("/spots/check", spot);
      if (asked !== this.asked) return;
      this.toml.value = found.toml;
      history.replaceState(null, "", `/solve?spot=${encodeURIComponent(JSON.stringify(found.spot))}`);
      content = this.size(found);
    } catch (error) {
      if (asked !== this.asked) return;
      content = h("p", { class: "problem", role: "alert" }, error.message);
    }
    replace(this.summary, h("h2", {}, "5. Solve"), content, this.goal(content.classList.contains("problem")));
  }

  size(found) {
    const decisions = Object.entries(found.decisions).map(([street, count]) => `${street} ${count.toLocaleString("en")}`).join(", ");
    return h("div", { id: "size" }, h("div", { class: "chips" },
      h("span", {}, "Decisions: ", h("b", {}, decisions)), h("span", {}, "Hands: ", h("b", {}, `${found.hands.oop} and ${found.hands.ip}`)),
      h("span", {}, "Memory: ", h("b", { class: found.fits ? "" : "bad" }, bytes(found.table_bytes)), ` of ${bytes(found.memory_bytes)}`)),
    openingBets(found.opening_bets),
    found.silent_streets.length ? h("p", { class: "warn", id: "silent" }, `Nobody may bet on the ${found.silent_streets.join(" and the ")}: hands are checked down there.`) : null,
    found.fits ? null : h("p", { class: "problem" }, "This does not fit in memory: use fewer sizes, narrower ranges or a later street."),
    this.locks.length ? h("p", { class: "warn" }, `${this.locks.length} locked decisions are kept. `, h("button", { type: "button", class: "quiet", onclick: () => { this.locks = []; this.check(); } }, "Drop them")) : null);
  }

  goal(broken) {
    this.until ??= "0.3%";
    this.seconds ??= "";
    this.title ??= "";
    return h("div", {},
      h("div", { class: "row" },
        labelled("Accuracy", select([["1%", "quick, 1 % of the pot"], ["0.5%", "0.5 %"], ["0.3%", "usual, 0.3 %"], ["0.1%", "fine, 0.1 %"], ["0.02%", "very fine, 0.02 %"]], this.until, (value) => { this.until = value; }, { id: "until" }), "Exploitability: what a perfect opponent could win more, as a share of the pot"),
        labelled("At most (seconds)", h("input", { type: "number", min: 1, value: this.seconds, placeholder: "no limit", style: { width: "7rem" }, oninput: (event) => { this.seconds = event.target.value; } })),
        labelled("Name", h("input", { value: this.title, maxLength: 200, placeholder: "optional", oninput: (event) => { this.title = event.target.value; } }))),
      h("p", {}, h("button", { type: "button", class: "main", id: "solve", disabled: broken, onclick: () => this.submit() }, "Solve"), " ",
        h("button", { type: "button", class: "quiet", onclick: () => { navigator.clipboard?.writeText(location.href); say("The link of this spot is in the clipboard."); } }, "Copy link")));
  }

  async submit() {
    try {
      await post("/jobs", { spot: this.spot(), until: this.until, name: this.title, ...(this.seconds ? { seconds: Number(this.seconds) } : {}) });
    } catch (error) { say(error.message); }
  }
}

// whole chips for large whole amounts, hundredths for cents and big blinds; the server takes the same where none is given
export const usualChip = (amounts) => (amounts.every((amount) => amount >= 50 && Number.isInteger(amount)) ? 1 : 0.01);

// the first bets in chips, and a word where rounding made something else of them
function openingBets(bets) {
  if (!bets.length) return null;
  const text = (player) => bets.filter((bet) => bet.player === player).map((bet) => `${bet.size} → ${chips(bet.chips)}`).join(", ");
  const [oop, ip] = [text("oop"), text("ip")];
  const rounded = bets.filter((bet) => bet.rounded);
  return [h("p", { class: "hint", id: "opening-bets" }, "First bets: ", oop === ip ? oop : `OOP ${oop || "none"}; IP ${ip || "none"}`),
    rounded.length ? h("p", { class: "warn", id: "rounded" }, `Rounding to the smallest chip changes ${rounded.map((bet) => bet.size).filter((size, i, all) => all.indexOf(size) === i).join(", ")}; take a smaller one.`) : null];
}

// the narrowest entry wins, as on the server
function menuOf(bets, street, player, kind) {
  const found = [bets, bets[street], bets[street]?.[player]].map((table) => table?.[kind]).filter((menu) => menu !== undefined && menu !== null);
  if (found.length) return found[found.length - 1];
  return kind === "donk" ? menuOf(bets, street, player, "bet") : "";
}
function differ(inputs) {
  const kinds = new Map();
  for (const [key, input] of Object.entries(inputs)) if (!input.disabled) {
    const kind = key.split(".")[2] === "raise" ? "raise" : "bet";
    kinds.set(kind, (kinds.get(kind) ?? new Set()).add(input.value));
  }
  return [...kinds.values()].some((values) => values.size > 1);
}

export function grammar() {
  const rows = [["60%", "of the pot (after calling, if there is a bet)"], ["2.5x", "times the bet faced; raises only"], ["100c", "chips"], ["e", "geometric: the same share on every street left, all-in on the last"],
    ["2e", "geometric over two streets"], ["3e200%", "geometric over three streets, at most twice the pot"], ["a", "all-in"]];
  return h("div", {}, h("p", { class: "hint" }, "Sizes are separated by commas. An empty field means: never. A donk is an opening bet by OOP after having called on the street before."),
    h("table", { class: "wrap" }, h("tbody", {}, rows.map(([size, meaning]) => h("tr", {}, h("td", {}, h("code", {}, size)), h("td", { class: "left" }, meaning))))));
}
