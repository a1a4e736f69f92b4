"""Compares two records of a declared kind by the fields that identify it."""

import re
from dataclasses import dataclass
from functools import lru_cache

from portico.match.mention import fold_words
from portico.text.names import PARTICLES, PersonName, fold_letters, have_same_given, parse_name
from portico.types.domain import SITE, Form, Kind
from portico.types.record import Record, RecordId

# Text before a name that is not part of it, normalized.
_TITLES = frozenset(
    {"dr", "mr", "mrs", "ms", "miss", "prof", "professor", "hon", "honorable", "sir", "dame", "rev", "col",
     "gen", "capt", "engr", "eng", "ing", "madam", "herr", "frau"}
)  # fmt: skip


Comparable = str | PersonName
"""A value in the form in which it is compared."""


@dataclass(frozen=True, slots=True)
class ComparableRecord:
    """The data that identifies the thing a record describes: its site, and its identifying values in
    comparable form.

    Missing values are empty. `record` is set if the builder decided about the record by hand, so that it is
    never grouped automatically, or if it is `silent`, that is, has no identifying value.
    """

    site: str
    values: tuple[Comparable, ...]
    record: RecordId | None = None
    silent: bool = False

    @property
    def key(self) -> str:
        """The identifying values as one string; a silent record is only equal to itself."""
        return " | ".join(
            (self.site, *map(spell_value, self.values), (self.record or "") if self.silent else "")
        )

    @property
    def fullness(self) -> int:
        """The amount of identifying data, in letters, so that "John A. Smith" comes before "J. Smith"."""
        return sum(len(spell_value(value)) for value in self.values)

    @property
    def block(self) -> tuple[str, str]:
        """What two records of one thing must share: the site, and the first identifying value."""
        if self.silent or not self.values:
            return self.site, self.record or "" if self.silent else ""
        first = self.values[0]
        return self.site, first.key if isinstance(first, PersonName) else first


def read_comparable(record: Record, kind: Kind, site: str, *, named: bool) -> ComparableRecord:
    """The comparable form of a record; `named` means that the builder decided about it by hand."""
    fields = [name for name in kind.identity if name != SITE]
    values = [make_comparable(record.value(name) or "", get_field_form(kind, name)) for name in fields]
    heads = kind.display.title if kind.display else ""
    if values and not spell_value(values[0]):  # what identifies it first is not said: what heads it tells it
        values[0] = make_comparable(record.value(heads) or "", get_field_form(kind, heads))
    silent = not kind.identity or (bool(values) and not spell_value(values[0]))
    return ComparableRecord(
        site=site if SITE in kind.identity else "",
        values=tuple(values),
        record=record.id if named or silent else None,
        silent=silent,
    )


def agree(one: ComparableRecord, other: ComparableRecord) -> bool:
    """Whether the two could be one thing: the first identifying value is similar, and no other
    contradicts.
    """
    if one.site != other.site or one.silent or other.silent:
        return False
    return all(
        _same(mine, yours)
        for mine, yours in zip(one.values, other.values, strict=True)
        if spell_value(mine) and spell_value(yours)
    )


def get_field_form(kind: Kind, field: str) -> Form:
    """The form of a field's values, as the kind declares it."""
    shown = kind.display.shown(field) if kind.display else None
    return shown.form if shown else Form.TEXT


def make_comparable(value: str, form: Form) -> Comparable:
    """The comparable form of a value: equal for two spellings of the same value."""
    if form is Form.NAME:
        return parse_person(value)
    if form is Form.PHONE:
        return re.sub(r"\D", "", value) or fold_words(value)
    if form in (Form.EMAIL, Form.URL):
        return value.strip().lower().removeprefix("http://").removeprefix("https://").rstrip("/")
    return fold_words(value)


def parse_person(name: str) -> PersonName:
    """A name without titles and degrees: "Dr. Ada Young, CPA" is Ada Young."""
    words = name.split()
    while len(words) > 1 and fold_letters(words[0]) in _TITLES:
        words = words[1:]
    first, comma, _ = " ".join(words).partition(",")
    parts = [word for word in first.split() if word.lower() not in PARTICLES]
    return parse_name(first if comma and len(parts) > 1 else " ".join(words))


def spell_value(value: Comparable) -> str:
    """A comparable value as one string; empty if it contains nothing."""
    return value if isinstance(value, str) else _letters(value)


@lru_cache(maxsize=200_000)  # each name is asked for several times, and names recur
def _letters(name: PersonName) -> str:
    return " ".join(filter(None, (name.key, *(fold_letters(part) for part in name.given))))


def _same(one: Comparable, other: Comparable) -> bool:
    if isinstance(one, PersonName) and isinstance(other, PersonName):
        return one.key == other.key and have_same_given(one, other) and _middles_agree(one, other)
    return one == other


def _middles_agree(one: PersonName, other: PersonName) -> bool:
    """Whether no second given name contradicts: "John A. Smith" is not "John B. Smith"."""
    mine, yours = one.initials[1:], other.initials[1:]
    return not mine or not yours or mine[0] == yours[0]
