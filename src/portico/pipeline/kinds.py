"""What a portal's domain declares about the things it shows."""

from collections.abc import Mapping, Sequence

from portico.pipeline.portal import Portal
from portico.types.domain import Kind
from portico.types.showing import shown_kinds


def kinds_of(portal: Portal) -> tuple[Kind, ...]:
    """The kinds of things the portal shows; none of a portal of papers, which has ways of its own."""
    return shown_kinds(portal.domain)


def things_in_words(kinds: Sequence[Kind], counts: Mapping[str, int]) -> tuple[str, ...]:
    """ "12 organisations", "1 officer": how many things of each kind there are."""
    return tuple(
        f"{counts.get(kind.name, 0)} "
        + (kind.display.singular if counts.get(kind.name) == 1 else kind.display.plural)
        for kind in kinds
        if kind.display is not None
    )
