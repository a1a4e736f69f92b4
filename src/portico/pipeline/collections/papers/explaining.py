"""Explains a paper: its fields, the records merged into it, its topics, and its sources."""

from collections.abc import Callable, Iterator

from portico.errors import ConfigError
from portico.match.compare import compare
from portico.match.mention import parse_own_mention
from portico.pipeline.explain.fields import explain_fields
from portico.pipeline.portal import Portal
from portico.pipeline.topics.topic_texts import read_graph_texts, read_some_topic_texts
from portico.pipeline.topics.topic_tree import find_topic_model
from portico.types.explanation import ExplanationSection
from portico.types.record import Entity, EntityId, Record, RecordId
from portico.types.stages import StageName
from portico.types.topic import TopicText

_NEIGHBORS = 6  # titles shown


def explain_topics(portal: Portal, paper_id: EntityId) -> ExplanationSection | None:
    """Explains a paper's topic; None if it has no document or no topics have been learned."""
    entity = portal.store.catalog.entities.current(paper_id)
    if entity is None or not entity.documents or not find_topic_model(portal).exists():
        return None
    # Imported here: arrays take a quarter of a second to load, which only this section needs.
    from portico.classify.saving import move_leaves
    from portico.pipeline.topics.topic_model import read_topic_model

    try:
        model = read_topic_model(find_topic_model(portal).read_bytes(), portal.domain)
    except ConfigError:
        return ExplanationSection("Topic", "The topic model is damaged; `portico build` will learn it again.")
    leaves = [topic for topic in portal.store.catalog.topics.all() if topic.keywords]
    model = move_leaves(model, leaves) or model
    text = _text(portal, entity)
    if text is None:
        return None
    why = model.explain(text)
    rows = [("for", word, f"{weight:+.2f}") for word, weight in why.speaks_for]
    rows += [("against", word, f"{weight:+.2f}") for word, weight in why.speaks_against]
    rows += [("neighbor", title, "cited") for title in text.cited_titles[:_NEIGHBORS]]
    rows += [("neighbor", title, "citing") for title in text.citing_titles[:_NEIGHBORS]]
    places = model.assign(text)
    stands = "; ".join(f"{'/'.join(place.path)} ({place.probability:.2f})" for place in places)
    outside = model.elsewhere((text,))[0]
    summary = f"Stands at {stands}." if places else f"Has no topic (outside of the tree: {outside:.2f})."
    summary += f" Likeliest leaf: {'/'.join(why.best)} ({why.probability:.2f})"
    if why.runner_up:
        summary += f", then {'/'.join(why.runner_up)} ({why.runner_up_probability:.2f})"
    return ExplanationSection("Topic", summary + ".", ("speaks", "word or title", "weight"), tuple(rows))


def _text(portal: Portal, entity: Entity) -> TopicText | None:
    """The text by which the paper was classified, with its neighbors in the citation graph if known."""
    if portal.store.meta.get(StageName.MATCH):
        return next(iter(read_graph_texts(portal.store, [entity.id])), None)
    return next(iter(read_some_topic_texts(portal.store, entity.documents[:1])), None)


_SHOWN = 12  # records; further ones add nothing
_LONGEST = 90  # characters of a record


def explain_identity(portal: Portal, paper_id: EntityId) -> ExplanationSection | None:
    """Explains for each record how it agrees with the one that the paper's fields come from."""
    entity = portal.store.catalog.entities.current(paper_id)
    if entity is None:
        return None
    chosen = portal.store.view.record(entity.chosen)
    if chosen is None:
        return None
    records = [
        found
        for name in entity.records[:_SHOWN]
        if name != entity.chosen and (found := portal.store.view.record(name)) is not None
    ]
    rows = tuple(_row(portal, entity, chosen, found) for found in records)
    columns = ("record", "probability", "agreement", "printed as")
    return ExplanationSection("Identity", _summary(entity), columns, rows)


def _row(portal: Portal, entity: Entity, chosen: Record, record: Record) -> tuple[str, ...]:
    from portico.match.scoring import to_probability, weigh  # it loads arrays

    levels = compare(parse_own_mention(chosen), parse_own_mention(record))
    told = ", ".join(level.replace(":", " ") for level in levels if not level.endswith(":none"))
    by_hand = _by_hand(portal, entity, record.id)
    printed = record.raw if len(record.raw) <= _LONGEST else record.raw[: _LONGEST - 1] + "…"
    return record.id, f"{to_probability(weigh(levels)):.3f}", by_hand + told, printed


def _by_hand(portal: Portal, entity: Entity, record: RecordId) -> str:
    """A note about the builder's decision that this record belongs to the paper, or ""."""
    company = set(entity.records)
    for verdict in portal.store.contributions.corrections.verdicts():
        if (
            verdict.same
            and record in (verdict.one, verdict.other)
            and {verdict.one, verdict.other} <= company
        ):
            return f"joined by {verdict.who or 'hand'}; "
    return ""


def _summary(entity: Entity) -> str:
    borrowed = "; ".join(f"{name} from {record}" for name, record in entity.origins)
    return (
        f"{len(entity.records)} records are this paper. Its fields are those of {entity.chosen}"
        + (f", except {borrowed}" if borrowed else "")
        + f". Cited by {entity.n_citations} papers; authority {entity.authority:g} and hub {entity.hub:g}"
        + " times the average."
    )


def explain_sources(portal: Portal, paper_id: EntityId) -> ExplanationSection | None:
    """Explains where a paper was found; None if it is only known from citations."""
    entity = portal.store.catalog.entities.current(paper_id)
    if entity is None or not entity.documents:
        return None
    rows = tuple(
        (source, document[:12]) for document in entity.documents for source in portal.sources(document)
    )
    copies = "one copy" if len(entity.documents) == 1 else f"{len(entity.documents)} different copies"
    return ExplanationSection("Where it was found", f"{copies}.", ("source", "document"), rows)


PaperPart = Callable[[Portal, EntityId], ExplanationSection | None]
"""Explains one aspect of a paper; returns None if there is nothing to say."""

PAPER_PARTS: tuple[PaperPart, ...] = (explain_fields, explain_identity, explain_topics, explain_sources)
"""The sections of a paper's explanation, in order. To add one, write a function and list it here."""


def explain_paper(portal: Portal, entity: Entity) -> Iterator[ExplanationSection]:
    """Yield a summary of the paper, then one section per part."""
    title = entity.value("title") or "a paper without a title"
    held = "the portal has it" if entity.documents else "only known from citations"
    yield ExplanationSection(f"Paper {entity.id}", f"{title}: {held}, cited {entity.n_citations} times.")
    for part in PAPER_PARTS:
        section = part(portal, entity.id)
        if section is not None:
            yield section
