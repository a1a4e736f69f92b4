"""Features of a single word in a paper: year, email, initial, the fields in which it is frequent."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from portico.types.domain import WordFeature

_EMAIL = re.compile(r"\S@\S|^@\S")
_URL = re.compile(r"(?:https?|ftp)[:/]|^\(?www\.|\.html?\b|^[({]?doi\b|\bdoi\.org", re.IGNORECASE)
_YEAR = re.compile(r"^\W*(?:1[89]|20)\d\d[a-z]?\W*$")
_MONTH = re.compile(
    r"^\W*(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\W*$",
    re.IGNORECASE,
)
_SEASON = re.compile(r"^\W*(?:Spring|Summer|Autumn|Fall|Winter)\W*$")
_INITIAL = re.compile(r"^\(?[A-Z]\.?,?$|^(?:[A-Z]\.-?){1,4},?$|^[A-Z]\.-[A-Z]\.,?$")
_PAGES = re.compile(r"^\W*\d+\s*(?:[-–—]+|--)\s*\d+\W*$")
_VOLUME = re.compile(r"^\W*\d+\(\d+[-–\d]*\)\W*(?:\d+(?:[-–]+\d+)?\W*)?$")
_ZIP = re.compile(r"^\W*\d{5}(?:-\d{4})?\W*$")
_REPORT = re.compile(r"^(?=.*\d)(?=.*[A-Z])[A-Z][A-Za-z]*[-/.][\w/.-]*\d[\w/.-]*\W*$")
_NUMBER = re.compile(r"^\W*\d+(?:[.,]\d+)?\W*$")
_ORDINAL = re.compile(r"^\W*\d+(?:st|nd|rd|th)\W*$", re.IGNORECASE)
_PHONE = re.compile(r"^\W*(?:\+?\d{1,3}[-.])?\(?\d{2,4}\)?[-.]\d{3,4}(?:[-.]\d{2,4})?\W*$")

# Tenths of the uses of a word as a given or family name from which it may be one.
NAME_TENTHS = 2
_EDGES = re.compile(r"^[^\w@]+|[^\w]+$")


def written_form(word: str) -> str:
    """The feature for the first form that matches the word; forms are ordered from most to least
    specific.
    """
    for name, pattern in _FORMS if _DIGIT_OR_AT.search(word) else _FORMS_OF_LETTERS:
        if pattern.search(word):
            return "form=" + name
    return ""


def season(word: str) -> str:
    """A feature for seasons: reports and theses are often dated by season instead of month."""
    return "form=season" if _SEASON.search(word) else ""


def word_group(word: str) -> str:
    """The group of the word in `groups.tsv` as a feature; "" if it has none."""
    group = load_word_groups().get(_EDGES.sub("", word).lower())
    return "group=" + group if group else ""


def conjunction(word: str) -> str:
    return "and" if word.lower() in {"and", "&", "und", "et", "y"} else ""


def et_al(word: str) -> str:
    return "et-al" if word.lower().strip(".,;:") in {"al", "et"} else ""


def container(word: str) -> str:
    """A feature for "in", which precedes the book or proceedings that a paper appeared in."""
    return "in" if word in {"In", "In:", "in", "in:"} else ""


def quotation(word: str) -> str:
    opens, closes = word[0] in "\"“‘'`„«", word.rstrip(".,;:")[-1:] in tuple("\"”’'»")
    return f"quote={'open' if opens else ''}{'close' if closes else ''}" if opens or closes else ""


def brackets(word: str) -> str:
    opens, closes = word[0] in "([{", word.rstrip(".,;:")[-1:] in tuple(")]}")
    return f"bracket={'open' if opens else ''}{'close' if closes else ''}" if opens or closes else ""


_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", _EMAIL),
    ("url", _URL),
    ("year", _YEAR),
    ("month", _MONTH),
    ("pages", _PAGES),
    ("volume", _VOLUME),
    ("zip", _ZIP),
    ("phone", _PHONE),
    ("ordinal", _ORDINAL),
    ("number", _NUMBER),
    ("initial", _INITIAL),
    ("report", _REPORT),
)

# Most words consist of letters: only these forms can match without a digit or "@".
_FORMS_OF_LETTERS = tuple(form for form in _FORMS if form[0] in {"url", "month", "initial"})
_DIGIT_OR_AT = re.compile(r"[\d@]")

HEADER_OBSERVATIONS: tuple[WordFeature, ...] = (written_form, season, word_group, conjunction, brackets)
REFERENCE_OBSERVATIONS: tuple[WordFeature, ...] = (
    written_form,
    word_group,
    conjunction,
    et_al,
    container,
    quotation,
    brackets,
)


def read_word_groups(path: Path) -> Mapping[str, str]:
    """A mapping from lower-case words to their groups; if a word is in several groups, the first counts."""
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
    """A mapping from lower-case words to "class=tenths", the most frequent class first; read once, when
    first needed.
    """
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return MappingProxyType({word: tuple(classes.split()) for word, classes in pairs})


@cache
def load_word_groups() -> Mapping[str, str]:
    """A mapping from lower-case words to their groups in `groups.tsv`, read once."""
    return read_word_groups(GROUPS)


def is_given_name(word: str) -> bool:
    """Whether the word is more often a given name than anything else."""
    return _top(word) == "given"


def is_family_name(word: str) -> bool:
    """Whether the word is more often a family name than anything else."""
    return _top(word) == "family"


def is_institution(word: str) -> bool:
    """Whether the word is more often part of an institution's name than anything else."""
    return _top(word) == "institution"


def may_be_name(word: str) -> bool:
    """Whether the word may be part of a person's name: it is one, or nothing else is known of it."""
    return _top(word) in {"", "given", "family"} or is_also_name(word)


def is_also_name(word: str) -> bool:
    """Whether the word is often enough a person's name: "George" and "Bell" are also in institutions."""
    shares = dict(kind.split("=") for kind in load_word_classes().get(word.lower(), ()))
    return max(int(shares.get("given", 0)), int(shares.get("family", 0))) >= NAME_TENTHS


def _top(word: str) -> str:
    classes = load_word_classes().get(word.lower(), ())
    return classes[0].partition("=")[0] if classes else ""
