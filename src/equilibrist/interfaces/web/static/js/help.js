// Help: how to read the views, and the API from its own description.

import { get } from "./api.js";
import { h, replace } from "./dom.js";
import { grammar } from "./solve.js";

export async function helpView(view) {
  const api = h("section", { class: "panel" }, h("h2", {}, "The API"), h("p", {}, "Everything this page does goes through ", h("code", {}, "/api/v1"), "; its description in OpenAPI is at ", h("a", { href: "/api/v1/openapi.json" }, "/api/v1/openapi.json"), "."));
  replace(view, h("h1", {}, "Help"), h("section", { class: "panel" }, h("h2", {}, "Reading a grid"),
    h("p", {}, "Aces come first; pairs lie on the diagonal, suited hands above it, offsuit hands below. In a cell the height says how much of the class is here, the width of a colour how often its action is taken. Fold is blue, check and call are green, bets go from amber to red by size; the number is the share of the likeliest action."),
    h("p", {}, "EV is the expected share of the pot as it stands, folding now being 0. Equity is the share if all cards came now. EQR is EV over equity times the pot. Exploitability is what a perfect opponent could win more.")),
  h("section", { class: "panel" }, h("h2", {}, "Bet sizes"), grammar()), api);
  const about = await get("/openapi.json");
  for (const [path, methods] of Object.entries(about.paths)) {
    for (const [method, facts] of Object.entries(methods)) {
      api.append(h("details", {}, h("summary", {}, h("b", {}, method.toUpperCase()), " ", h("span", { class: "api-path" }, path)), h("p", {}, facts.description ?? ""),
        facts.parameters?.length ? h("table", { class: "wrap" }, h("tbody", {}, facts.parameters.map((each) => h("tr", {}, h("td", {}, h("code", {}, each.name)), h("td", { class: "left" }, each.in), h("td", { class: "left" }, each.description ?? each.schema?.title ?? ""))))) : null,
        facts.requestBody ? h("p", { class: "hint" }, "Body: ", h("code", {}, reference(facts.requestBody.content["application/json"].schema))) : null));
    }
  }
}
const reference = (schema) => (schema.$ref ?? JSON.stringify(schema)).split("/").pop();
