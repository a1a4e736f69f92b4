"""Finds the line of each table, key and list item in a TOML file, which `tomllib` does not report."""

import re
import tomllib
from dataclasses import dataclass, field

KeyPath = tuple[str | int, ...]
"""("fetch", "delay_s") for a key, ("source", 0, "seeds", 2) for the third item of a list."""

_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_LINE_END = re.compile(r"[^\n]*(?:\n|\Z)")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}#\n]*")
_STRINGS = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r'"""(?:\\.|(?!""").)*"""+',  # up to two quotes may precede the closing three
        r"'''(?:(?!''').)*'''+",
        r'"(?:\\.|[^"\\\n])*"',
        r"'[^'\n]*'",
    )
)


def locate_keys(text: str) -> dict[KeyPath, int]:
    """Return the line numbers, from 1, of everything in a file that `tomllib` has accepted."""
    reader = _Reader(text)
    reader.read()
    return reader.lines


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    lines: dict[KeyPath, int] = field(default_factory=dict)
    n_tables: dict[KeyPath, int] = field(default_factory=dict)  # of each array of tables, so far

    def read(self) -> None:
        table: KeyPath = ()
        self.skip(_GAP)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.skip(_LINE_END)
            self.skip(_GAP)

    def header(self) -> KeyPath:
        many = self.text.startswith("[[", self.at)
        start = self.at
        self.at += 2 if many else 1
        path = self.full_path((), self.key())
        if many:
            number = self.n_tables.get(path, -1) + 1
            self.n_tables[path] = number
            self.mark(path, start)
            path = (*path, number)
        self.mark(path, start)
        return path

    def pair(self, table: KeyPath) -> None:
        start = self.at
        names = self.key()
        for length in range(1, len(names) + 1):
            self.mark((*table, *names[:length]), start)
        self.skip(_SPACE)
        self.at += 1  # the equals sign
        self.skip(_SPACE)
        self.value((*table, *names))

    def key(self) -> tuple[str, ...]:
        """Read a key: a name, or several joined by dots."""
        names: list[str] = []
        while True:
            self.skip(_SPACE)
            names.append(self.name())
            self.skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return tuple(names)
            self.at += 1

    def name(self) -> str:
        quoted = self.string()
        if quoted is None:
            return self.skip(_BARE_KEY)
        return _unquote(quoted)

    def value(self, path: KeyPath) -> None:
        first = self.text[self.at : self.at + 1]
        if first == "[":
            self.items(path)
        elif first == "{":
            self.inline_table(path)
        elif self.string() is None:
            self.skip(_BARE_VALUE)

    def items(self, path: KeyPath) -> None:
        number = 0
        self.at += 1
        self.skip(_GAP)
        while self.at < len(self.text) and self.text[self.at] != "]":
            self.mark((*path, number), self.at)
            self.value((*path, number))
            number += 1
            self.separator()
        self.at += 1

    def inline_table(self, path: KeyPath) -> None:
        self.at += 1
        self.skip(_GAP)
        while self.at < len(self.text) and self.text[self.at] != "}":
            self.pair(path)
            self.separator()
        self.at += 1

    def separator(self) -> None:
        self.skip(_GAP)
        if self.text.startswith(",", self.at):
            self.at += 1
        self.skip(_GAP)

    def string(self) -> str | None:
        for pattern in _STRINGS:
            found = pattern.match(self.text, self.at)
            if found:
                self.at = found.end()
                return found.group()
        return None

    def full_path(self, path: KeyPath, names: tuple[str, ...]) -> KeyPath:
        """Resolve the names in a header; below an array of tables they mean its latest table."""
        for position, name in enumerate(names):
            path = (*path, name)
            if path in self.n_tables and position < len(names) - 1:
                path = (*path, self.n_tables[path])
        return path

    def skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None or found.end() == self.at:
            return ""
        self.at = found.end()
        return found.group()

    def mark(self, path: KeyPath, at: int) -> None:
        self.lines.setdefault(path, self.text.count("\n", 0, at) + 1)


def _unquote(quoted: str) -> str:
    return str(next(iter(tomllib.loads(f"{quoted} = 0"))))
