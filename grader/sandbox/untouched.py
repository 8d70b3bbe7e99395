"""In the worker: what the measuring code was before a line of the student's ran, and still must be.

Student code shares a process with the probes and the instruments. A known question tells when an
instrument no longer measures; it does not tell when a part of one that the question does not pass
through has been replaced. Here each function and class is compared with what was there before.

Blind to: what is put back before the call ends, and what functions do to the data they share.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any


@dataclass(frozen=True, slots=True)
class Held:
    """One function, class or property as it was.

    Attributes:
        name: What a person calls it, such as ``"host_syncs.HostSyncs.own"``.
        holder: What it is kept in: names of a module or class, or all modules.
        key: Its name there.
        value: The object.
        code: What a function runs, None for anything else.
    """

    name: str
    holder: Mapping[str, Any]
    key: str
    value: Any
    code: Any

    @property
    def replaced(self) -> bool:
        """Whether something else is there now."""
        now = self.holder.get(self.key)
        return now is not self.value or _code(now) is not self.code


def held(packages: Collection[str]) -> tuple[Held, ...]:
    """Return what modules of these packages hold now."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType)
        and any(name == package or name.startswith(f"{package}.") for package in packages)
    ]
    return tuple(one for module in modules for one in _in_module(module))


def replaced(before: Collection[Held]) -> str:
    """Return the name of the first that is another now, empty if none is."""
    return next((one.name for one in before if one.replaced), "")


def _in_module(module: ModuleType) -> Iterator[Held]:
    short = module.__name__.rpartition(".")[2]
    yield Held(short, sys.modules, module.__name__, module, None)
    for key, value in list(vars(module).items()):
        if key.startswith("__"):  # Python's own, and what torch.compile keeps there for a while
            continue
        if callable(value) or isinstance(value, ModuleType):
            yield Held(f"{short}.{key}", vars(module), key, value, _code(value))
        if isinstance(value, type) and value.__module__ == module.__name__:
            for inner, part in list(vars(value).items()):
                if callable(part) or isinstance(part, property | classmethod | staticmethod):
                    name = f"{short}.{key}.{inner}"
                    yield Held(name, vars(value), inner, part, _code(part))


def _code(value: Any) -> Any:
    """Return what a function, or the reader of a property, runs."""
    inside = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    return inside.__code__ if isinstance(inside, FunctionType) else None
