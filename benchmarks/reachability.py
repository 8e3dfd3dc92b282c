"""Which lines of the package can be reached from a command, an agent or the public API; which only from experiments; which from nothing.

A static estimate. It begins at `equilibrist` on the command line, at the public names, at `equilibrist.testing` and at the code of
examples and docs, and follows what reached code names:

- a function, class or constant of a module, through imports; module.name likewise; a name that only annotates does not count, unless it
  is a protocol;
- self.name in the class with its bases and subclasses; Class.name in that class; any other x.name in every class that is reached;
- text, in modules that import by name: catalogues, tables such as "module:name", getattr;
- methods between underscores with their class, as all methods where a base comes from another package (it calls them), and public
  methods where the public API names the class or its functions take or return it.

`--list FOLDER` names what is not reached there ("" for everything).
"""

from __future__ import annotations

import argparse
import ast
import builtins
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "equilibrist"
COMMAND = ("interfaces.cli", "main")  # the script of pyproject.toml
CHECKS = "testing"  # for people's own games, players, solvers, forms
EVALUATED = "interfaces"  # annotations there are read when the program runs: options of commands, bodies of requests
CATALOGUE = "core.catalogue"  # reads the tables of modules that a catalogue names
QUIET = {"Protocol", "TypedDict", "Generic", "NamedTuple", "ABC", "Enum", "object"}  # bases that call no method of ours
REACHED, EXPERIMENTS, NOTHING = "reached", "only experiments", "nothing"
Place = tuple[str, str]  # module, name there; "" for the module's own statements, Class.method for methods


@dataclass
class Definition:
    """A function, method, class body or constant, or the statements of a module."""

    module: str
    name: str
    lines: int = 0
    names: set[str] = field(default_factory=set)
    hints: set[str] = field(default_factory=set)  # names in annotations
    arguments: set[str] = field(default_factory=set)  # names in the annotations of what it takes
    results: set[str] = field(default_factory=set)  # names in the annotation of what it returns
    attributes: set[str] = field(default_factory=set)  # of anything
    dotted: set[tuple[str, str]] = field(default_factory=set)  # name.attribute
    own: set[str] = field(default_factory=set)  # self.attribute
    texts: set[str] = field(default_factory=set)
    local: set[str] = field(default_factory=set)


@dataclass
class Module:
    """One file."""

    name: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    imported: dict[str, Place] = field(default_factory=dict)  # local name -> module, name there ("" for a module)
    foreign: set[str] = field(default_factory=set)  # names of modules of other packages
    fields: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # of each class
    bases: dict[str, list[str]] = field(default_factory=dict)
    looks_up: bool = False  # getattr with a name that is not written there

    @property
    def texts(self) -> set[str]:
        return set().union(*(each.texts for each in self.definitions.values()))

    @property
    def attributes(self) -> set[str]:
        return set().union(*(each.attributes | {b for _, b in each.dotted} for each in self.definitions.values()))


