"""What of a thing of a declared kind can be corrected: every field that its kind shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from portico.serve.contributions.forms import lines
from portico.serve.declared.describing import display_of
from portico.types.document import DocumentId
from portico.types.domain import Kind
from portico.types.record import Entity
from portico.types.showing import kind_named

LONGEST_VALUE = 4_000
"""Characters of all values of a field together: a description is the longest there is."""


@dataclass(frozen=True, slots=True)
class ThingSheet:
    """Fields are typed one value a line; one that is emptied is a field that the thing does not have."""

    kinds: tuple[Kind, ...]
    template: str = "directory/wrong.html"
    doubted: tuple[str, ...] | None = None
    prefix: str = "field-"  # a field may be called like something else in the form

    def labels(self, thing: Entity) -> Mapping[str, str]:
        kind = kind_named(self.kinds, thing.kind)
        return {shown.field: shown.label for shown in display_of(kind).fields} if kind else {}

    def values(self, thing: Entity) -> dict[str, str]:
        return {
            name: lines("\n".join(_one_line(field.value) for field in thing.all(name)), LONGEST_VALUE)
            for name in self.labels(thing)
        }

    def typed(self, name: str, text: str) -> str:
        return "\n".join(filter(None, lines(text, LONGEST_VALUE).split("\n")))

    def documents_removed(self, thing: Entity) -> Sequence[DocumentId]:
        """A page may tell of others, too: the records alone go."""
        return ()


def _one_line(value: str) -> str:
    return " ".join(value.split())
