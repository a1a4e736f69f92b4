"""Words and the fields of bibliographies they are common in, learned from BibTeX files by counting."""

from collections.abc import Mapping
from functools import cache
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


WORDS = Path(__file__).with_name("lexicons") / "words.tsv"
GROUPS = Path(__file__).with_name("lexicons") / "groups.tsv"


@cache
def load_word_classes() -> Mapping[str, tuple[str, ...]]:
    """A lower-case word → "class=tenths", commonest first; read once, when first needed."""
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return MappingProxyType({word: tuple(classes.split()) for word, classes in pairs})


@cache
def load_word_groups() -> Mapping[str, str]:
    """A lower-case word → the group of telling words it belongs to, read once."""
    return read_word_groups(GROUPS)


def is_given_name(word: str) -> bool:
    """Whether the word is more often a given name than anything else."""
    return _top(word) == "given"


def is_family_name(word: str) -> bool:
    """Whether the word is more often a family name than anything else."""
    return _top(word) == "family"


def is_institution(word: str) -> bool:
    """Whether the word is more often of an institution's name than of anything else."""
    return _top(word) == "institution"


def may_be_name(word: str) -> bool:
    """Whether the word is not better known as something else."""
    return _top(word) in {"", "given", "family"}


def _top(word: str) -> str:
    classes = load_word_classes().get(word.lower(), ())
    return classes[0].partition("=")[0] if classes else ""
