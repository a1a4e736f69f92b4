"""Definition of one key of portal.toml: default, help text, and validation."""

import re
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from ipaddress import ip_network
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from portico.text.words import find_nearest


@dataclass(frozen=True, slots=True)
class ValueCheck:
    """A rule for a value.

    `allowed` completes "allowed: …"; `suggest` returns a valid value similar to a wrong one.
    """

    allowed: str
    holds: Callable[[Any], bool]
    suggest: Callable[[Any], str | None] = lambda _value: None
    plain: bool = False  # self-evident: a key's help need not repeat it


@dataclass(frozen=True, slots=True)
class SettingKey:
    """One key of a table of portal.toml, as shown to the builder."""

    name: str
    type_: Any
    default: Any  # MISSING if the builder must give a value
    help: str
    check: ValueCheck
    example: Any  # shown in the template if the default is empty

    @property
    def required(self) -> bool:
        return self.default is MISSING


def define_key(default: Any, help_: str, check: ValueCheck | None = None, *, example: Any = None) -> Any:
    """A field of a settings class, with its texts for the checker, the template and the manual."""
    return field(default=default, metadata={"help": help_, "check": check, "example": example})


def list_keys(settings_class: type) -> tuple[SettingKey, ...]:
    """The keys of a settings class in order."""
    hints = get_type_hints(settings_class)
    return tuple(_make_key(each, hints[each.name]) for each in fields(settings_class))


def allow_anything(allowed: str) -> ValueCheck:
    return ValueCheck(allowed, lambda _value: True, plain=True)


def allow_between(low: float, high: float, unit: str) -> ValueCheck:
    return ValueCheck(f"{low:,} to {high:,} {unit}".strip(), lambda value: low <= value <= high)


def allow_one_of(*names: str) -> ValueCheck:
    allowed = " or ".join(f'"{name}"' for name in names)
    return ValueCheck(allowed, lambda value: value in names, lambda value: find_nearest(value, names))


def allow_text(allowed: str, pattern: str, *, plain: bool = False) -> ValueCheck:
    """Accept text that matches the whole pattern."""
    return ValueCheck(allowed, lambda value: re.fullmatch(pattern, value) is not None, plain=plain)


WEB_ADDRESS = ValueCheck(
    "a URL with http:// or https:// and a host",
    lambda value: is_web_address(value),
    lambda value: _add_scheme(value),
)
BASE_URL = ValueCheck(
    "a URL with http:// or https:// and a host, without ? and #",
    lambda value: not value or (is_web_address(value) and re.search(r"[?#\"'<>@]", value) is None),
    lambda value: _add_scheme(value),
)
CONTACT = ValueCheck(
    "an email address or a web page",
    lambda value: not value or re.fullmatch(r"[^\x00-\x1f]*\w(@\S|\.\w)[^\x00-\x1f]*", value) is not None,
)
HOST_PATTERN = allow_text(
    'a host name, or "*." and a host name for all hosts below it',
    r"(\*\.)?[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*",
)
FILE_PATTERN = ValueCheck(
    "a file name with * and ? as wildcards, without /", lambda value: bool(value.strip()) and "/" not in value
)
ONE_LINE = allow_text("one line of text", r"[^\x00-\x1f]*", plain=True)
SOME_LINE = allow_text("one line of text, not empty", r"[^\x00-\x1f]*\S[^\x00-\x1f]*", plain=True)


_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([KMGT])i?B", re.IGNORECASE)
_UNITS = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def parse_size(text: str) -> int:
    """Parses "2 GB" or "1.5 tb" to bytes; 0 if it is not a size."""
    found = _SIZE.fullmatch(text.strip())
    return int(float(found[1]) * _UNITS[found[2].upper()]) if found else 0


def _is_network(value: Any) -> bool:
    try:
        ip_network(value, strict=False)
    except ValueError:
        return False
    return True


NETWORK = ValueCheck("an address like 127.0.0.1 or a network like 10.0.0.0/8", _is_network)


def allow_size(least: str) -> ValueCheck:
    """Accepts a size of at least `least`, or an empty value."""
    return ValueCheck(
        f'a size like "2 GB", {least} or more',
        lambda value: not value or parse_size(value) >= parse_size(least),
    )


def is_web_address(value: str) -> bool:
    if re.search(r"[\s\x00-\x1f]", value):
        return False
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a broken port or bracket
        return False


def _make_key(each: "Field[Any]", type_: Any) -> SettingKey:
    check = each.metadata["check"] or allow_anything(_TYPE_WORDS[type_])
    return SettingKey(each.name, type_, each.default, each.metadata["help"], check, each.metadata["example"])


_TYPE_WORDS = {bool: "true or false", str: "text", tuple[str, ...]: "a list of texts"}


def _add_scheme(value: str) -> str | None:
    guess = "https://" + value.removeprefix("//")
    return guess if "://" not in value and "." in value and is_web_address(guess) else None
