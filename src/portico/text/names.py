"""Parses personal names as papers print them: splits lists, finds surname and given names."""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

PARTICLES = frozenset(
    {"al", "af", "av", "ben", "bin", "da", "dal", "dalla", "das", "de", "degli", "dei", "del", "dela",
     "della", "delle", "den", "der", "des", "di", "do", "dos", "du", "el", "ibn", "la", "le", "las", "lo",
     "los", "op", "ten", "ter", "van", "vande", "vander", "von", "vom", "zu", "zum", "zur"}
)  # fmt: skip
"""Lower-case words that belong to the surname after them."""

GENERATIONS = frozenset({"jr", "sr", "ii", "iii", "iv"})
"""Suffixes that distinguish a father from his son."""

SUFFIXES = GENERATIONS | {"phd", "md"}
"""Suffixes after a name that are not part of it."""


@dataclass(frozen=True, slots=True, order=True)
class PersonName:
    """One name as printed, taken apart; `given` holds names or initials in their printed order."""

    surname: str
    given: tuple[str, ...] = ()
    suffix: str = ""
    key: str = field(init=False, compare=False)  # the surname in its form for comparisons: O'Neil is oneil
    first: str = field(
        init=False, compare=False
    )  # the first given name in its form for comparisons; an initial is one letter

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", fold_letters(self.surname))
        first = next((known for name in self.given if (known := _compared_given(name))), "")
        object.__setattr__(self, "first", first)

    @property
    def initials(self) -> str:
        return "".join(folded[0] for part in self.given if (folded := fold_letters(part)))


def fold(text: str) -> str:
    """Lower case without accents: Gödel and GÖDEL become godel, Straße strasse."""
    if text.isascii():
        return text.lower()
    spelled = _UNDECOMPOSED.sub(lambda found: _UNDECOMPOSABLE[found.group()], text)
    return _UNPLAIN_LETTERS.sub(_without_accents, unicodedata.normalize("NFKD", spelled.casefold()))


def fold_letters(text: str) -> str:
    """The folded text with everything but letters left out."""
    folded = fold(text)
    return folded if folded.isalpha() else "".join(char for char in folded if char.isalpha())


@lru_cache(maxsize=200_000)  # a few names make up most of any reference list
def split_names(text: str) -> tuple[str, ...]:
    """The names of a printed list, each as printed; "et al." and "editors" are no names.

    Knows both orders: "A. McCallum, K. Nigam and J. Rennie" and "Aha, D. W., & Kibler, D.".
    """
    if _SLASHED_LIST.search(text) or _SLASHED_BEHIND_FIRST.search(text):
        text = text.replace("/", ";")
    pieces = [_comma_chunks(piece) for piece in _LIST_BREAK.split(_NOT_A_NAME.sub(" ", text))]
    only_surnames = _only_surnames(pieces)
    names: list[str] = []
    for chunks in pieces:
        start = len(names)
        for chunk in chunks:
            waiting = len(names) > start and not only_surnames
            if names and (
                _belongs_to(names[-1], chunk) or (waiting and _completes(names[-1], chunk, chunks))
            ):
                names[-1] = f"{names[-1]}, {chunk}"
            else:
                names.append(chunk)
    return tuple(name for name in names if fold_letters(name))


def split_value(value: str, *, is_certain: bool) -> tuple[str, ...]:
    """The names of a field's value, which readers and catalogs give one value each.

    Some values hold lists all the same, and are split. But one that is certain, because a catalog or a person
    gave it, is one name if it is written surname first, even if each half could be a name of its own: "García
    Márquez, Gabriel José".
    """
    if is_certain and "," in value and not _LIST_BREAK.search(value):
        chunks = _comma_chunks(value)
        if sum(not _is_suffix(chunk) for chunk in chunks) == 2:
            return (value,)
    return split_names(value)


@lru_cache(maxsize=200_000)
def parse_name(text: str) -> PersonName:
    """Surname, given names and suffix of one printed name, in either order."""
    parts = [part.strip() for part in text.split(",") if part.strip(" .")]
    suffixes = [part for part in parts[1:] if _is_suffix(part)]
    parts = [part for idx, part in enumerate(parts) if idx == 0 or not _is_suffix(part)]
    if not parts:
        return PersonName(surname=text.strip())
    if len(parts) > 1:
        return PersonName(parts[0], tuple(_words(" ".join(parts[1:]))), suffixes[0] if suffixes else "")
    return _parse_direct(parts[0], suffixes[0] if suffixes else "")


@lru_cache(maxsize=200_000)
def parse_cited_name(text: str) -> PersonName:
    """A name as bibliographies sort it: under its first particle; an organization under its whole name.

    More exact than `parse_name`, which is made for comparing names as printed.
    """
    if "," not in text and not _ORGANIZED.isdisjoint(fold(text).split()):
        return PersonName(" ".join(text.split()))
    person = parse_name(text)
    for place, part in enumerate(person.given):
        if place and part in PARTICLES:
            surname = " ".join((*person.given[place:], person.surname))
            return PersonName(surname, person.given[:place], person.suffix)
    return person


