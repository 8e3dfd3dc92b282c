"""Requests made up from the API's own description: values that fit it, values that nearly do, and values that do not at all."""

import json
import math
from urllib.parse import quote

from hypothesis import strategies as st

BASE = "/api/v1"
RIVER = {
    "board": "Td9d6hQc2s",
    "pot": 200,
    "stack": 300,
    "range": {"oop": "AA,KK,QJs,87s,A5s", "ip": "QQ,JTs,A9s,K8s,TT"},
    "bets": {"bet": "50%, a", "raise": "a"},
}
TOML = 'board = "Td9d6hQc2s"\npot = 1\nstack = 1\n[range]\noop = "AA"\nip = "KK"\n[bets]\nbet = "a"'
# what gets past the door, by the name of a field or parameter
LIVELY = {
    "board": ["Td9d6hQc2s", "Td9d6hQc", "Td9d6hQc3s", "AhKd2c2d9s", "TdTd6h", "", "Zz"],
    "oop": ["AA,KK,QJs", "QQ:0.5,A5s", "AsKs", "@/etc/passwd", "AA:1e-300", "random:0"],
    "ip": ["QQ,JTs", "TT+", "KdKh:1e-25", "QQ,,JJ", "AA:nan"],
    "bet": ["50%", "33%, 75%, a", "", "1e9%", "2.5x", "e", "3e200%", "100c", "-5%", "0.001*", "a,a,a"],
    "raise": ["a", "60%", "2x", ""],
    "donk": ["50%", ""],
    "line": ["", "x", "x:b100", "b100:c", "x:x", "x:b100:c:8h", "b100:f", ":", "x::x", "b1e999", "Td"],
    "until": ["1%", "0.5%", "2", "-1%", "1e-300%", "nan", "%", None],
    "solver": ["dcfr(gamma=3)", "dcfr", "cfr+", "fp", "dcfr(gamma=1e400)", "lp", "dcfr("],
    "agent": [
        "random",
        "always-call",
        "rule-based",
        "equilibrium",
        "kuhn.eqb",
        "kuhn.eqb(search=river)",
        "../kuhn.eqb",
    ],
    "game": ["leduc", "kuhn", "", "limit-holdem", "nolimit-holdem(stack=2000)", "kuhn(cards=99999999999)", "rps-plus"],
    "action": ["x", "c", "f", "b", "r", "a", "50%", "b300", "b1e999", "-1"],
    "name": ["a name", "kuhn.eqb", "..%2f", ""],
    "toml": [TOML, "a = [[[[", "." * 999, "pot = nan"],
    "text": ["AA,KK", "22+", "AKs:0.5", "@file", "AA:-1"],
    "hands": ["random", "AA", "AsKs:0.5"],
    "hand": [0, 1, 99999],
    "move": [0, 1, 2],
    "iteration": [0, 1, 7, 60, -1, 5001],
    "infoset": ["K", "Jc", "nothing"],
    "count": [1, 5, 25, 0, 201],
    "iterations": [1, 5, 20, 0],
    "seconds": [0.01, 0.2, 0],
    "steps": [[0.0], [0.0, 1.0], [0.5], []],
    "answer": ["x", "f", "c", "b100"],
}
FEW = {"iteration": (0, 300), "count": (1, 40), "iterations": (1, 200), "seconds": (0.001, 1.0)}  # what costs time
MARKS = ["\ud800", "\x00", "‮", "<script>", "'; drop table job; --", "9" * 400, "[" * 3000, "ß" * 50, "％"]
ODD_TEXT = st.one_of(st.text(max_size=30), st.sampled_from(MARKS))
ODD_NUMBER = st.sampled_from([0, -1, 1e308, -1e308, math.inf, math.nan, 10**25, 1e-320, 2**63, 0.5])
ODD = st.one_of(
    ODD_TEXT,
    ODD_NUMBER,
    st.none(),
    st.booleans(),
    st.just([]),
    st.just({}),
    st.lists(ODD_NUMBER, max_size=3),
    st.dictionaries(ODD_TEXT, ODD_NUMBER, max_size=2),
)


