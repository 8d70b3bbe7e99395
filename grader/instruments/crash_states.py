"""What a crash may leave of a folder, from the order in which it was written. Pure.

Two kinds of crash. A *kill* loses nothing that was handed to the kernel: the folder is what it was
at that moment. A *power loss* also loses what was not forced to the disk, by the rules of POSIX and
nothing better:

- A file's content that was not synchronised since it changed is any of what it was since it last
  was: nothing of a change, a part of it, or zeros in its place. A file never synchronised may be
  empty.
- A name that was made, moved or removed, and whose folder was not synchronised since, leads to any
  of what it led to since then, each name on its own.

File systems promise more than that, and differ in it; a state here may be one that a given machine
never shows. Blind to: hardware that lies about what it has written, and to damage of what was safe.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from posixpath import dirname

EVERYTHING = "everything"
_MOST_VERSIONS = 5
_MOST_STATES = 400


@dataclass(frozen=True, slots=True)
class Moment:
    """A folder right after one call.

    Attributes:
        call: Name of the call.
        names: For each path the number of the file it leads to.
        files: For each file's number its content.
        synced: What the call made durable: numbers of files, paths of folders (``""`` is the
            watched one itself), or `EVERYTHING`.
    """

    call: str
    names: dict[str, int]
    files: dict[int, bytes]
    synced: tuple[int | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Crash:
    """One state that a crash may leave.

    Attributes:
        after: Index of the last moment before the crash.
        folder: Content of each path.
        lost: What of the moment's folder is not there: a path, and words with a place for it.
    """

    after: int
    folder: dict[str, bytes]
    lost: tuple[tuple[str, str], ...] = ()


def kill_states(moments: Sequence[Moment]) -> list[Crash]:
    """Return what a kill leaves after each moment; a kill loses nothing."""
    return [
        Crash(i, {name: moment.files[file] for name, file in moment.names.items()})
        for i, moment in enumerate(moments)
    ]


def power_loss_states(moments: Sequence[Moment]) -> Iterator[Crash]:
    """Yield what a power loss may leave after each moment, each state once per moment.

    The folder of the first moment is taken to be safe on the disk.
    """
    names: dict[str, list[int | None]] = {}
    contents: dict[int, list[bytes]] = {}
    for i, moment in enumerate(moments):
        if i == 0:
            names = {name: [file] for name, file in moment.names.items()}
            contents = {file: [content] for file, content in moment.files.items()}
        for name in names.keys() | moment.names.keys():
            held = names.setdefault(name, [None])
            if held[-1] != moment.names.get(name):
                held.append(moment.names.get(name))
        for file, content in moment.files.items():
            versions = contents.setdefault(file, [b""])
            if versions[-1] != content:
                versions.append(content)
        for synced in moment.synced:
            _sync(synced, names, contents)
        yield from _states(i, names, contents)


def _sync(
    what: int | str, names: dict[str, list[int | None]], contents: dict[int, list[bytes]]
) -> None:
    """Forget what cannot come back any more."""
    for file, versions in contents.items():
        if what in (file, EVERYTHING):
            del versions[:-1]
    for name, held in names.items():
        if what in (dirname(name), EVERYTHING):
            del held[:-1]


def _states(
    after: int, names: dict[str, list[int | None]], contents: dict[int, list[bytes]]
) -> Iterator[Crash]:
    seen: set[tuple[tuple[str, bytes], ...]] = set()
    paths = sorted(names)
    for files in product(*(dict.fromkeys(reversed(names[path])) for path in paths)):
        there = {path: file for path, file in zip(paths, files, strict=True) if file is not None}
        used = sorted(set(there.values()))
        for held in product(*(_torn(contents[file]) for file in used)):
            content = dict(zip(used, held, strict=True))
            folder = {path: content[file] for path, file in there.items()}
            key = tuple(folder.items())
            if key not in seen and len(seen) < _MOST_STATES:
                seen.add(key)
                lost = _lost(names, contents, dict(zip(paths, files, strict=True)), content)
                yield Crash(after, folder, tuple(lost))


def _torn(versions: list[bytes]) -> list[bytes]:
    """Return what may be found of a content that went through these versions, the newest first."""
    kept = versions
    if len(versions) > _MOST_VERSIONS:
        kept = [*versions[:2], versions[len(versions) // 2], *versions[-2:]]
    found = dict.fromkeys(reversed(kept))
    if len(versions) > 1:
        new, old = versions[-1], versions[-2]
        same = len(old) if new.startswith(old) else 0
        rest = len(new) - same
        found |= dict.fromkeys((new[: same + rest // 2], new[:same] + bytes(rest)))
    return list(found)


def _lost(
    names: dict[str, list[int | None]],
    contents: dict[int, list[bytes]],
    chosen: dict[str, int | None],
    content: dict[int, bytes],
) -> Iterator[tuple[str, str]]:
    for path, file in chosen.items():
        now = names[path][-1]
        if file == now:
            continue
        if file is None:
            yield path, "the name {} is not there yet: its folder was not synchronised"
        elif now is None:
            yield path, "the name {} is still there: its folder was not synchronised"
        else:
            yield path, "{} still leads to the old file: its folder was not synchronised"
    for path, file in chosen.items():
        if file is not None and content[file] != contents[file][-1]:
            size, whole = len(content[file]), len(contents[file][-1])
            what = "zeros in place of what was written" if size == whole else f"{size} of {whole} B"
            yield path, f"{{}} holds {what}: it was not synchronised"


def timeline(
    moments: Sequence[Moment], crash: Crash, known: Collection[str], kind: str = "power loss"
) -> str:
    """Return a small text: the calls up to a crash, one a line, and what the crash leaves.

    Args:
        moments: All of them.
        crash: The crash.
        known: Names to show as they are; all others are shown as temporary files.
        kind: What to call the crash.
    """
    made = dict.fromkeys(name for moment in moments for name in moment.names)
    others = [name for name in made if name not in known]
    alias = {name: name for name in known}
    alias |= {name: f"temporary{i or ''}" for i, name in enumerate(others)}
    shown = [
        Moment(m.call, {alias[name]: file for name, file in m.names.items()}, m.files, m.synced)
        for m in moments
    ]
    lines = [f"{i}. {told(shown, i)}" for i in range(1, crash.after + 1)]
    if len(lines) > 9:
        lines = [*lines[:4], "   ...", *lines[-4:]]
    left = [f"{alias[name]} ({len(content)} B)" for name, content in crash.folder.items()]
    lost = [words.format(alias[path]) for path, words in crash.lost]
    return "\n".join([*lines, f"-- {kind} --", *lost, f"left: {', '.join(left) or 'no file'}"])


def told(moments: Sequence[Moment], i: int) -> str:
    """Return what the i-th moment's call did, in words."""
    before, moment = moments[i - 1], moments[i]
    done = list(_changes(before, moment))
    for synced in moment.synced:
        if isinstance(synced, int):
            held = [name for name, file in moment.names.items() if file == synced]
            done.append(f"{held[0] if held else 'a file'} is on the disk")
        else:
            what = {EVERYTHING: "everything", "": "the folder, with its names,"}.get(synced, synced)
            done.append(f"{what} is on the disk")
    return f"{moment.call}: {', '.join(done) or 'nothing changed'}"


def _changes(before: Moment, moment: Moment) -> Iterator[str]:
    gone = {file: name for name, file in before.names.items() if name not in moment.names}
    for name, file in moment.names.items():
        old = before.names.get(name)
        if old != file and file in gone:
            yield f"{gone.pop(file)} -> {name}"
        elif old != file:
            yield f"{name} made ({len(moment.files[file])} B)"
        elif before.files[file] != moment.files[file]:
            yield f"{name} {len(before.files[file])} -> {len(moment.files[file])} B"
    yield from (f"{name} removed" for name in gone.values())


def first_bad(crashes: Iterable[Crash], good: Iterable[bytes | None], name: str) -> Crash | None:
    """Return the first crash after which `name` holds something that is not among `good`.

    None in `good` stands for no file. What lost the least comes first, as it is told most easily.
    """
    allowed = list(good)
    bad = [crash for crash in crashes if crash.folder.get(name) not in allowed]
    return min(bad, key=lambda crash: (len(crash.lost), crash.after), default=None)
