"""The pipeline as seven signatures. Read this first."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from portico.types.document import Document
from portico.types.page import Link, Page
from portico.types.record import Citation, Entity, Record
from portico.types.search import Entry, Results
from portico.types.topic import Assignment

Crawl = Callable[[Iterable[Link]], Iterator[Page]]
Convert = Callable[[Page], Document]
Extract = Callable[[Document], tuple[Record, ...]]
Classify = Callable[[Sequence[Record]], tuple[Assignment, ...]]
Match = Callable[[Iterable[Record]], tuple[tuple[Entity, ...], tuple[Citation, ...]]]
Index = Callable[[Iterable[Entry]], None]
Search = Callable[[str], Results]
