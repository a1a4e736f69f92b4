"""How a portal calls and addresses what it holds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from portico.types.record import Entity, EntityId


@dataclass(frozen=True, slots=True)
class Naming:
    """Words and addresses of things."""

    one: str  # "paper"
    many: str  # "papers"
    path: str  # what the address of a thing's page begins with
    title: Callable[[Entity], str]

    def url(self, entity: EntityId) -> str:
        return self.path + quote(entity, safe="")

    def named(self, typed: str) -> EntityId:
        """The id in the address of a thing's page, or what was typed where it is none."""
        last = typed.strip().rstrip("/").rpartition(self.path)[2]
        return EntityId(last.partition("/")[0].partition("?")[0].lower())


UNNAMED = Naming("entry", "entries", "/", lambda entity: str(entity.id))
"""Of a portal that is not opened yet."""


def in_a_row(words: Sequence[str]) -> str:
    """ "organisations, officers and courses"."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def sentence(words: str) -> str:
    """The words as a sentence or a heading begins."""
    return words[:1].upper() + words[1:]
