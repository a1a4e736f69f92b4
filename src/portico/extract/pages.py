"""A web page → the records on it, by a model of its domain, or by patterns where there is no model yet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from portico.errors import ExtractionError
from portico.extract.extractor import load_extractor as load_paper_extractor
from portico.extract.features import Observer
from portico.extract.page_context import PageContext
from portico.extract.page_patterns import PatternAdditions, PatternFallback, PatternTagger, compile_all
from portico.extract.page_records import build_records
from portico.extract.page_rows import read_page_rows
from portico.extract.tagger import Tagged, Tagger
from portico.extract.words import Row
from portico.learn.committee import Committee, load_committee
from portico.types.document import Document
from portico.types.domain import Domain, Kind
from portico.types.record import Record

Tag = Callable[[Sequence[Row]], Tagged]


@dataclass(frozen=True, slots=True)
class PageExtractor:
    """Reads pages; built once, then only called."""

    kinds: tuple[Kind, ...]
    tag: Tag

    def __call__(self, document: Document) -> tuple[Record, ...]:
        """The records of a page; none where it says nothing of the kind. ExtractionError without text."""
        rows = read_page_rows(document)
        if not rows:
            raise ExtractionError("the page has no text")
        return build_records(document, self.tag(rows), self.kinds)


def load_extractor(domain: Domain, models: Path | None = None) -> Callable[[Document], tuple[Record, ...]]:
    """What reads the documents of a domain, with its models or those of another folder."""
    if not domain.page_kinds:
        return load_paper_extractor(domain, models)
    path = (models or domain.models) / domain.kinds[0].model
    if not path.is_file():
        return PageExtractor(domain.kinds, PatternTagger(domain.kinds))
    return make_page_extractor(domain, load_committee(path))


def make_page_extractor(domain: Domain, model: Committee) -> PageExtractor:
    """What reads the pages of a domain by a model."""
    assured = PatternAdditions(Tagger(model, make_page_observer(domain)), domain.kinds)
    # Cues are declared by builders, whose models are of few pages.
    has_cues = any(kind.cues for kind in domain.kinds)
    return PageExtractor(
        domain.kinds, PatternFallback(assured, PatternTagger(domain.kinds)) if has_cues else assured
    )


def make_page_observer(domain: Domain) -> Observer:
    """What the models of a domain's pages see; all its kinds share one model."""
    kind = domain.kinds[0]
    patterns = compile_all(pair for kind in domain.kinds for pair in kind.patterns)
    return Observer(domain.lexicon(), kind.observations, PageContext(patterns))
