// Library: all solutions, searched, renamed, compared, deleted.

import { get, patch, remove } from "./api.js";
import { bytes, cards, chips, debounce, h, number, replace, say } from "./dom.js";
import { strategiesTable } from "./strategy.js";

const PAGE = 50;

export async function libraryView(view, place, go) {
  let query = place.query.query ?? "";
  let offset = 0;
  const chosen = [];
  const list = h("div", { class: "scroll" });
  const bar = h("div", { class: "row" });
  const search = h("input", { type: "search", value: query, placeholder: "board, street, name, notes", "aria-label": "Search the library", oninput: debounce(200, () => {
    query = search.value;
    offset = 0;
    history.replaceState(null, "", query ? `/library?query=${encodeURIComponent(query)}` : "/library");
    load();
  }) });
  const tools = () => replace(bar, labelledCount(), h("button", { type: "button", disabled: chosen.length !== 2, onclick: () => go(`/compare?first=${chosen[0]}&second=${chosen[1]}`) }, "Compare the two marked"),
    h("a", { href: `/report${query ? `?query=${encodeURIComponent(query)}` : ""}` }, "Report over all found"));
  let count = 0;
  const labelledCount = () => h("span", { class: "hint" }, count === 1 ? "1 solution" : `${count} solutions`);
  async function load() {
    const found = await get("/solutions", { query, limit: PAGE, offset });
    count = found.count;
    tools();
    if (!found.count) { replace(list, h("p", { class: "hint" }, query ? "Nothing matches this search." : ["The library is empty. ", h("a", { href: "/solve" }, "Solve a spot"), ", or start the server with files: ", h("code", {}, "equilibrist serve turn.eqb"), "."])); return; }
    replace(list, h("table", {}, h("thead", {}, h("tr", {}, ["", "Board", "Name", "Pot", "Stack", "EV OOP", "Exploitability", "Size", "Solved", ""].map((name) => h("th", { scope: "col", class: "left" }, name)))),
      h("tbody", {}, found.solutions.map(row))),
    h("div", { class: "row" }, h("button", { type: "button", disabled: !offset, onclick: () => { offset -= PAGE; load(); } }, "Newer"), h("button", { type: "button", disabled: offset + PAGE >= count, onclick: () => { offset += PAGE; load(); } }, "Older")));
  }
  function row(solution) {
    const mark = h("input", { type: "checkbox", "aria-label": `Mark ${solution.name}`, checked: chosen.includes(solution.id), onchange: () => {
      if (mark.checked) chosen.push(solution.id); else chosen.splice(chosen.indexOf(solution.id), 1);
      tools();
    } });
    return h("tr", {}, h("td", {}, mark), h("td", { class: "left" }, cards(solution.board)),
      h("td", { class: "left" }, h("a", { href: `/study/${solution.id}`, title: solution.notes || undefined }, solution.name), solution.locks ? h("span", { class: "warn" }, ` ${solution.locks} locked`) : null),
      h("td", {}, chips(solution.pot)), h("td", {}, chips(solution.stack)), h("td", {}, number(solution.ev.oop)),
      h("td", { class: solution.converged ? "good" : "warn" }, `${number(solution.percent_of_pot, 3)} %`), h("td", {}, bytes(solution.bytes)),
      h("td", {}, new Date(1000 * solution.created).toLocaleString()),
      h("td", {}, h("a", { href: `/train/${solution.id}` }, "Train"), " ", h("button", { type: "button", class: "quiet", onclick: () => rename(solution) }, "Rename"), h("button", { type: "button", class: "quiet bad", "aria-label": `Delete ${solution.name}`, onclick: () => drop(solution) }, "Delete")));
  }
  async function rename(solution) {
    const name = window.prompt("Name of the solution", solution.name);
    if (name?.trim()) await guarded(() => patch(`/solutions/${solution.id}`, { name: name.trim().slice(0, 200) }));
  }
  async function drop(solution) {
    if (window.confirm(`Delete “${solution.name}” and its file? This cannot be undone.`)) await guarded(() => remove(`/solutions/${solution.id}`));
  }
  async function guarded(work) {
    try { await work(); await load(); } catch (error) { say(error.message); }
  }
  const files = h("div", {});
  replace(view, h("h1", {}, "Library"), h("section", { class: "panel" }, h("div", { class: "row spread" }, search, bar), list), files);
  await load();
  const games = await get("/strategies");
  replace(files, h("section", { class: "panel", "aria-label": "Solved games" }, h("h2", {}, "Solved games and blueprints"), games.length ? h("div", { class: "scroll" }, strategiesTable(games)) : null,
    h("p", { class: "hint" }, "Start the server with files to look at their strategies and to play against them: ", h("code", {}, "equilibrist serve leduc.eqb blueprint.eqb"), ".")));
}
