"""equilibrist solves, plays and explains games of imperfect information, poker above all.

Start with `load_game`, `solve` and the `Solution` they give. The `__init__.pyi` of this folder and of those of the layers are the public
interface: they say where each name is defined, to editors and type checkers as to `PublicPackage`, which imports a name when it is first
used. Everything else is internal and may change.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class PublicPackage(ModuleType):
    """A package that shows its public names alone; each stays what it is when a folder of the same name is imported."""

    def __getattr__(self, name: str) -> Any:
        homes = self._public_homes()
        if name == "__all__":
            return sorted(homes)
        if name not in homes:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name]), name)
        super().__setattr__(name, found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in self._public_homes()):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return list(self.__all__)

    def _public_homes(self) -> dict[str, str]:
        """name -> module, from the lines `from module import name as name` of the stub."""
        homes: dict[str, str] | None = self.__dict__.get("_homes")
        if homes is None:
            stub = self.__spec__.loader.get_data(f"{self.__file__}i")  # from a zip file, too
            lines = [line.split() for line in stub.decode().splitlines()]
            homes = {line[3]: line[1] for line in lines if line[:1] == ["from"]}
            super().__setattr__("_homes", homes)
        return homes


def publish(package: str) -> None:
    """For the `__init__` of a package with a stub beside it."""
    sys.modules[package].__class__ = PublicPackage


publish(__name__)
