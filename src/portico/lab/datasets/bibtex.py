"""Reads BibTeX as found on the web: one entry at a time, leniently."""

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ENTRY = re.compile(r"@\s*([A-Za-z]+)\s*[{(]")
_FIELD = re.compile(r"([A-Za-z][\w-]*)\s*=\s*")
_NOT_ENTRIES = frozenset({"comment", "preamble", "string"})
_ACCENT = re.compile(r"\\[`'^\"~=.uvHtcdbkr]\s*\{?\\?([A-Za-z])\}?")
_COMMAND = re.compile(r"\\[A-Za-z]+\s*|\\.")
_ENTITIES = {
    "\\ss": "ss",
    "\\o": "o",
    "\\O": "O",
    "\\l": "l",
    "\\L": "L",
    "\\ae": "ae",
    "\\aa": "a",
    "\\&": "&",
}
_ENTITY = re.compile(r"\\(?:ss|o|O|l|L|ae|aa)(?![A-Za-z])|\\&")
_MAX_VALUE = 2_000  # characters; longer values are abstracts or a missing brace


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """One bibliography entry: its type and its fields, with names in lower case and values without TeX."""

    kind: str
    fields: tuple[tuple[str, str], ...]


def read_archive(path: Path) -> Iterator[BibtexEntry]:
    """All entries of all .bib files in a tar archive, in order of file names."""
    texts = {}
    with tarfile.open(path) as archive:
        # In the archive's own order: seeking backwards in a compressed file means unpacking it again.
        for member in archive:
            if member.name.endswith(".bib") and (file := archive.extractfile(member)):
                texts[member.name] = file.read().decode("utf-8", errors="replace")
    for name in sorted(texts):
        yield from read_entries(texts[name])


def read_entries(text: str) -> Iterator[BibtexEntry]:
    """The entries of one file; unreadable text is skipped up to the next entry."""
    starts = list(_ENTRY.finditer(text))
    for idx, match in enumerate(starts):
        kind = match[1].lower()
        if kind in _NOT_ENTRIES:
            continue
        end = starts[idx + 1].start() if idx + 1 < len(starts) else len(text)
        yield BibtexEntry(kind, tuple(_fields(text[match.end() : end])))


def strip_tex(value: str) -> str:
    """A TeX value as printed, accents dropped: `G{\\"o}del` is `Godel`."""
    value = _ENTITY.sub(lambda match: _ENTITIES[match[0]], value)
    value = _ACCENT.sub(r"\1", value)
    value = _COMMAND.sub(" ", value)
    return " ".join(value.replace("{", "").replace("}", "").replace("$", "").replace("~", " ").split())


def _fields(body: str) -> Iterator[tuple[str, str]]:
    position = body.find(",")
    while position != -1:
        match = _FIELD.search(body, position)
        if match is None:
            return
        value, position = _value(body, match.end())
        if value and len(value) <= _MAX_VALUE:
            yield match[1].lower(), strip_tex(value)


def _value(body: str, start: int) -> tuple[str, int]:
    opener = body[start : start + 1]
    if opener == "{":
        return _braced(body, start)
    if opener == '"':
        end = start + 1
        depth = 0
        while end < len(body) and (body[end] != '"' or depth):
            depth += (body[end] == "{") - (body[end] == "}")
            end += 1
        return body[start + 1 : end], end + 1
    match = re.compile(r"[^,}\n]*").match(body, start)
    assert match is not None  # the pattern matches the empty string
    word = match[0].strip()
    # Anything but a number is the name of a @string we do not have.
    return (word if word.isdigit() else ""), match.end() + 1


def _braced(body: str, start: int) -> tuple[str, int]:
    depth = 0
    for end in range(start, len(body)):
        depth += (body[end] == "{") - (body[end] == "}")
        if depth == 0:
            return body[start + 1 : end], end + 1
    return "", len(body)
