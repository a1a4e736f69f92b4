"""Extracts records from a web page, with a domain's model, or by patterns where there is no model yet."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from portico.errors import ExtractionError
from portico.extract.announcements import AnnouncedValues
from portico.extract.extractor import load_extractor as load_paper_extractor
from portico.extract.features import Observer
from portico.extract.page_context import PageContext
from portico.extract.page_habits import PageHabits
from portico.extract.page_patterns import PatternAdditions, PatternFallback, PatternTagger, compile_all
from portico.extract.page_records import build_records
from portico.extract.page_rows import read_page_rows
from portico.extract.structured_fields import add_structured_fields
from portico.extract.tagger import Tagger
from portico.extract.taught_fields import Tag, TaughtTagger, read_taught_fields
from portico.learn.committee import Committee, load_committee, read_committee
from portico.types.document import Document
from portico.types.domain import Domain, Kind
from portico.types.record import Record


@dataclass(frozen=True, slots=True)
class PageExtractor:
    """Extracts the records of web pages; built once and then called for each page."""

    kinds: tuple[Kind, ...]
    tag: Tag

    def __call__(self, document: Document) -> tuple[Record, ...]:
        """Return the records of a page, if it has any; raise ExtractionError if it has no text."""
        rows = read_page_rows(document)
        if not rows:
            raise ExtractionError("the page has no text")
        read = build_records(document, self.tag(rows), self.kinds)
        return add_structured_fields(document, rows, read, self.kinds)


def load_extractor(domain: Domain, models: Path | None = None) -> Callable[[Document], tuple[Record, ...]]:
    """Load the extractor for a domain's documents, with its own models or those of another folder."""
    if not domain.page_kinds:
        return load_paper_extractor(domain, models)
    path = (models or domain.models) / domain.kinds[0].model
    return make_extractor(domain, path.read_bytes() if path.is_file() else None)


def make_extractor(domain: Domain, model: bytes | None) -> PageExtractor:
    """Build a page extractor from a model, or from what ships with the domain, or from patterns alone."""
    shipped = load_shipped_fields(domain)
    if model is None:
        return PageExtractor(domain.kinds, make_base_tag(domain, shipped))
    taught = read_taught_fields(model)
    if taught is None:
        return make_page_extractor(domain, read_committee(model))
    return PageExtractor(
        domain.kinds,
        TaughtTagger(
            make_base_tag(domain, shipped),
            make_taught_tag(domain, shipped, taught.model),
            taught.parts,
            domain.kinds[0].other,
        ),
    )


def load_shipped_fields(domain: Domain) -> Committee | None:
    """Load the model of fields that ships with a domain; None if only marks can teach one."""
    path = domain.models / domain.kinds[0].model
    if not path.is_file() or read_taught_fields(path.read_bytes()) is not None:
        return None
    return load_committee(path)


def make_base_tag(domain: Domain, shipped: Committee | None) -> Tag:
    """Build the tagger for the pages of a domain on which nothing has been marked yet."""
    return make_page_extractor(domain, shipped).tag if shipped is not None else PatternTagger(domain.kinds)


def make_taught_tag(domain: Domain, shipped: Committee | None, taught: Committee) -> Tag:
    """Build the tagger learned from marks; if a model ships with the domain, both vote."""
    members = (*shipped.members, *taught.members) if shipped is not None else taught.members
    return Tagger(Committee(members), make_page_observer(domain))


def make_page_extractor(domain: Domain, model: Committee) -> PageExtractor:
    """Build the page extractor of a domain from a model."""
    tagger = Tagger(model, make_page_observer(domain))
    habits = PageHabits(PatternAdditions(tagger, domain.kinds), domain.kinds)
    assured = AnnouncedValues(habits, domain.kinds)
    # Cues are declared by builders, whose models are learned from few pages.
    has_cues = any(kind.cues for kind in domain.kinds)
    return PageExtractor(
        domain.kinds, PatternFallback(assured, PatternTagger(domain.kinds)) if has_cues else assured
    )


def make_page_observer(domain: Domain) -> Observer:
    """Build the feature extractor for a domain's pages; all kinds of records share one model."""
    kind = domain.kinds[0]
    patterns = compile_all(pair for kind in domain.kinds for pair in kind.patterns)
    return Observer(domain.lexicon(), kind.observations, PageContext(patterns))