@lru_cache(maxsize=500_000)
def parse_names(text: str) -> tuple[PersonName, ...]:
    """Every name of a printed list, taken apart: `parse_name` of all that `split_names` finds."""
    words = text.split()
    if _PLAIN_NAME.fullmatch(text) and _UNPLAIN.isdisjoint(map(str.lower, words)):
        given = [part for word in words[:-1] for part in _words(word)]
        return (PersonName(words[-1], tuple(given)),)  # nine in ten: spared the long way
    return tuple(parse_name(person) for person in split_names(text))


@lru_cache(maxsize=200_000)
def order_as_spoken(text: str) -> str:
    """One printed name in spoken order: "Aha, D. W." becomes "D. W. Aha"."""
    if "," not in text:
        return text
    person = parse_name(text)
    said = " ".join((*person.given, person.surname))
    return f"{said}, {person.suffix}" if person.suffix else said


# A word of a name in capitals; two letters are initials, unless they end in a vowel.
_CAPITAL_WORD = re.compile(r"[^\W\d_]{3,}")
_SHORT_WORD = re.compile(r"[^\W\d_AEIOUY][AEIOUY]")
_MOST_INITIALS = 3
_CAPITAL_PART = re.compile(r"[^\W\d_]+")


def show_capital_name(name: str) -> str:
    """A name with words in capitals as names are written: "ANN VAN DER BELL", "O'BRIEN Max", "LI Wei"."""
    words = name.split()
    if len(words) == 1 or not _ORGANIZED.isdisjoint(fold(name).split()):
        return name
    all_capital = name.isupper() and any(map(_CAPITAL_WORD.search, words))
    return " ".join(_show_word(word, idx, all_capital=all_capital) for idx, word in enumerate(words))


def _show_word(word: str, idx: int, *, all_capital: bool) -> str:
    bare = word.strip(".,")
    if not bare.isupper() or bare.lower() in GENERATIONS or "." in bare:
        return word
    if idx and all_capital and bare.lower() in PARTICLES:
        return word.lower()
    # Among small letters three capitals are somebody's initials, or a firm's.
    longest = max(map(len, _CAPITAL_PART.findall(bare)), default=0)
    is_word = longest > 2 if all_capital else longest > _MOST_INITIALS
    if not is_word and not (all_capital and _SHORT_WORD.fullmatch(bare)):
        return word
    shown = _CAPITAL_PART.sub(lambda match: match[0].capitalize(), word)
    return f"Mc{shown[2:].capitalize()}" if shown.startswith("Mc") and len(shown) > len("Mcx") else shown


def are_same_person(one: PersonName, other: PersonName) -> bool:
    """Whether the two could be one person: same surname, and no given name that contradicts.

    "A. McCallum" and "McCallum, Andrew K." could; "A. McCallum" and "B. McCallum" could not.
    """
    return one.key == other.key and have_same_given(one, other)


def have_same_given(one: PersonName, other: PersonName) -> bool:
    """Whether the first given names are equal, or one is an initial or short form of the other."""
    first, second = one.first, other.first
    if first == second or not first or not second:
        return True
    if len(first) == 1 or len(second) == 1:
        return first[0] == second[0]
    return first[:_SHORT_FORM] == second[:_SHORT_FORM]


@lru_cache(maxsize=100_000)  # initials and a few thousand given names make up nearly all
def _compared_given(name: str) -> str:
    return fold_letters(name)[:1] if _is_initials(name) else fold_letters(name)


# Words that occur in names of organizations, and hardly ever in those of people.
_ORGANIZED = frozenset(
    {"agency", "association", "bureau", "center", "centre", "collaboration", "commission", "committee",
     "consortium", "corporation", "council", "department", "federation", "foundation", "group", "inc", "inc.",
     "institute", "institution", "laboratories", "laboratory", "ltd", "ltd.", "ministry", "organisation",
     "organization", "society", "university"}
)  # fmt: skip

_SHORT_FORM = 3  # letters: Rob is Robert, Ron is not

# Letters that Unicode does not decompose into a letter and an accent.
_UNDECOMPOSABLE = (
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
     "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ı": "i"}
)  # fmt: skip

_UNDECOMPOSED = re.compile(f"[{''.join(_UNDECOMPOSABLE)}]")
_UNPLAIN_LETTERS = re.compile(r"[^\x00-\x7f]+")

