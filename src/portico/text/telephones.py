"""Parses and formats telephone numbers of all countries."""

import re
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

_EXTENSION = re.compile(r"(?:extension|ext|x)\b.*$", re.IGNORECASE)
_TRUNK_ZERO = re.compile(r"\(0\)")
_ABROAD = re.compile(r"^\W*(?:\+|00(?=[1-9]))")
# Top-level domains that differ from the code of their country.
_REGIONS = {"uk": "GB", "edu": "US", "gov": "US", "mil": "US", "su": "RU"}
# If a site does not show its country, numbers of ten digits are tried as North American ones.
_TEN_DIGITS = 10


# Separators between two numbers, and the fewest digits of a number by itself.
_BETWEEN = re.compile(r"\s*[/;,]\s*|\s+(?=\(?\+\d)|(?<=\d)\s+-\s+(?=\(?\+\d)")
_OWN_DIGITS = 6
_WHOLE_DIGITS = 7


def split_numbers(printed: str) -> tuple[tuple[int, int], ...]:
    """Where each of several numbers in a row begins and ends: "0551 / 49 61 / 0551 / 49 62" has two.

    What is too short to be a number belongs to the one before (another extension), or begins the next one.
    """
    ends = [match.start() for match in _BETWEEN.finditer(printed)] + [len(printed)]
    starts = [0] + [match.end() for match in _BETWEEN.finditer(printed)]
    found = [(starts[0], ends[0])]
    for idx in range(1, len(starts)):
        begun, ended = found[-1]
        n_digits = _count_digits(printed[starts[idx] : ends[idx]])
        goes_on = idx + 1 < len(starts) and n_digits > 1
        is_own = n_digits >= _OWN_DIGITS or goes_on or printed[starts[idx]] == "+"
        if is_own and _count_digits(printed[begun:ended]) >= _WHOLE_DIGITS:
            found.append((starts[idx], ends[idx]))
        else:
            found[-1] = (begun, ends[idx])
    return tuple(found)


def _count_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


@lru_cache(maxsize=20_000)
def may_be_phone(printed: str) -> bool:
    """Whether a printed number can be a telephone number: one with a country code must have a length valid in
    that country.
    """
    if not _ABROAD.match(printed):
        return True
    number = _parse(printed, None)
    return number is not None and bool(_load_tables().is_possible_number(number))


@lru_cache(maxsize=20_000)
def find_dialled(printed: str, host: str = "") -> str:
    """The number in international form ("+4923139721419"), else its digits as printed.

    Without a country code, the country is that of the site's domain; if the domain has none, a number that is
    valid in North America is taken for one.
    """
    region = find_region(host)
    digits = re.sub(r"\D", "", _EXTENSION.sub("", printed))
    if region is None and len(digits.lstrip("1")) == _TEN_DIGITS and not _ABROAD.match(printed):
        region = "US"
    number, tables = _parse(printed, region), _load_tables()
    if number is not None and tables.is_valid_number(number):
        extension = f";ext={number.extension}" if number.extension else ""
        return str(tables.format_number(number, tables.PhoneNumberFormat.E164)) + extension
    return ("+" if printed.lstrip(" (").startswith("+") else "") + digits


def find_region(host: str) -> str | None:
    """The country of a site, by its top-level domain; None for ".com" and the like."""
    suffix = host.rpartition(".")[2].lower()
    region = _REGIONS.get(suffix, suffix.upper())
    return region if region in _load_tables().SUPPORTED_REGIONS else None


def _parse(printed: str, region: str | None) -> Any:
    """The parsed number; None if it is not one."""
    text = _TRUNK_ZERO.sub("", printed)
    if text.lstrip(" (").startswith("00"):
        text = "+" + text.lstrip(" (").removeprefix("00")
    tables = _load_tables()
    try:
        return tables.parse(text, region)
    except tables.NumberParseException:
        return None


@cache
def _load_tables() -> Any:
    """Import `phonenumbers` only when numbers are read: it takes as long to load as everything else a command
    needs.
    """
    return import_module("phonenumbers")
