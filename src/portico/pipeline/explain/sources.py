"""Where a paper was found: every address and file of its copies."""

from portico.pipeline.portal import Portal
from portico.types.explanation import ExplanationSection
from portico.types.record import EntityId


def explain_sources(portal: Portal, paper_id: EntityId) -> ExplanationSection | None:
    """Nothing for a paper that is only known from citations."""
    entity = portal.store.catalog.entities.current(paper_id)
    if entity is None or not entity.documents:
        return None
    rows = tuple(
        (source, document[:12]) for document in entity.documents for source in portal.sources(document)
    )
    copies = "one copy" if len(entity.documents) == 1 else f"{len(entity.documents)} different copies"
    return ExplanationSection("Where it was found", f"{copies}.", ("source", "document"), rows)