class Description:
    """An OpenAPI description as strategies of requests, and as a judge of answers."""

    def __init__(self, document):
        self.document = document
        self.operations = [(m, p, op) for p, ways in document["paths"].items() for m, op in ways.items()]

    def resolved(self, schema):
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def value(self, schema, name="", depth=0):
        """Values for a schema: those that fit, lively ones by name, and, now and then, odd ones."""
        schema = self.resolved(schema)
        lively = [(8, st.sampled_from(LIVELY[name]))] if name in LIVELY and "properties" not in schema else []
        return often(*lively, (8, self._fitting(schema, name, depth)), (1, ODD))

    def _fitting(self, schema, name, depth):
        if "anyOf" in schema:
            return st.one_of(*(self.value(each, name, depth) for each in schema["anyOf"]))
        if "const" in schema or "enum" in schema:
            return st.sampled_from(schema.get("enum", [schema.get("const")]))
        kind = schema.get("type")
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            least = schema.get("minItems", 0)
            most = max(least, min(schema.get("maxItems", 3), 3))
            return st.lists(self.value(schema["items"], "", depth + 1), min_size=least, max_size=most)
        if kind == "string" and "pattern" in schema:
            return st.from_regex(schema["pattern"], fullmatch=True)
        if kind == "string":
            return st.text(max_size=min(schema.get("maxLength", 20), 20))
        low = schema.get("minimum", schema.get("exclusiveMinimum", -1000))
        low, high = FEW.get(name, (low, min(schema.get("maximum", 1000), low + 1000)))
        if kind == "integer":
            return st.integers(low, high)
        return {"number": st.floats(low, high), "boolean": st.booleans(), "null": st.none()}.get(kind, ODD)

    def _object(self, schema, depth):
        known, needed = schema.get("properties", {}), set(schema.get("required", ()))
        if not known or depth > 4:
            return st.dictionaries(st.text(max_size=5), ODD, max_size=2)
        must = {name: self.value(each, name, depth + 1) for name, each in known.items() if name in needed}
        may = {name: self.value(each, name, depth + 1) for name, each in known.items() if name not in needed}
        made = st.fixed_dictionaries(must, optional=may)
        cut = st.tuples(made, st.sampled_from(sorted(known))).map(lambda pair: without(pair[0], pair[1]))
        more = st.tuples(made, ODD_TEXT, ODD).map(lambda parts: parts[0] | {parts[1]: parts[2]})
        return often((16, made), (1, cut), (1, more))

    def spots(self):
        """A spot that can be solved, but for one key."""
        schema = self.document["components"]["schemas"]["SpotModel"]
        return st.one_of(
            st.just(RIVER),
            *(
                self.value(each, name).map(lambda value, name=name: RIVER | {name: value})
                for name, each in schema["properties"].items()
            ),
        )

    def bodies(self, schema, known):
        made, whole = self.value(schema), self.resolved(schema)
        fields = whole.get("properties", {})
        if whole is self.document["components"]["schemas"]["SpotModel"]:
            made = often((1, made), (3, self.spots()))
        elif "spot" in fields:
            with_spot = st.tuples(made, self.spots()).map(lambda two: without(two[0], "solution", spot=two[1]))
            made = often((1, made), (3, with_spot))
        if "solution" in fields:
            made = often((2, made), (1, made.map(lambda each: without(each, "spot", solution=known["solution"]))))
        return often((20, made.map(json.dumps)), (1, st.one_of(ODD_TEXT, st.just("{"), st.just("[" * 2000))))

    def requests(self, method, path, operation, known):
        """(method, address, query, body as text or None)."""
        real = (
            {} if method == "delete" else known
        )  # what was made for this run is there to be asked, and not to be deleted

        def of(parameter):
            name = parameter["name"]
            made = self.value(parameter["schema"], name)
            return often((6, st.just(real[name])), (1, made)) if name in real else made

        parameters = operation.get("parameters", [])
        places = {each["name"]: of(each) for each in parameters if each["in"] == "path"}
        asked = {each["name"]: of(each) for each in parameters if each["in"] == "query"}
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        return st.tuples(
            st.just(method),
            st.fixed_dictionaries(places).map(lambda given: filled(path, given)),
            st.fixed_dictionaries({}, optional=asked).map(plain_query),
            self.bodies(body["schema"], known) if body else st.none(),
        )

    def fits(self, value, schema, where="answer"):
        """None, or what about a value is not as described."""
        schema = self.resolved(schema)
        if "anyOf" in schema:
            found = [self.fits(value, each, where) for each in schema["anyOf"]]
            return None if None in found else found[0]
        if "enum" in schema or "const" in schema:
            return None if value in schema.get("enum", [schema.get("const")]) else f"{where} is {value!r}"
        kind = schema.get("type")
        if kind in KINDS and (not isinstance(value, KINDS[kind]) or (isinstance(value, bool) and kind != "boolean")):
            return f"{where} is {value!r}, not {kind}"
        if kind == "array":
            return next(filter(None, (self.fits(each, schema["items"], f"{where}[]") for each in value)), None)
        if kind == "object":
            missing = [name for name in schema.get("required", ()) if name not in value]
            if missing:
                return f"{where} lacks {missing[0]}"
            known, others = schema.get("properties", {}), schema.get("additionalProperties")
            rest = others if isinstance(others, dict) else {}
            problems = (self.fits(each, known.get(name, rest), f"{where}.{name}") for name, each in value.items())
            return next(filter(None, problems), None)
        return None

    def judge(self, operation, answer):
        """None, or how an answer differs from the description of its operation."""
        described = operation["responses"].get(str(answer.status_code))
        if described is None:
            return f"{answer.status_code} is not described"
        content = described.get("content")
        if not content or answer.status_code == 204:
            return "there should be no content" if answer.content else None
        kind = answer.headers["content-type"].split(";")[0]
        if kind not in content:
            return f"{kind} instead of {', '.join(content)}"
        return self.fits(answer.json(), content[kind]["schema"]) if kind == "application/json" else None


KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "null": type(None),
}


def often(*choices):
    """One of some strategies, each as often as its number says; `one_of` would take branches of branches for its own."""
    numbers = [place for place, (count, _) in enumerate(choices) for _ in range(count)]
    return st.sampled_from(numbers).flatmap(lambda place: choices[place][1])


def without(table, name, **changes):
    """A table without a key and with others; what is no table stays as it is."""
    return {k: v for k, v in table.items() if k != name} | changes if isinstance(table, dict) else table


def as_text(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "replace").decode()[:600]


def filled(path, given):
    for name, value in given.items():
        path = path.replace("{" + name + "}", quote(as_text(value)[:200], safe="") or "%20")
    return path


def plain_query(given):
    return {name: as_text(value) for name, value in given.items()}
