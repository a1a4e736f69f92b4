"""Lists of telling words, written by hand: a line is a name, a tab, and the words of that group."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType


def read_word_groups(path: Path) -> Mapping[str, str]:
    """A lower-case word → the group it belongs to; the first one wins."""
    groups: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, words = line.split("\t")
        for word in words.split():
            groups.setdefault(word, name)
    return MappingProxyType(groups)
