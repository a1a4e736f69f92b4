"""Why a paper stands at its topic: the words, and the neighbors, that spoke for it and for the runner-up."""

from portico.errors import ConfigError
from portico.pipeline.portal import Portal
from portico.pipeline.topics.topic_texts import read_graph_text, read_topic_texts
from portico.pipeline.topics.topic_tree import find_topic_model
from portico.types.explanation import ExplanationSection
from portico.types.record import Entity, EntityId
from portico.types.stages import StageName
from portico.types.topic import TopicText

_NEIGHBORS = 6  # titles shown


def explain_topics(portal: Portal, paper_id: EntityId) -> ExplanationSection | None:
    """Nothing for a paper without a document, or before the portal has learned its topics."""
    entity = portal.store.catalog.entities.current(paper_id)
    if entity is None or not entity.documents or not find_topic_model(portal).exists():
        return None
    # Imported here: arrays take a quarter of a second to load, which other questions need not wait for.
    from portico.classify.saving import from_bytes, move_leaves
    from portico.pipeline.topics.tree_fit import read_shipped_fields

    try:
        model = from_bytes(find_topic_model(portal).read_bytes(), read_shipped_fields(portal.domain))
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
    """What the paper was placed by: its neighbors in the citation graph, once that is known."""
    if portal.store.meta.get(StageName.MATCH):
        return read_graph_text(portal.store, entity)
    return next(
        (text for text in read_topic_texts(portal.store) if text.document == entity.documents[0]), None
    )
