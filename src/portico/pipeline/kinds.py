"""What a portal's domain declares about the things it shows."""

from portico.domains.registry import domain_named
from portico.pipeline.portal import Portal
from portico.types.domain import Kind
from portico.types.showing import shown_kinds


def kinds_of(portal: Portal) -> tuple[Kind, ...]:
    """The kinds of things the portal shows; none of a portal of papers, which has ways of its own."""
    return shown_kinds(domain_named(portal.settings.portal.domain))
