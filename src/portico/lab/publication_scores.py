"""Scores year, venue, DOI and number of references of real papers: recall and precision."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import fmean
from typing import Any
from unicodedata import normalize

from portico.types.record import Record

# Ratios of difflib from which two names of a venue, and two abstracts, are the same.
SAME_VENUE, SAME_ABSTRACT = 0.8, 0.9
# Share by which a number of references may be off, and still be right; by one it always may.
NEARLY = 0.05
_BETWEEN_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class PublicationTruth:
    """What a paper prints of its publication: of each value all that are right, none where it prints none.

    `unsure` names what is not to be scored. A venue that a paper does not print may still be named:
    `named_venues` are those that count as right then (the server of a preprint).
    """

    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    abstract: str | None = None
    years: tuple[str, ...] = ()
    venues: tuple[str, ...] = ()
    named_venues: tuple[str, ...] = ()
    dois: tuple[str, ...] = ()
    n_refs: int | None = None
    unsure: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ValueVerdict:
    """Of one file and one value: is it printed, was any found, was that right?"""

    is_printed: bool
    is_found: bool
    is_right: bool


Records = Sequence[Record]
Judge = Callable[[PublicationTruth, Records], ValueVerdict]


def read_publication(record: dict[str, Any]) -> PublicationTruth | None:
    """The truth in a line of a set that tells of publications; None of other sets."""
    if not {"n_refs", "venue", "year", "doi"} <= record.keys():
        return None
    return PublicationTruth(
        titles=_all_of(record, "title", "alt_titles"),
        authors=tuple(record.get("authors") or ()),
        abstract=record.get("abstract"),
        years=_all_of(record, "year", "alt_years"),
        venues=_all_of(record, "venue", "alt_venues") if record["venue"] else (),
        named_venues=tuple(record.get("alt_venues") or ()),
        dois=_all_of(record, "doi", "alt_dois"),
        n_refs=record["n_refs"],
        unsure=frozenset(record.get("unsure") or ()),
    )


def _all_of(record: dict[str, Any], key: str, others: str) -> tuple[str, ...]:
    values = [record.get(key), *(record.get(others) or ())]
    return tuple(str(value) for value in values if value is not None)


def score_publications(files: Sequence[tuple[PublicationTruth, Records]], *, are_all: bool) -> dict[str, Any]:
    """Every value's figures; {} where no file of the set tells of its publication.

    Abstracts and authors only where all of a set do: other sets have a measure of their own for these.
    """
    if not files:
        return {}
    figures: dict[str, Any] = {name: _figures(name, judge, files) for name, judge in _JUDGES.items()}
    if not are_all:
        return figures
    abstract = _figures("abstract", _judge_abstract, files)
    return {**figures, "abstract": abstract["right_of_all"], "abstract_apart": abstract, **_people(files)}


def _figures(name: str, judge: Judge, files: Sequence[tuple[PublicationTruth, Records]]) -> dict[str, Any]:
    """Recall over the files that print it, precision over those where it was found, and right of all."""
    verdicts = [judge(truth, records) for truth, records in files if name not in truth.unsure]
    printed = [one for one in verdicts if one.is_printed]
    found = [one for one in verdicts if one.is_found]
    return {
        "recall": _share(printed),
        "precision": _share(found),
        "n_printed": len(printed),
        "n_found": len(found),
        "right_of_all": _share(verdicts),
        "n": len(verdicts),
    }


def _share(verdicts: Sequence[ValueVerdict]) -> float | None:
    return round(fmean(one.is_right for one in verdicts), 4) if verdicts else None


def _judge_year(truth: PublicationTruth, records: Records) -> ValueVerdict:
    return _verdict(truth.years, _value(records, "year"), str.__eq__)


def _judge_venue(truth: PublicationTruth, records: Records) -> ValueVerdict:
    found = _value(records, "venue")
    verdict = _verdict(truth.venues, found, is_same_venue)
    if found and not truth.venues:
        return ValueVerdict(False, True, any(is_same_venue(found, one) for one in truth.named_venues))
    return verdict


def _judge_doi(truth: PublicationTruth, records: Records) -> ValueVerdict:
    return _verdict(truth.dois, _value(records, "doi"), lambda one, other: one.lower() == other.lower())


def _judge_n_refs(truth: PublicationTruth, records: Records) -> ValueVerdict:
    n_found, wanted = max(0, len(records) - 1), truth.n_refs or 0
    is_right = abs(n_found - wanted) <= max(1, NEARLY * wanted) if wanted else n_found == 0
    return ValueVerdict(wanted > 0, n_found > 0, is_right)


def _judge_abstract(truth: PublicationTruth, records: Records) -> ValueVerdict:
    return _verdict(
        (truth.abstract,) if truth.abstract else (), _value(records, "abstract"), is_same_abstract
    )


_JUDGES: dict[str, Judge] = {
    "year": _judge_year,
    "venue": _judge_venue,
    "doi": _judge_doi,
    "n_refs": _judge_n_refs,
}


def is_value_right(truth: PublicationTruth, records: Records, name: str) -> bool | None:
    """Whether the year, venue or DOI that was found is right; None where the truth is not sure of it."""
    return None if name in truth.unsure else _JUDGES[name](truth, records).is_right


def _verdict(wanted: Sequence[str], found: str | None, same: Callable[[str, str], bool]) -> ValueVerdict:
    is_right = any(same(found, one) for one in wanted) if found else not wanted
    return ValueVerdict(bool(wanted), bool(found), is_right)


def _value(records: Records, name: str) -> str | None:
    return records[0].value(name) if records else None


def _people(files: Sequence[tuple[PublicationTruth, Records]]) -> dict[str, Any]:
    """Mean of the files' F1 of surnames, and the share of files whose surnames are all right."""
    scored = [surnames_f1(truth, records) for truth, records in files if "authors" not in truth.unsure]
    return {
        "authors_f1": round(fmean(scored), 4) if scored else None,
        "authors_exact": round(fmean(one == 1 for one in scored), 4) if scored else None,
        "n_authors": len(scored),
    }


def surnames_f1(truth: PublicationTruth, records: Records) -> float:
    """By the last word of each name that is wanted, or more of its end: "van Walraven" is "Walraven"."""
    found = [plain_words(field.value) for field in records[0].all("author")] if records else []
    left = [plain_words(name) for name in truth.authors]
    n_wanted, n_right = len(left), 0
    for name in found:
        match = next((one for one in left if name.split()[-1:] == one.split()[-1:]), None)
        if match is not None:
            left.remove(match)
            n_right += 1
    return 2 * n_right / (len(found) + n_wanted) if found or n_wanted else 1.0


def is_same_title(truth: PublicationTruth, found: str | None) -> bool:
    """Equal in letters and digits to one of the titles that are right."""
    return any(plain_words(found or "") == plain_words(title) for title in truth.titles)


def is_same_venue(one: str, other: str) -> bool:
    return SequenceMatcher(None, plain_words(one), plain_words(other)).ratio() >= SAME_VENUE


def is_same_abstract(one: str, other: str) -> bool:
    first, second = plain_words(one), plain_words(other)
    # autojunk calls frequent letters junk in texts of over 200 of them: it would tell nothing.
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.quick_ratio() >= SAME_ABSTRACT and matcher.ratio() >= SAME_ABSTRACT


def plain_words(text: str) -> str:
    """Lower case, ligatures opened, all but letters and digits to one space."""
    return _BETWEEN_WORDS.sub(" ", normalize("NFKC", text).lower()).strip()
