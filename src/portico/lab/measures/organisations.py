"""How well officers and contacts are read from pages of sites that the model has not seen."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portico.domains.organisations import ORGANISATIONS
from portico.extract.page_learning import learn_fields
from portico.extract.pages import make_page_extractor, make_page_observer
from portico.lab.datasets.organisations import TruePage, label_page, read_true_pages
from portico.learn.committee import Committee
from portico.text.names import fold
from portico.types.record import Record

CONTACTS = ("organisation", "address", "phone")
QUICK_SITES = 3

_TITLES = re.compile(r"^(?:(?:mr|mrs|ms|dr|prof|col|major)\.?\s+)+")
_LEGAL_FORM = re.compile(r"(?:\b(?:inc|ltd|limited|llc|gmbh|pvt|company|co|corp|corporation)\b\s*)+$")
_NOISE = re.compile(r"[^\w@+]+")


@dataclass(frozen=True, slots=True)
class ValueTally:
    """Values right, values given, values true."""

    right: int = 0
    given: int = 0
    true: int = 0

    def __add__(self, other: "ValueTally") -> "ValueTally":
        return ValueTally(self.right + other.right, self.given + other.given, self.true + other.true)

    def as_json(self) -> dict[str, float]:
        precision = self.right / self.given if self.given else 0.0
        recall = self.right / self.true if self.true else 0.0
        f1 = 2 * self.right / (self.given + self.true) if self.given + self.true else 0.0
        return {
            "f1": round(f1, 4),
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "n": self.true,
        }


def measure_organisations(
    data: Path, *, quick: bool = False, progress: Callable[[str], None] = lambda _line: None
) -> dict[str, Any]:
    """Leave one site out: train on all others, read its pages; figures of all sites and of each.

    With `quick` only three sites are left out, one after the other.
    """
    pages = read_true_pages(data)
    sites = sorted({page.site for page in pages})
    scores: dict[str, Mapping[str, ValueTally]] = {}
    for site in sites[:QUICK_SITES] if quick else sites:
        model = train_page_labels([page for page in pages if page.site != site])
        scores[site] = _score(model, [page for page in pages if page.site == site])
        names = scores[site]["names"].as_json()
        progress(f"{site}: names {names['f1']:.3f} of {names['n']}")
    measures = ("names", "names and roles", *CONTACTS)
    total = {name: sum((score[name] for score in scores.values()), ValueTally()) for name in measures}
    return {
        "leave one site out": {name: tally.as_json() for name, tally in total.items()},
        "names by site": {
            site: score["names"].as_json() for site, score in scores.items() if score["names"].true
        },
    }


def train_page_labels(pages: Iterable[TruePage]) -> Committee:
    """The model of labels of pages of organisations."""
    return learn_fields([label_page(page) for page in pages], make_page_observer(ORGANISATIONS))


def _score(model: Committee, pages: Sequence[TruePage]) -> Mapping[str, ValueTally]:
    read = make_page_extractor(ORGANISATIONS, model)
    totals = dict.fromkeys(("names", "names and roles", *CONTACTS), ValueTally())
    for page in pages:
        records = read(page.document)
        for name, tally in _page_tallies(page, records):
            totals[name] += tally
    return totals


def _page_tallies(page: TruePage, records: Sequence[Record]) -> Iterable[tuple[str, ValueTally]]:
    officers = [record for record in records if record.kind == "officer"]
    if page.is_officers:
        true = {_compared(officer.name) for officer in page.officers}
        yield "names", _tally(true, {_compared(record.value("name") or "") for record in officers})
        pairs = {(_compared(one.name), _compared(one.role)) for one in page.officers if one.role}
        said = {
            (_compared(record.value("name") or ""), _compared(field.value))
            for record in officers
            for field in record.all("role")
        }
        yield "names and roles", _tally(pairs, said)
    for label in CONTACTS:
        compared = _compared_firm if label == "organisation" else _compared
        true = {compared(text) for name, text in page.contacts if name == label}
        if true:
            field = "name" if label == "organisation" else label
            given = {
                compared(one.value)
                for record in records
                if record.kind == "organisation" or label == "phone"
                for one in record.all(field)
            }
            yield label, _tally(true, given)


def _compared_firm(text: str) -> str:
    """A name without the legal form behind it."""
    return _LEGAL_FORM.sub("", _compared(text)).strip()


def _tally(true: set[Any], given: set[Any]) -> ValueTally:
    return ValueTally(len(true & given), len(given), len(true))


def _compared(text: str) -> str:
    """A value as it is held against the truth: case, punctuation and titles before a name do not count."""
    return _NOISE.sub(" ", _TITLES.sub("", fold(text))).strip()