class Uses(ast.NodeVisitor):
    """What a piece of code names."""

    def __init__(self, into: Definition, module: Module, owner: str = "") -> None:
        self.into, self.module, self.owner = into, module, owner

    def visit_Name(self, node: ast.Name) -> None:
        (self.into.names if isinstance(node.ctx, ast.Load) else self.into.local).add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        base = node.value
        own = isinstance(base, ast.Name) and base.id in ("self", "cls") and self.owner
        if isinstance(node.ctx, ast.Store) and own:
            self.module.fields[self.owner].add(node.attr)
        if isinstance(node.ctx, ast.Load):
            if own or (self.owner and isinstance(base, ast.Call) and getattr(base.func, "id", "") == "super"):
                self.into.own.add(node.attr)
            elif isinstance(base, ast.Name):
                self.into.dotted.add((base.id, node.attr))
            else:
                self.into.attributes.add(node.attr)
        self.visit(base)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.into.texts.add(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr") and len(node.args) > 1:
            wanted = node.args[1]
            if isinstance(wanted, ast.Constant):
                self.into.attributes.add(str(wanted.value))
            else:
                self.module.looks_up = True
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self.into.local.add(node.arg)
        self._annotated(node.annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._annotated(node.annotation)
        for part in (node.target, node.value):
            if part is not None:
                self.visit(part)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in (*node.decorator_list, node.args, *_code(node.body)):
            self.visit(part)
        self._annotated(node.returns)
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            self.into.arguments |= _names(argument.annotation)
        self.into.results |= _names(node.returns)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *_code(node.body)):
            self.visit(part)

    def _annotated(self, node: ast.expr | None) -> None:
        if node is None:
            return
        if self.module.name.split(".")[0] == EVALUATED:
            self.visit(node)
        else:
            self.into.hints |= _names(node)


def _names(node: ast.AST | None) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node else set()


def _code(body: list[ast.stmt]) -> list[ast.stmt]:
    """A body without its docstring."""
    first = body[0] if body else None
    written = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[1:] if written else body


def read_module(name: str, text: str) -> Module:
    tree = ast.parse(text)
    out = Module(name)
    top = out.definitions[""] = Definition(name, "")
    handlers = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            _add(out, node.name, node)
            handlers += [(each.id, node.name) for part in node.decorator_list for each in ast.walk(part)
                         if isinstance(each, ast.Name)]  # fmt: skip
        elif isinstance(node, ast.ClassDef):
            _add_class(out, node)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and (found := _target(node)):
            _add(out, found, node)
            out.definitions[found].local.clear()
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            top.lines += _span(node)
            if node in _code(tree.body):
                Uses(top, out).visit(node)
    for made, handler in handlers:  # @router.get: whoever names the router may call the function
        if made in out.definitions and made != handler:
            out.definitions[made].names.add(handler)
    _read_imports(tree, out)
    return out


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
    return target.id if isinstance(target, ast.Name) and not target.id.startswith("__") else ""


def _span(node: ast.stmt) -> int:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return (node.end_lineno or node.lineno) - first + 1


def _add(module: Module, name: str, node: ast.stmt, owner: str = "") -> None:
    into = module.definitions.setdefault(name, Definition(module.name, name))  # a property and its setter are one
    into.lines += _span(node)
    Uses(into, module, owner).visit(node)


def _add_class(module: Module, node: ast.ClassDef) -> None:
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    body = module.definitions[node.name] = Definition(
        module.name, node.name, _span(node) - sum(_span(each) for each in methods)
    )
    rest = [each for each in _code(node.body) if each not in methods]
    for part in (*node.decorator_list, *node.bases, *node.keywords, *rest):
        Uses(body, module).visit(part)
    module.fields[node.name] |= body.local
    body.local.clear()
    module.bases[node.name] = [name for base in node.bases for name in _names(base)]
    for method in methods:
        _add(module, f"{node.name}.{method.name}", method, node.name)


def _read_imports(tree: ast.Module, into: Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            first, _, inside = (node.module or "").partition(".")
            for alias in node.names:
                if first == "equilibrist":
                    into.imported[alias.asname or alias.name] = (inside, alias.name)
        elif isinstance(node, ast.Import):
            into.foreign |= {alias.asname or alias.name.split(".")[0] for alias in node.names}


class Package:
    """All modules, and what follows from some of them."""

    def __init__(self, source: Path = SOURCE) -> None:
        self.source = source
        self.modules: dict[str, Module] = {}
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            name = ".".join(part for part in parts if part != "__init__")
            self.modules[name] = read_module(name, path.read_text(encoding="utf-8"))

    def resolve(self, module: str, name: str) -> Place | None:
        """Where a module's name is defined; (module, "") for a module."""
        for _ in range(5):  # names that modules hand on
            found = self.modules[module]
            if name in found.definitions:
                return module, name
            if name not in found.imported:
                return None
            module, name = found.imported[name]
            inside = f"{module}.{name}".lstrip(".")
            if inside in self.modules:
                return inside, ""
            if module not in self.modules:
                return None
        return None

    @cached_property
    def families(self) -> dict[Place, set[Place]]:
        """Each class with all its bases and subclasses in the package."""
        up: dict[Place, set[Place]] = {}
        for module in self.modules.values():
            for name, bases in module.bases.items():
                found = (self.resolve(module.name, base) for base in bases)
                up[(module.name, name)] = {place for place in found if place}

        def above(place: Place) -> set[Place]:
            return {place}.union(*(above(base) for base in up.get(place, ())))

        ancestors = {place: above(place) for place in up}
        family = {place: set(found) for place, found in ancestors.items()}
        for place, found in ancestors.items():
            for base in found:
                family.setdefault(base, {base}).add(place)
        return family

    def is_called(self, module: Module, name: str) -> bool:
        """Whether a base from elsewhere calls the methods."""
        bases = [(where, base) for where, cls in self.families[(module.name, name)]
                 for base in self.modules[where].bases.get(cls, ())]  # fmt: skip
        foreign = (base for where, base in bases if self.resolve(where, base) is None)
        return any(base not in QUIET and not hasattr(builtins, base) for base in foreign)

    def is_protocol(self, place: Place) -> bool:
        bases = {
            base for module, name in self.families.get(place, ()) for base in self.modules[module].bases.get(name, ())
        }
        return bool(bases & {"Protocol", "TypedDict"})

    def public(self) -> list[Place]:
        """Names of the public API with their homes: what the stubs of the package and its layers import."""
        nodes = [node for stub in sorted(self.source.rglob("__init__.pyi"))
                 for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]  # fmt: skip
        pairs = [
            ((node.module or "").removeprefix("equilibrist."), alias.name) for node in nodes for alias in node.names
        ]
        return [place for home, name in pairs if home in self.modules and (place := self.resolve(home, name))]

    def handed_out(self) -> set[Place]:
        """Classes that the public API names, or whose objects its functions take or return."""
        public = set(self.public())
        for module, name in tuple(public):
            for key, found in self.modules[module].definitions.items():
                if key.split(".")[0] == name and not key.rpartition(".")[2].startswith("_"):
                    public |= {
                        place for each in found.results | found.arguments if (place := self.resolve(module, each))
                    }
        return {place for place in public if place in self.families}


class Reach:
    """What reached code names, until nothing new is found."""

    def __init__(self, package: Package, closed: str = "") -> None:
        self.package, self.closed = package, closed
        self.reached: set[Place] = set()
        self.waiting: list[Place] = []
        self.attributes: set[str] = set()  # that reached code has of anything
        self.wanted: set[Place] = set()  # methods named with their class
        self.methods: dict[str, list[Place]] = defaultdict(list)  # of reached classes, not yet named

    def meet(self, module: str, key: str) -> None:
        if self.closed and module.split(".")[0] == self.closed:
            return
        found = self.package.modules.get(module)
        if found is not None and (module, key) not in self.reached and key in found.definitions:
            self.waiting.append((module, key))

    def run(self) -> set[Place]:
        while self.waiting:
            place = self.waiting.pop()
            if place not in self.reached:
                self.reached.add(place)
                self._follow(*place)
        return self.reached

    def _follow(self, name: str, key: str) -> None:
        module = self.package.modules[name]
        found = module.definitions[key]
        self._enter(name)
        decoded = key in module.bases and self.package.is_called(
            module, key
        )  # msgspec makes what fields are annotated with
        if key in module.bases:
            self._class(module, key)
        for other in found.names - found.local:
            place = self.package.resolve(name, other)
            if place and place[1]:
                self.meet(*place)
            elif place:  # a module as a value, and what is asked of it
                for key in found.attributes | {attribute for _, attribute in found.dotted}:
                    self.meet(place[0], key)
        for other in found.hints:
            place = self.package.resolve(name, other)
            if place and (decoded or place not in self.package.families or self.package.is_protocol(place)):
                self.meet(*place)
        for attribute in found.own:
            self._own(module, key.partition(".")[0], attribute)
        for base, attribute in found.dotted:
            self._dotted(module, found, base, attribute)
        for attribute in found.attributes:
            self.attribute(attribute)
        self._texts(module, found)

    def _enter(self, name: str) -> None:
        """The statements of a module and of the folders above it."""
        while name:
            self.meet(name, "")
            name = name.rpartition(".")[0]

    def _class(self, module: Module, name: str) -> None:
        called = self.package.is_called(module, name)
        for other in module.definitions:
            owner, _, method = other.partition(".")
            if owner == name and method:
                if (
                    called
                    or method.startswith("__")
                    or method in self.attributes
                    or (module.name, other) in self.wanted
                ):
                    self.meet(module.name, other)
                else:
                    self.methods[method].append((module.name, other))

    def attribute(self, name: str) -> None:
        self.attributes.add(name)
        for place in self.methods.pop(name, ()):
            self.meet(*place)

    def member(self, owner: Place, method: str) -> bool:
        """A method by its class: there, in bases and subclasses; False where none of them has it."""
        found = False
        for module, name in self.package.families.get(owner, ()):
            key = f"{name}.{method}"
            if key in self.package.modules[module].definitions:
                found = True
                self.wanted.add((module, key))
                if (module, name) in self.reached:
                    self.meet(module, key)
        return found

    def _own(self, module: Module, owner: str, attribute: str) -> None:
        if self.member((module.name, owner), attribute):
            return
        family = self.package.families.get((module.name, owner), ())
        if not any(attribute in self.package.modules[where].fields.get(name, ()) for where, name in family):
            self.attribute(attribute)

    def _dotted(self, module: Module, found: Definition, base: str, attribute: str) -> None:
        if base in found.local:
            return self.attribute(attribute)
        if base in module.foreign:
            return None
        place = self.package.resolve(module.name, base)
        if place and not place[1]:
            if there := self.package.resolve(place[0], attribute):
                self.meet(*there)
        elif not (place and place in self.package.families and self.member(place, attribute)):
            self.attribute(attribute)
        return None

    def _texts(self, module: Module, found: Definition) -> None:
        """Modules that text names, with what the module that names them asks of them."""
        if module.looks_up:
            for text in found.texts:
                if text.isidentifier():
                    self.attribute(text)
        texts = module.texts
        inside = {text.removeprefix("equilibrist").strip(".") for text in texts if re.match(r"equilibrist(\.|$)", text)}
        if not inside:
            return
        asked = texts | module.attributes
        if any(home == CATALOGUE for home, _ in module.imported.values()):
            asked = asked | self.package.modules[CATALOGUE].attributes
        for text in found.texts:
            named, _, thing = text.partition(":")
            for folder in inside:
                name = f"{folder}.{named}".strip(".") if named else ""
                if name in self.package.modules and name:
                    self._enter(name)
                    for key in ({thing} if thing else asked) & self.package.modules[name].definitions.keys() - {""}:
                        self.meet(name, key)


def _examples() -> Iterable[Module]:
    """Code of examples, the README and the docs: how people use what the public API hands out."""
    for path in sorted((ROOT / "examples").rglob("*.py")):
        yield read_module("", path.read_text(encoding="utf-8"))
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for block in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
            try:
                yield read_module("", block)
            except SyntaxError:
                continue


def reach(package: Package, *, experiments: bool) -> set[Place]:
    """Everything reached from commands, the public API, checks, and experiments if wanted."""
    search = Reach(package, "" if experiments else "experiments")
    search.meet(*COMMAND)
    roots = [name for name in package.modules if name.split(".")[0] in ("", "__main__", CHECKS)]
    if experiments:
        roots += [name for name in package.modules if name.split(".")[0] == "experiments"]
    for name in roots:
        for key in package.modules[name].definitions:
            search.meet(name, key)
    for module, name in package.public():
        search.meet(module, name)
    for module, name in package.handed_out():
        search.meet(module, name)
        for place, cls in package.families[(module, name)]:
            for key in package.modules[place].definitions:
                if key.startswith(f"{cls}.") and not key.rpartition(".")[2].startswith("_"):
                    search.wanted.add((place, key))
    for example in _examples():
        for attribute in example.attributes:
            search.attribute(attribute)
    return search.run()


def sort_lines(package: Package) -> dict[Place, str]:
    """For every definition how it can be reached."""
    first, both = reach(package, experiments=False), reach(package, experiments=True)
    return {
        (module.name, key): REACHED
        if (module.name, key) in first
        else EXPERIMENTS
        if (module.name, key) in both
        else NOTHING
        for module in package.modules.values()
        for key in module.definitions
    }


def count_layers(package: Package, how: dict[Place, str]) -> dict[str, Counter[str]]:
    """Lines of each layer but the experiments by how they can be reached."""
    layers: dict[str, Counter[str]] = defaultdict(Counter)
    for (module, key), kind in how.items():
        layer = module.split(".")[0] or "equilibrist"
        if layer != "experiments":
            layers[layer][kind] += package.modules[module].definitions[key].lines
    return layers


def _unreached(package: Package, how: dict[Place, str], folder: str) -> Iterator[str]:
    for (module, key), kind in sorted(how.items()):
        lines = package.modules[module].definitions[key].lines
        inside = module.startswith(folder.replace("/", ".")) and module.split(".")[0] != "experiments"
        if inside and kind != REACHED and lines:
            yield f"{kind:17s} {lines:4d}  {module}{'.' if key else ''}{key}"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", metavar="FOLDER", help="name what commands, agents and the API do not reach there")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    package = Package()
    how = sort_lines(package)
    layers = count_layers(package, how)
    if arguments.list is not None:
        print("\n".join(_unreached(package, how, arguments.list)))
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
