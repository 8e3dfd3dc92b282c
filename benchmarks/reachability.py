"""Which lines of the package can be reached from a command, an agent or the public API; which only from experiments; which from nothing.

A static estimate by names: a function is reached when reached code names it, a method when its class is reached and reached code has an
attribute of its name, a module's own statements when anything in it is reached. Text that names a module (catalogues, lazy imports)
reaches that module. Imports alone reach nothing. `--list FOLDER` names what is not reached there.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "equilibrist"
ROOTS = (
    "interfaces",
    "agents",
    "",
    "testing",
)  # commands and web, agents, the public API, checks for people's own games
REACHED, EXPERIMENTS, NOTHING = "reached", "only experiments", "nothing"


@dataclass
class Definition:
    """A function, method or class body, or the statements of a module."""

    module: str
    name: str  # "" for a module's statements, Class.method for methods
    lines: int
    names: set[str] = field(default_factory=set)  # names read
    attributes: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)


@dataclass
class Module:
    """One file."""

    name: str
    definitions: dict[str, Definition]
    imported: dict[str, tuple[str, str]]  # local name -> module, name there ("" for a module)


class Uses(ast.NodeVisitor):
    """What a piece of code names."""

    def __init__(self, into: Definition) -> None:
        self.into = into

    def visit_Name(self, node: ast.Name) -> None:
        self.into.names.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.into.attributes.add(node.attr)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.into.texts.add(node.value)


def read_module(path: Path) -> Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = path.relative_to(SOURCE).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    found: dict[str, Definition] = {}
    top = Definition(name, "", 0)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            _add(found, name, node.name, node, node)
        elif isinstance(node, ast.ClassDef):
            _add_class(found, name, node)
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            top.lines += _span(node)
            Uses(top).visit(node)
    found[""] = top
    return Module(name, found, dict(_imports(tree)))


def _span(node: ast.stmt) -> int:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return (node.end_lineno or node.lineno) - first + 1


def _add(found: dict[str, Definition], module: str, name: str, node: ast.stmt, code: ast.AST) -> None:
    found[name] = Definition(module, name, _span(node))
    Uses(found[name]).visit(code)


def _add_class(found: dict[str, Definition], module: str, node: ast.ClassDef) -> None:
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    body = found[node.name] = Definition(module, node.name, _span(node) - sum(map(_span, methods)))
    for part in (*node.decorator_list, *node.bases, *(each for each in node.body if each not in methods)):
        Uses(body).visit(part)
    for method in methods:
        key = f"{node.name}.{method.name}"
        _add(found, module, key, method, method)


def _imports(tree: ast.Module) -> Iterator[tuple[str, tuple[str, str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "equilibrist":
            inside = (node.module or "").partition(".")[2]
            for alias in node.names:
                yield alias.asname or alias.name, (inside, alias.name)


class Package:
    """All modules, and what follows from some of them."""

    def __init__(self) -> None:
        self.modules = {module.name: module for module in map(read_module, sorted(SOURCE.rglob("*.py")))}
        layers = {name.split(".")[0] for name in self.modules if name}
        self.prefixes = ("", *(f"{layer}." for layer in sorted(layers)))

    def reach(self, roots: list[str], closed: str = "") -> set[tuple[str, str]]:
        """Definitions reached from all definitions of the roots; a `closed` layer is not entered."""
        reached: set[tuple[str, str]] = set()
        waiting = [(name, key) for name in roots for key in self.modules[name].definitions]
        attributes: set[str] = set()
        methods: dict[str, list[tuple[str, str]]] = defaultdict(list)  # of reached classes, not yet named

        def meet(module: str, key: str) -> None:
            if closed and module.split(".")[0] == closed:
                return
            if module in self.modules and (module, key) not in reached and key in self.modules[module].definitions:
                waiting.append((module, key))

        while waiting:
            place = waiting.pop()
            if place in reached:
                continue
            reached.add(place)
            module, key = self.modules[place[0]], place[1]
            found = module.definitions[key]
            meet(module.name, "")
            if key and "." not in key:
                for other in module.definitions:
                    owner, _, method = other.partition(".")
                    if owner == key and method:
                        if method.startswith("__") or method in attributes:
                            meet(module.name, other)
                        else:
                            methods[method].append((module.name, other))
            for attribute in found.attributes - attributes:
                attributes.add(attribute)
                for place in methods.pop(attribute, ()):
                    meet(*place)
            for name in found.names | found.attributes:
                meet(module.name, name)
                if name in module.imported:
                    there, what = module.imported[name]
                    meet(there, what)
                    if f"{there}.{what}".lstrip(".") in self.modules:
                        self._module_used(f"{there}.{what}".lstrip("."), found, meet)
            for text in found.texts:
                self._named(text, meet)
        return reached

    def _module_used(self, module: str, found: Definition, meet) -> None:  # type: ignore[no-untyped-def]
        """`kernels.collect(…)`: attributes that the module defines."""
        for name in found.attributes:
            meet(module, name)

    def _named(self, text: str, meet) -> None:  # type: ignore[no-untyped-def]
        """Modules named in catalogues and lazy imports: their statements, and what a public table names beside them."""
        for prefix in self.prefixes:
            module = self.modules.get(f"{prefix}{text}".removeprefix("equilibrist."))
            if module is not None and module.name:
                meet(module.name, "")

    def public(self) -> list[tuple[str, str]]:
        """Names of the public API with their homes."""
        code = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
        out = []
        for node in code.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                for key, value in zip(node.value.keys, node.value.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                        out.append((str(value.value), str(key.value)))
        return out


def sort_lines() -> dict[tuple[str, str], str]:
    """For every definition how it can be reached."""
    package = Package()
    homes = {home for home, _ in package.public()}
    roots = [name for name in package.modules if name.split(".")[0] in ROOTS]
    package.modules[""].definitions[""].texts |= homes
    for home, name in package.public():
        if home in package.modules and name in package.modules[home].definitions:
            package.modules[""].imported[name] = (home, name)
            package.modules[""].definitions[""].names.add(name)
    first = package.reach(roots, closed="experiments")
    both = package.reach([*roots, *(name for name in package.modules if name.split(".")[0] == "experiments")])
    out = {}
    for module in package.modules.values():
        for key in module.definitions:
            place = (module.name, key)
            out[place] = REACHED if place in first else EXPERIMENTS if place in both else NOTHING
    return out


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", metavar="FOLDER", help="name what commands, agents and the API do not reach there")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    package, how = Package(), sort_lines()
    layers: dict[str, Counter[str]] = defaultdict(Counter)
    for (module, key), kind in how.items():
        layer = module.split(".")[0] or "equilibrist"
        if layer != "experiments":
            layers[layer][kind] += package.modules[module].definitions[key].lines
    if arguments.list:
        for (module, key), kind in sorted(how.items()):
            if module.startswith(arguments.list.replace("/", ".")) and kind != REACHED and key:
                print(f"{kind:17s} {package.modules[module].definitions[key].lines:4d}  {module}.{key}")
    if arguments.json:
        json.dump({layer: dict(counts) for layer, counts in layers.items()}, sys.stdout, indent=1)
        print()
        return
    total: Counter[str] = Counter()
    for layer, counts in sorted(layers.items()):
        total.update(counts)
        print(_row(layer, counts))
    print(_row("all", total))


def _row(name: str, counts: Counter[str]) -> str:
    lines = sum(counts.values())
    share = 100.0 * counts[REACHED] / lines if lines else 100.0
    rest = f"{counts[EXPERIMENTS]:5,d} only from experiments, {counts[NOTHING]:5,d} from nothing"
    return f"{name:12s} {lines:6,d} lines, {share:5.1f} % reached; {rest}"


if __name__ == "__main__":
    main()
