"""How things of declared kinds are shown: their headings, and their searchable fields."""

from collections.abc import Sequence

from portico.types.domain import SITE, Domain, Kind
from portico.types.record import Entity
from portico.types.search import SearchedField


def shown_kinds(domain: Domain) -> tuple[Kind, ...]:
    """The kinds that are displayed as they declare it; none if the domain has pages of its own."""
    return tuple(kind for kind in domain.kinds if kind.display is not None)


def heading(entity: Entity, kind: Kind | None) -> str:
    """The name of a thing: the value that heads its kind, else what identifies it, else its id."""
    names: tuple[str, ...] = (SITE,)
    if kind is not None and kind.display is not None:
        own = tuple(name for name in kind.identity if name != SITE)
        lists = kind.display.subtitle if own else ()  # what its site alone identifies is called by it
        names = (kind.display.title, *own, *lists, SITE, *kind.display.subtitle)
    return next((value for name in names if (value := entity.value(name))), entity.id)


def kind_named(kinds: Sequence[Kind], name: str) -> Kind | None:
    return next((kind for kind in kinds if kind.name == name), None)


def searched_fields(kinds: Sequence[Kind]) -> tuple[SearchedField, ...]:
    """Fields that can be searched by name: declared fields, the kind that others are part of, and the
    site.
    """
    facets: dict[str, bool] = {}
    for kind in kinds:
        for field in kind.display.fields if kind.display else ():
            if field.searchable or field.facet:
                facets[field.field] = facets.get(field.field, False) or field.facet
    facets |= {kind.parent: True for kind in kinds if kind_named(kinds, kind.parent)}
    facets.setdefault(SITE, False)
    return tuple(SearchedField(name, facet) for name, facet in facets.items())
