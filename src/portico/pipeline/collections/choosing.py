"""Which collection a portal holds, by what its domain says."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from portico.pipeline.collections.declared.collection import DeclaredCollection
from portico.pipeline.collections.papers.collection import PapersCollection
from portico.pipeline.portal import Collection
from portico.types.domain import CollectionName, Domain
from portico.types.showing import shown_kinds

_COLLECTIONS: Mapping[CollectionName, Callable[[Domain], Collection]] = MappingProxyType(
    {
        CollectionName.PAPERS: lambda domain: PapersCollection(),
        CollectionName.DECLARED: lambda domain: DeclaredCollection(shown_kinds(domain)),
    }
)


def choose_collection(domain: Domain) -> Collection:
    return _COLLECTIONS[domain.collection](domain)
