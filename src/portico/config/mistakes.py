"""Collects the mistakes in a configuration file, to report them all at once with their lines."""

import json
import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from portico.config.locate import KeyPath as Place
from portico.config.locate import locate_keys
from portico.errors import ConfigError

_SHOWN_LENGTH = 60  # characters of a wrong value that a message repeats
_AT_LINE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake on a line of a file; line 0 if something is missing from the file as a whole."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class ParsedToml:
    """A file that could be parsed: its values, and their lines."""

    path: Path
    values: dict[str, Any]
    lines: dict[Place, int]

    def line(self, *place: str | int) -> int:
        """Return the line of a value, or of the closest table or list around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 0)


@dataclass(frozen=True, slots=True)
class MistakeList:
    """Collects the mistakes of one file, from all functions that read parts of it."""

    toml: ParsedToml
    mistakes: list[Mistake] = field(default_factory=list)

    def note(self, message: str, *place: str | int) -> None:
        self.mistakes.append(Mistake(self.toml.line(*place), message))

    def beside(self, name: str) -> Path:
        """The path of a file or folder named in this file, relative to it; ~ is expanded."""
        return self.toml.path.parent / os.path.expanduser(name)

    def finish(self) -> None:
        """Raise all mistakes as one error, if there are any."""
        if self.mistakes:
            raise make_error(self.toml.path, self.mistakes)


def read_toml(path: Path, *, advice: str) -> ParsedToml:
    """Parse a file; ConfigError names the line if it is not TOML, and gives `advice` if it is missing."""
    text = read_text(path, advice=advice)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise make_error(path, [_make_syntax_mistake(str(fault), text)]) from fault
    except RecursionError as fault:
        raise make_error(path, [Mistake(0, "lists are nested too deeply")]) from fault
    return ParsedToml(path, values, locate_keys(text))


def read_text(path: Path, *, advice: str) -> str:
    """Read a builder's text file; ConfigError if it is missing, unreadable or not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as fault:
        raise ConfigError(f"{path}: there is no such file. {advice}") from fault
    except OSError as fault:
        raise ConfigError(f"{path}: cannot be read: {fault.strerror or fault}.") from fault
    except UnicodeDecodeError as fault:
        line = fault.object.count(b"\n", 0, fault.start) + 1
        message = "this line is not UTF-8 text; save the file with the encoding UTF-8"
        raise make_error(path, [Mistake(line, message)]) from fault


def make_error(path: Path, mistakes: Sequence[Mistake]) -> ConfigError:
    """Combine all mistakes into one error, in the order of the file."""
    lines = [_format_mistake(path, mistake) for mistake in sorted(mistakes, key=lambda each: each.line)]
    if len(lines) == 1:
        return ConfigError(lines[0])
    return ConfigError("\n".join([f"{path}: {len(lines)} mistakes", *(f"  {line}" for line in lines)]))


def quote_value(value: object) -> str:
    """Quote a wrong value for a message: shortened, in TOML notation."""
    words = json.dumps(value, ensure_ascii=False, default=str)
    return words if len(words) <= _SHOWN_LENGTH else f"{words[:_SHOWN_LENGTH]}…"


def format_hint(guess: str | None) -> str:
    return f'; did you mean "{guess}"?' if guess else ""


def _format_mistake(path: Path, mistake: Mistake) -> str:
    where = f"{path}:{mistake.line}" if mistake.line else str(path)
    return f"{where}: {mistake.message}"


def _make_syntax_mistake(message: str, text: str) -> Mistake:
    found = _AT_LINE.search(message)
    words = _AT_LINE.sub("", message)
    end = len(text.rstrip().splitlines())
    line = int(found.group(1)) if found and found.group(1) else end
    return Mistake(line, f"this is not TOML: {words[:1].lower()}{words[1:]}")
