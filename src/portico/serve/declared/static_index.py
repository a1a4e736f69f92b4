"""The search index of a portal of declared kinds as small JSON files that a browser can read."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from portico.serve.declared.describing import display_of, facts_of, name_things
from portico.serve.escaping import visible
from portico.serve.static_site.search_files import word_weights, write_static_files
from portico.store.catalog.things import Things
from portico.types.domain import Kind
from portico.types.record import Entity, EntityId
from portico.types.showing import kind_named

# A word of the heading says more of what a thing is than one of its values, or of what it is part of.
_HEADING, _VALUE, _WHOLE, _KIND = 3.0, 1.0, 0.5, 0.5


def write_thing_files(entities: Sequence[Entity], kinds: Sequence[Kind], things: Things, folder: Path) -> int:
    """Things, and the words they have, into `folder`; how many things."""
    title = name_things(kinds).title
    titles = {entity.id: title(entity) for entity in entities}
    wholes = things.wholes(titles)

    def made() -> Iterator[tuple[dict[str, float], list[object]]]:
        for entity in entities:
            whole = titles.get(wholes.get(entity.id, EntityId("")), "")
            kind = kind_named(kinds, entity.kind) or kinds[0]
            values = ((field.value, _VALUE) for field in entity.fields)
            kinds_ = f"{kind.name} {display_of(kind).singular} {display_of(kind).plural}"
            weights = word_weights([(titles[entity.id], _HEADING), *values, (whole, _WHOLE), (kinds_, _KIND)])
            facts = [visible(fact) for fact in (*facts_of(entity, kind), whole) if fact]
            yield weights, [entity.id, visible(titles[entity.id]), facts]

    nouns = (
        ("result", "results")
        if len(kinds) > 1
        else (display_of(kinds[0]).singular, display_of(kinds[0]).plural)
    )
    return write_static_files(made(), folder, things=True, nouns=nouns)
