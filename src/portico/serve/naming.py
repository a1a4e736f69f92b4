"""How a portal calls and addresses what it is made of: papers, or whatever its domain declares."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from portico.serve import describe
from portico.types.domain import Kind
from portico.types.record import Entity, EntityId
from portico.types.showing import heading, kind_named


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


PAPERS = Naming("paper", "papers", "/paper/", describe.title)


def naming_of(kinds: Sequence[Kind]) -> Naming:
    """The naming of a portal that shows these kinds; of papers, where it declares none."""
    displays = [kind.display for kind in kinds if kind.display is not None]
    if not displays:
        return PAPERS
    one = displays[0].singular if len(displays) == 1 else "entry"
    many = in_a_row([display.plural for display in displays])
    return Naming(one, many, "/item/", lambda entity: heading(entity, kind_named(kinds, entity.kind)))


def in_a_row(words: Sequence[str]) -> str:
    """ "organisations, officers and courses"."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def sentence(words: str) -> str:
    """The words as a sentence or a heading begins."""
    return words[:1].upper() + words[1:]
