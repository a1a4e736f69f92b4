"""Measures how well officers and contacts are extracted from sites that the model was not trained on."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portico.crawl.page_kinds import PageKinds, learn_page_kinds
from portico.crawl.policies.training import SiteGraph
from portico.domains.organisations import ORGANISATIONS
from portico.domains.organisations.page_words import PAGE_WORDS
from portico.extract.page_learning import learn_fields
from portico.extract.pages import load_extractor, make_page_extractor, make_page_observer
from portico.lab.datasets.gallery import invent_gallery
from portico.lab.datasets.gallery_closed import CLOSED_LAYOUTS
from portico.lab.datasets.gallery_open import OPEN_LAYOUTS
from portico.lab.datasets.invented_officers import invent_pages
from portico.lab.datasets.invented_views import invent_known_pages
from portico.lab.datasets.organisations import TruePage, label_page, read_true_pages
from portico.lab.datasets.webs import read_sites
from portico.learn.committee import Committee, MemberOptions
from portico.learn.crf import CrfOptions
from portico.text.names import fold
from portico.types.document import Document
from portico.types.page import PageView
from portico.types.record import Record

CONTACTS = ("organisation", "address", "phone", "fax")
MEASURES = ("names", "names and roles", *CONTACTS)
N_PARTS = 3
"""Folds of cross-validation over the sites: each model is trained on eight of twelve."""
# Invented pages for training besides the real ones, enough for each layout to be frequent: chosen by hand.
INVENTED_PAGES = 560
INVENTED_SITES = 40
GALLERY_PAGES = 12
"""Pages per layout of the gallery."""

_TITLES = re.compile(r"^(?:(?:mr|mrs|ms|dr|prof|col|major)\.?\s+)+")
_LEGAL_FORM = re.compile(r"(?:\b(?:inc|ltd|limited|llc|gmbh|pvt|company|co|corp|corporation)\b\s*)+$")
_NOISE = re.compile(r"[^\w@+]+")


@dataclass(frozen=True, slots=True)
class ValueTally:
    """Numbers of right values, extracted values and true values."""

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
    """Leave a third of the sites out, train on the others, and extract from the former; figures in total and
    by site.

    With `quick`, only one third is tested.
    """
    pages = read_true_pages(data)
    invented = invent_pages(INVENTED_PAGES)
    sites = sorted({page.site for page in pages})
    scores: dict[str, Mapping[str, ValueTally]] = {}
    for part in range(1 if quick else N_PARTS):
        left_out = sites[part::N_PARTS]
        model = train_page_labels([*(page for page in pages if page.site not in left_out), *invented])
        read = make_page_extractor(ORGANISATIONS, model)
        for site in left_out:
            scores[site] = _score(read, [page for page in pages if page.site == site])
            names = scores[site]["names"].as_json()
            progress(f"{site}: names {names['f1']:.3f} of {names['n']}")
    total = {name: sum((score[name] for score in scores.values()), ValueTally()) for name in MEASURES}
    return {
        "a third of the sites left out": {
            name: tally.as_json() for name, tally in total.items() if tally.true
        },
        **{
            f"{name} by site": {
                site: score[name].as_json() for site, score in scores.items() if score[name].true
            }
            for name in MEASURES
        },
    }


def measure_gallery(*, quick: bool = False) -> dict[str, Any]:
    """How well the shipped model reads the gallery, on layouts that its rules were written for, and on
    others.
    """
    read = load_extractor(ORGANISATIONS)
    n_pages = 2 if quick else GALLERY_PAGES
    return {
        name: {
            measure: tally.as_json()
            for measure, tally in _score(read, invent_gallery(layouts, n_pages=n_pages, seed=5)).items()
        }
        for name, layouts in (("looked at", OPEN_LAYOUTS), ("not looked at", CLOSED_LAYOUTS))
    }


def train_page_labels(pages: Iterable[TruePage]) -> Committee:
    """The model that labels passages on pages of organisations."""
    return learn_fields([label_page(page) for page in pages], make_page_observer(ORGANISATIONS), MEMBERS)


# With 60 iterations, results on other sites are the same as with 120, in half the time.
MEMBERS = (MemberOptions("openings", CrfOptions(c1=0.2, c2=0.2, max_iterations=60), marks_openings=True),)


def _score(
    read: Callable[[Document], tuple[Record, ...]], pages: Sequence[TruePage]
) -> Mapping[str, ValueTally]:
    totals = dict.fromkeys(MEASURES, ValueTally())
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
                if record.kind == "organisation" or label in ("phone", "fax")
                for one in record.all(field)
            }
            yield label, _tally(true, given)


def _compared_firm(text: str) -> str:
    """A name normalized for comparison, without its legal form."""
    return _LEGAL_FORM.sub("", _compared(text)).strip()


def _tally(true: set[Any], given: set[Any]) -> ValueTally:
    return ValueTally(len(true & given), len(given), len(true))


def _compared(text: str) -> str:
    """A value normalized for comparison: without case, punctuation and titles before a name."""
    return _NOISE.sub(" ", _TITLES.sub("", fold(text))).strip()


KINDS = ("officers", "contact")


@dataclass(frozen=True, slots=True)
class KnownSite:
    """The pages of a site, each with its kind, or "" if it is none of the kinds."""

    name: str
    pages: tuple[tuple[PageView, str], ...]


def read_known_sites(
    folder: Path, *, kinds: Sequence[str] = KINDS, tell: Callable[[str], None] = lambda _line: None
) -> tuple[KnownSite, ...]:
    """Every site that has a page of one of the kinds."""
    said: dict[str, dict[str, str]] = {}
    views: dict[str, SiteGraph] = {}
    for kind in kinds:
        for site in read_sites(folder, kind, tell=tell):
            views[site.name] = site
            said.setdefault(site.name, {}).update({site.urls[idx]: kind for idx in site.targets})
    return tuple(
        KnownSite(
            name,
            tuple((page, said[name].get(page.url, "")) for page in site.pages if page is not None),
        )
        for name, site in sorted(views.items())
    )


def measure_page_kinds(
    folder: Path, *, quick: bool = False, progress: Callable[[str], None] = lambda _line: None
) -> dict[str, Any]:
    """Recall and precision for pages of each kind, on sites left out of training one at a time.

    `first` is the share of sites whose most likely page for the kind is right; a site has one or two of each.
    A page that a site has under two URLs counts once.
    """
    sites = read_known_sites(folder, tell=progress)
    right, named, true = (dict.fromkeys(KINDS, 0) for _ in range(3))
    first: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for site in sites[:3] if quick else sites:
        model = train_kinds([other for other in sites if other is not site])
        for kind in KINDS:
            truth = {page.text for page, said in site.pages if said == kind}
            given = {page.text for page, _ in site.pages if model(page) == kind}
            right[kind] += len(truth & given)
            named[kind] += len(given)
            true[kind] += len(truth)
            if truth:
                first[kind].append(_likeliest(model, site, kind) in truth)
        progress(f"{site.name}: {len(site.pages)} pages")
    return {
        kind: {
            "precision": round(right[kind] / max(named[kind], 1), 4),
            "recall": round(right[kind] / max(true[kind], 1), 4),
            "first": round(sum(first[kind]) / max(len(first[kind]), 1), 4),
            "n": true[kind],
        }
        for kind in KINDS
    }


def train_kinds(sites: Sequence[KnownSite]) -> PageKinds:
    """The classifier that recognizes pages about officers and contact pages.

    Invented sites are only used for officers' pages: without them, contact pages of other sites are
    recognized better.
    """
    real = [example for site in sites for example in site.pages]
    officers = learn_page_kinds([*real, *invent_known_pages(INVENTED_SITES)], KINDS[:1], PAGE_WORDS)
    contact = learn_page_kinds(real, KINDS[1:], PAGE_WORDS)
    return PageKinds((*officers.models, *contact.models), PAGE_WORDS)


def _likeliest(model: PageKinds, site: KnownSite, kind: str) -> str:
    return max(site.pages, key=lambda example: model.chances(example[0])[kind])[0].text
