"""Which pages a portal has: chosen once, when it is opened, by what its domain says it holds."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from portico.serve.collection import ServedCollection
from portico.serve.declared.collection import ServedThings
from portico.serve.papers.collection import ServedPapers
from portico.types.domain import CollectionName, Domain
from portico.types.showing import shown_kinds

_SERVED: Mapping[CollectionName, Callable[[Domain], ServedCollection]] = MappingProxyType(
    {
        CollectionName.PAPERS: lambda domain: ServedPapers(),
        CollectionName.DECLARED: lambda domain: ServedThings(shown_kinds(domain)),
    }
)


def choose_served(domain: Domain) -> ServedCollection:
    return _SERVED[domain.collection](domain)
