"""Why a paper is as it is: its fields, which records are it, its topics, and where it was found."""

from collections.abc import Callable, Iterator

from portico.pipeline.explain.fields import explain_fields
from portico.pipeline.explain.identity import explain_identity
from portico.pipeline.explain.topics import explain_topics
from portico.pipeline.portal import Portal
from portico.types.explanation import ExplanationSection
from portico.types.record import Entity, EntityId


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


PaperPart = Callable[[Portal, EntityId], ExplanationSection | None]
"""One why about one paper; None where there is nothing to say."""

PAPER_PARTS: tuple[PaperPart, ...] = (explain_fields, explain_identity, explain_topics, explain_sources)
"""What is said of a paper, in this order. A new part is a function in a file of its own and a line here."""


def explain_paper(portal: Portal, entity: Entity) -> Iterator[ExplanationSection]:
    """What it is, then one section a part."""
    title = entity.value("title") or "a paper without a title"
    held = "the portal has it" if entity.documents else "only known from citations"
    yield ExplanationSection(f"Paper {entity.id}", f"{title}: {held}, cited {entity.n_citations} times.")
    for part in PAPER_PARTS:
        section = part(portal, entity.id)
        if section is not None:
            yield section
