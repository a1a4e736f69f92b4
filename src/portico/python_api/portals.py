"""A portal from Python: its papers, searches, topics and citations, as values and as tables."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from portico.errors import ConfigError, PortalError
from portico.index.searcher import Searcher
from portico.pipeline.opening import open_portal as open_pipeline_portal
from portico.pipeline.portal import Portal as PipelinePortal
from portico.pipeline.published_index import IndexFollower
from portico.serve.papers import describing
from portico.serve.papers.citation_export import cite, make_citable
from portico.store.catalog.citations import CitationLink
from portico.types.record import Entity, EntityId

# Number of results fetched at a time.
_PAGE = 100


@dataclass(frozen=True, slots=True)
class PaperValue:
    """A paper of a portal. Unknown values are "" or None."""

    id: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    venue: str
    doi: str
    abstract: str
    topic: tuple[str, ...]  # from the top of the tree down
    n_citations: int
    held: bool  # whether the portal has the paper itself, or only citations of it
    sources: tuple[str, ...]  # where its files were found
    _portal: "OpenedPortal" = field(repr=False, compare=False)

    @property
    def references(self) -> tuple["PaperValue", ...]:
        """The papers it cites, in the order of its list."""
        return self._portal._follow(self._portal._store.citations.references(EntityId(self.id)))

    @property
    def citers(self) -> tuple["PaperValue", ...]:
        """The papers that cite it, the most cited first."""
        return self._portal._follow(
            self._portal._store.citations.citers(EntityId(self.id), limit=max(1, self.n_citations))
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON or a table."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name in _COLUMNS
            for value in (getattr(self, name),)
        }

    def to_bibtex(self) -> str:
        return self._portal._cite(EntityId(self.id))


_COLUMNS = (
    "id", "title", "authors", "year", "venue", "doi", "abstract", "topic", "n_citations", "held", "sources",
)  # fmt: skip


class OpenedPortal:
    """A portal open for reading; a context manager. Builds may go on meanwhile."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._opened = ExitStack()
        self._portal: PipelinePortal = self._opened.enter_context(
            open_pipeline_portal(Path(path).expanduser())
        )
        self._store = self._portal.store.view
        self._searcher: Searcher | None = None

    def __enter__(self) -> "OpenedPortal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._opened.close()

    @property
    def title(self) -> str:
        return self._portal.settings.portal.title

    def papers(self, *, cited_only: bool = False) -> Iterator[PaperValue]:
        """Yield the papers that the portal holds, by id; with `cited_only` also those only cited."""
        entities = self._portal.store.catalog.entities
        batch: list[Entity] = []
        for entity in entities.all():
            if entity.documents or cited_only:
                batch.append(entity)
            if len(batch) == _PAGE:
                yield from self._make_many(batch)
                batch = []
        yield from self._make_many(batch)

    def paper(self, paper_id: str) -> PaperValue:
        """One paper; KeyError if there is none. Ids of merged papers are followed."""
        found = self._portal.store.catalog.entities.current(paper_id)
        if found is None:
            raise KeyError(paper_id)
        return next(self._make_many([found]))

    def search(self, query: str, *, sort: str = "relevance", limit: int = 20) -> list[PaperValue]:
        """Searches with the portal's query language; best results first."""
        found: list[EntityId] = []
        while len(found) < limit:
            wanted = min(_PAGE, limit - len(found))
            hits = self._get_searcher().search(query, sort=sort, limit=wanted, offset=len(found)).hits
            found += [hit.entity for hit in hits]
            if len(hits) < wanted:
                break
        entities = self._store.entities.many(found)
        return [*self._make_many([entities[name] for name in found if name in entities])]

    def topics(self) -> list[tuple[tuple[str, ...], int]]:
        """The topic tree, each node with the number of papers at or below it."""
        return [(node.path, node.n_papers) for node in self._store.topics.tree()]

    def to_pandas(self, *, cited_only: bool = False) -> Any:
        """The papers as a pandas DataFrame; pandas must be installed."""
        try:
            import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError as error:
            raise ConfigError("to_pandas() needs pandas: pip install pandas") from error
        return pandas.DataFrame(self._rows(cited_only), columns=list(_COLUMNS))

    def to_polars(self, *, cited_only: bool = False) -> Any:
        """The papers as a polars DataFrame; polars must be installed."""
        try:
            import polars  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            raise ConfigError("to_polars() needs polars: pip install polars") from error
        return polars.DataFrame(self._rows(cited_only), infer_schema_length=None)

    def _rows(self, cited_only: bool) -> list[dict[str, Any]]:
        return [each.to_dict() for each in self.papers(cited_only=cited_only)]

    def _get_searcher(self) -> Searcher:
        if self._searcher is None:
            generation = IndexFollower(self._portal)()
            if generation is None:
                folder = self._portal.places.folder
                raise PortalError(f"{folder}: there is no index yet. Run `portico build {folder}` first.")
            self._searcher = Searcher(self._portal.places.index / generation)
        return self._searcher

    def _follow(self, links: tuple[CitationLink, ...]) -> tuple[PaperValue, ...]:
        return tuple(self._make_many([link.entity for link in links]))

    def _make_many(self, entities: list[Entity]) -> Iterator[PaperValue]:
        topics = self._store.topics.best([each.id for each in entities]) if entities else {}
        for each in entities:
            year = describing.get_year(each)
            yield PaperValue(
                id=each.id,
                title=describing.get_title(each),
                authors=describing.list_authors(each),
                year=int(year) if year else None,
                venue=describing.get_first_value(each, describing.VENUE),
                doi="" if "doi" in each.doubtful else each.value("doi") or "",
                abstract=each.value("abstract") or "",
                topic=topics.get(each.id, ()),
                n_citations=each.n_citations,
                held=bool(each.documents),
                sources=tuple(source.name for source in self._store.sources(each.documents)),
                _portal=self,
            )

    def _cite(self, name: EntityId) -> str:
        entity = self._store.entities.get(name)
        if entity is None:
            raise KeyError(name)
        return cite([make_citable(entity, self._store.sources(entity.documents))], "bib")
