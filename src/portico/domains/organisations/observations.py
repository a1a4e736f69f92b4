"""What a reader of company pages notices in a single word: roles, titles, streets, places."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from portico.domains.papers.lexicon import read_word_groups
from portico.domains.papers.observations import written_form
from portico.types.domain import WordFeature

GROUPS = Path(__file__).with_name("lexicons") / "groups.tsv"
_EDGES = re.compile(r"^[^\w]+|[^\w.]+$")


@cache
def load_word_groups() -> Mapping[str, str]:
    """A lower-case word → the group of telling words it belongs to, read once."""
    return read_word_groups(GROUPS)


def word_group(word: str) -> str:
    """The group of telling words this one belongs to, with and without a full stop."""
    spelled = _EDGES.sub("", word).lower()
    group = load_word_groups().get(spelled) or load_word_groups().get(spelled.rstrip("."))
    return "group=" + group if group else ""


PAGE_OBSERVATIONS: tuple[WordFeature, ...] = (word_group, written_form)
