"""Languages of the pages: their texts, plurals, numbers and dates.

Texts are written in English in the code and translated by the gettext catalogs in the folder `locale`. The
language of a page belongs to the request (`serve/language_choice.py`) and is available wherever text is made.
Placeholders are names in braces: "cited {n} times".
"""

import gettext
import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from portico.config.settings import LANGUAGES
from portico.text.languages import get_language_name

ENGLISH = LANGUAGES[0]

_DAY = re.compile(r"(\d{4})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?")


@dataclass(frozen=True, slots=True)
class Language:
    """A language in which pages are available. Numbers are formatted according to the Unicode CLDR."""

    code: str
    name: str  # in the language itself
    thousands: str  # what separates them
    decimal: str
    grouped_from: int  # the first number whose thousands are separated
    texts: gettext.NullTranslations

    def format_number(self, number: int) -> str:
        if -self.grouped_from < number < self.grouped_from:
            return str(number)
        return f"{number:,}".replace(",", self.thousands)

    def translate(self, text: str) -> str:
        found = self.texts.gettext(text)
        # The catalog has texts that occur with a plural elsewhere only under that plural.
        return found if found is not text else self.texts.ngettext(text, text, 1)

    def translate_count(self, one: str, many: str, n: int) -> str:
        """The plural form for this number, with the number filled in."""
        return self.texts.ngettext(one, many, n).replace("{n}", self.format_number(n))


_NAMES: Mapping[str, tuple[str, str, str, int]] = MappingProxyType(
    {
        "en": ("English", ",", ".", 1_000),
        "de": ("Deutsch", ".", ",", 1_000),
        "es": ("español", ".", ",", 10_000),
        "fr": ("français", "\u202f", ",", 1_000),
    }
)


@cache
def get_language(code: str) -> Language:
    """The language with this code, one of LANGUAGES."""
    if code == ENGLISH:
        return Language(code, *_NAMES[code], gettext.NullTranslations())
    with files("portico.serve").joinpath("locale", f"{code}.mo").open("rb") as catalog:
        return Language(code, *_NAMES[code], gettext.GNUTranslations(catalog))


_current: ContextVar[Language] = ContextVar("language", default=get_language(ENGLISH))  # noqa: B039 — frozen


def get_current_language() -> Language:
    """The language of the current page."""
    return _current.get()


def use_language(code: str) -> None:
    """Set the language for the rest of this context, that is, of this request."""
    _current.set(get_language(code))


def mark(text: str) -> str:
    """The text unchanged. Marks it for the translation catalogs if it is only translated later, when it
    is shown.
    """
    return text


def translate(text: str, **values: object) -> str:
    """The text in the language of the page, with its placeholders filled in."""
    found = _current.get().translate(text)
    return found.format(**values) if values else found


def translate_count(one: str, many: str, n: int, **values: object) -> str:
    """The plural form for `n` in the language of the page; `{n}` in it is the number."""
    found = _current.get().translate_count(one, many, n)
    return found.format(**values) if values else found


def format_number(number: int) -> str:
    """The number with thousands separators."""
    return _current.get().format_number(number)


def format_decimal(number: float) -> str:
    """The number with one decimal."""
    return f"{number:.1f}".replace(".", _current.get().decimal)


_MONTHS = (
    mark("January"), mark("February"), mark("March"), mark("April"), mark("May"), mark("June"), mark("July"),
    mark("August"), mark("September"), mark("October"), mark("November"), mark("December"),
)  # fmt: skip


def format_date(date: str) -> str:
    """A day or month as people write it, such as 4 July 1999; anything else unchanged."""
    found = _DAY.fullmatch(date)
    if found is None:
        return date
    year, month, day = found[1], translate(_MONTHS[int(found[2]) - 1]), int(found[3] or 0)
    if not day:
        return translate("{month} {year}", month=month, year=year)
    if day == 1:
        return translate("1 {month} {year}", month=month, year=year)
    return translate("{day} {month} {year}", day=day, month=month, year=year)


def name_language(code: str) -> str:
    """The name of a language; its code if its name is not known."""
    return translate(get_language_name(code))
