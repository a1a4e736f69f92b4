"""The searchable fields of an index of declared kinds, read from the index itself."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from portico.index.files import COMMITTED
from portico.index.query import PAPERS, QueryLanguage
from portico.index.schema import AT, FOUND, IN, KIND, SEARCHABLE

SORTS: Mapping[str, str | None] = {"relevance": None, "newest": FOUND, "title": "title_key"}
"""Sort orders for things of declared kinds, and the field each one sorts by."""


@dataclass(frozen=True, slots=True)
class DeclaredFields:
    """Declared fields by the names that visitors use, and the index fields that hold them."""

    language: QueryLanguage
    facets: Mapping[str, str]


def read_declared_fields(folder: Path) -> DeclaredFields | None:
    """None for an index of papers, and if the folder cannot be read: opening it will give the reason."""
    try:
        schema = json.loads((folder / COMMITTED).read_bytes())["schema"]
        names = [str(field["name"]) for field in schema]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if KIND not in names:
        return None
    declared = {name.removeprefix(IN): name for name in names if name.startswith(IN)}
    facets = {name_facet(name.removeprefix(AT)): name for name in names if name.startswith(AT)}
    fields = {**declared, "topic": SEARCHABLE["topic"]} if "topic" not in declared else declared
    language = QueryLanguage(fields, _listed(list(declared)), of_papers=False)
    return DeclaredFields(language, {"kind": KIND, "topic": "topics"} | facets)


def name_facet(field: str) -> str:
    """The name of a facet; a declared field may have the same name as a built-in one."""
    return f"{field}_" if field in _EVERYWHERE else field


_EVERYWHERE = ("kind", "topic")


def make_language(fields: DeclaredFields | None) -> QueryLanguage:
    return fields.language if fields else PAPERS


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