# "Ada M. Lovelace", "J.R.R. Tolkien", "A Müller": given names or initials, and a surname that is not
# initials.
_PLAIN_NAME = re.compile(r"(?:(?:[A-Za-z][a-z]+|[A-Z]|(?:[A-Za-z]\.)+) )*[^\W\d_]*[a-z][^\W\d_]*")
_UNPLAIN = PARTICLES | SUFFIXES | {"and", "al", "et", "ed", "eds", "editor", "editors", "others"}

_LIST_BREAK = re.compile(r"\s*(?:;|\band\b|&|\n)\s*,?", re.IGNORECASE)
# As in German bibliographies: "Kohli, Martin/Künemund, Harald".
_SLASHED_LIST = re.compile(r"^[^,/;]+,[^,/;]+/[^,/;]+,[^,/;]+(?:/|$)")
# The same with only the first name inverted: "Avery, Robert B./Michael S. Rendall".
_SLASHED_BEHIND_FIRST = re.compile(r"^[^,/;]+,[^,/;]+(?:/\s?[^\W\d_][^\s,/;]*(?:\s[^\s,/;]+){1,4})+$")
_NOT_A_NAME = re.compile(
    r"^\s*\[[^\]]*\]|\bet\.?\s*al\b\.?|\band others\b"
    r"|\((?:eds?|editors?|hgg?|hrsg)\.?\)|\beds\.|\bed\.|\beditors?\b|[\d*†‡§¶]+",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]*){1,4}")
_DIRECT_INITIALS = re.compile(r"[^\W\d_]\.(?=[^\W\d_])")


def _without_accents(found: re.Match[str]) -> str:
    return "".join(char for char in found.group() if not unicodedata.combining(char))


def _comma_chunks(piece: str) -> list[str]:
    return [
        chunk.strip(" .\t()[]") + _kept_dot(chunk) for chunk in piece.split(",") if chunk.strip(" .\t()[]")
    ]


def _kept_dot(chunk: str) -> str:
    """Give an initial back the dot that was stripped with the punctuation of the list."""
    stripped = chunk.rstrip(" \t()[]")
    return "." if stripped.endswith(".") and _INITIALS.fullmatch(stripped.split()[-1]) else ""


def _belongs_to(name: str, chunk: str) -> bool:
    """Whether `chunk` is the part after the comma of an inverted name, or a suffix."""
    if _is_suffix(chunk):
        return True
    if "," in name and not _is_suffix(name.rsplit(",", 1)[1]):
        return False
    return _is_initials(chunk) and not _has_initials(name)


def _only_surnames(pieces: list[list[str]]) -> bool:
    """Whether the list is like "Cohen, Singer and Schapire", without given names."""
    filled = [chunks for chunks in pieces if chunks]
    return all(_is_bare(chunk) for chunks in filled for chunk in chunks) and any(
        len(chunks) % 2 for chunks in filled
    )


def _completes(name: str, chunk: str, chunks: list[str]) -> bool:
    """Whether `chunk` is the full given name of a bare surname: the "John" of "Smith, John"."""
    if not _is_bare(name):
        return False
    words = chunk.split()
    return len(words) == 1 or len(chunks) == 2 or (len(words) == 2 and _is_initials(words[1]))


def _is_bare(name: str) -> bool:
    words = [word for word in name.split() if word.lower() not in PARTICLES]
    return len(words) == 1 and "," not in name and not _is_initials(words[0])


def _has_initials(name: str) -> bool:
    return any(_is_initials(word) for word in name.replace(".", ". ").split())


def _is_initials(text: str) -> bool:
    """ "D. W.", "DW", "J.-P." and "K", but not "Li" or "Wu"."""
    text = text.strip()
    if not _INITIALS.fullmatch(text):
        return False
    return "." in text or text.replace(" ", "").replace("-", "").isupper()


def _is_suffix(text: str) -> bool:
    return fold(text).replace(".", "").strip() in SUFFIXES


def _words(text: str) -> list[str]:
    return _DIRECT_INITIALS.sub(lambda match: match.group() + " ", text).split()


def _parse_direct(text: str, suffix: str) -> PersonName:
    words = _words(text)
    while len(words) > 1 and _is_suffix(words[-1]):
        suffix, words = words[-1], words[:-1]
    if not words:
        return PersonName(surname=text, suffix=suffix)
    # "McCallum A" and "Aha D. W.": trailing initials mean that the surname came first.
    if len(words) > 1 and _is_initials(words[-1]) and not _is_initials(words[0]):
        start = next(idx for idx in range(1, len(words)) if _is_initials(words[idx]))
        return PersonName(" ".join(words[:start]), tuple(words[start:]), suffix)
    start = len(words) - 1
    while start > 1 and words[start - 1].lower() in PARTICLES:
        start -= 1
    if start == 1 and words[0].islower() and words[0] in PARTICLES:
        start = 0
    return PersonName(" ".join(words[start:]), tuple(words[:start]), suffix)
