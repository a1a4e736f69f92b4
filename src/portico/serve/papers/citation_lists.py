"""Lists references and citing papers, and selects the most informative citing sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from portico.serve.languages import mark, translate
from portico.serve.page_parts import UNCERTAIN, PaperCard, shorten
from portico.serve.papers.describing import make_card
from portico.store.catalog.authors import Byline
from portico.store.catalog.citations import CitationLink
from portico.types.record import EntityId

MOST_QUOTES = 3
_MOST_CONTEXTS = 5
# Characters shown of a reference in which no title was read.
_LONGEST_UNTITLED = 120
_FEWEST_WORDS, _MOST_CHARACTERS = 6, 420
# Minimum share of letters and spaces in a sentence; tables, formulas and lists of numbers have fewer.
_LEAST_LETTERS = 0.8
# How many references a sentence may cite together and still say something about each.
_MOST_TOGETHER = 3
_CITED_NUMBERS = re.compile(r"\[[^\[\]]{1,60}\]|\(\D{0,40}(?:19|20)\d\d\w?\)")
_NUMBER = re.compile(r"#ref-(\d+)$")

# What a sentence does with the paper it cites, by words that say so; the first that fits names it.
_PURPOSES = (
    (
        mark("criticizes"),
        re.compile(
            r"\b(?:limitations?|drawbacks?|shortcomings?|fails?|failed|suffers?|unfortunately|pointed out"
            r"|not (?:scale|apply|handle|consider|address|hold|take)|no remedy|unable|cannot|neglects?"
            r"|ignores?|overlooks?)\b",
            re.I,
        ),
    ),
    (
        mark("compares"),
        re.compile(
            r"\b(?:compar\w+|outperform\w*|better than|worse than|in contrast|unlike|whereas|differs?"
            r"|similar to|as opposed to|alternatives?|baseline|different view)\b",
            re.I,
        ),
    ),
    (
        mark("uses"),
        re.compile(
            r"\b(?:we (?:use|used|adopt|follow|employ|apply|extend)|our \w+ (?:builds|is based)|using|uses"
            r"|builds? (?:up)?on|based on|adapted from|implement\w*|following|repeated|extends?)\b",
            re.I,
        ),
    ),
    (
        mark("defines"),
        re.compile(
            r"\b(?:first (?:described|proposed|introduced|shown)|introduc\w+|defin\w+|is called|known as"
            r"|proposed|invented|survey\w*|overview|broader treatment|early account)\b",
            re.I,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class CitationView:
    """One reference or one citing paper: the paper, how the reference is printed, and the sentences that
    cite it.
    """

    card: PaperCard
    number: int | None  # of the reference in its list, from 1
    raw: str
    contexts: tuple[str, ...]
    percent: int
    uncertain: bool


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a citing paper that says something about this one."""

    text: str
    purpose: str  # "uses", "compares" and so on; "" if no word indicates one
    card: PaperCard


@dataclass(frozen=True, slots=True)
class References:
    """A paper's references in printed order: those to papers that the portal holds, and the others."""

    held: tuple[CitationView, ...]
    others: tuple[CitationView, ...]

    def __len__(self) -> int:
        return len(self.held) + len(self.others)


def make_citation_view(link: CitationLink, people: Mapping[EntityId, tuple[Byline, ...]]) -> CitationView:
    record = link.record
    contexts = dict.fromkeys(context.text for context in record.contexts) if record else ()
    numbered = _NUMBER.search(record.id) if record else None
    card = make_card(link.entity, bylines=people.get(link.entity.id, ()))
    if record and record.raw and not link.entity.value("title"):
        card = card._replace(title=shorten(record.raw, _LONGEST_UNTITLED))
    return CitationView(
        card=card,
        number=int(numbered[1]) if numbered else None,
        raw=record.raw if record else "",
        contexts=tuple(sorted(contexts, key=lambda text: -_rate_sentence(text)))[:_MOST_CONTEXTS],
        percent=round(100 * link.confidence),
        uncertain=link.confidence < UNCERTAIN,
    )


def group_references(references: Iterable[CitationView]) -> References:
    listed = tuple(references)
    return References(
        tuple(each for each in listed if each.card.held), tuple(each for each in listed if not each.card.held)
    )


def choose_quotes(citers: Sequence[CitationView]) -> tuple[Quote, ...]:
    """The best sentence of each citing paper, the most informative first. Sentences that say nothing are
    left out.
    """
    best = [
        (_rate_sentence(citer.contexts[0]), place, citer)
        for place, citer in enumerate(citers)
        if citer.contexts and not citer.uncertain
    ]
    telling = sorted((each for each in best if each[0] > 0), key=lambda each: (-each[0], each[1]))
    quotes: dict[str, Quote] = {}
    for _, _, citer in telling:
        text = citer.contexts[0]
        purpose = _tell_purpose(text)
        quotes.setdefault(text, Quote(text, translate(purpose) if purpose else "", citer.card))
    return tuple(quotes.values())[:MOST_QUOTES]


def _tell_purpose(sentence: str) -> str:
    return next((purpose for purpose, words in _PURPOSES if words.search(sentence)), "")


def _rate_sentence(sentence: str) -> float:
    """How much a sentence says about the cited paper: 0 for debris, and less if it cites many papers at
    once.
    """
    plain = _CITED_NUMBERS.sub("", sentence)
    n_words = len(plain.split())
    if n_words < _FEWEST_WORDS or len(sentence) > _MOST_CHARACTERS:
        return 0.0
    letters = sum(char.isalpha() or char.isspace() for char in plain) / len(plain)
    if letters < _LEAST_LETTERS or not plain.lstrip(' “"(').startswith(tuple(_UPPER)):
        return 0.0
    n_cited = sum(1 + each.count(",") + each.count(";") for each in _CITED_NUMBERS.findall(sentence))
    together = 1.0 if n_cited <= 1 else 0.5 if n_cited <= _MOST_TOGETHER else 0.1
    return together * (2.0 if _tell_purpose(plain) else 1.0)


_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜÉÈÁÀÅÆØÑÇŠŽ"
