"""Generates the text of a paper: abstract, sections with citations, and references."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from portico.sample.banks import load_prose
from portico.sample.references import Reference, ReferenceStyle, cite, print_references
from portico.sample.works import Work, to_title_case

# A citation after one of these words is part of the sentence, as in "is given in Ames (1990)".
NOUN_CITE = re.compile(r"\b(?:in|is|of|to) \{cite\}")


# Possible headings of each section, and the kinds of sentences in each of its paragraphs.
OUTLINE: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        ("Introduction",),
        (
            "problem claim citing claim",
            "motivation citing claim citing body",
            "approach mechanism body closing",
            "roadmap",
        ),
    ),
    (
        ("Related Work", "Background", "Previous Work"),
        (
            "citing claim citing body claim",
            "citing body citing claim citing",
            "problem citing citing body citing",
        ),
    ),
    (
        ("{method}",),
        (
            "body body claim body body",
            "body mechanism body body body claim",
            "body body citing body body",
            "body claim body body body",
        ),
    ),
    (
        ("Analysis", "Implementation", "Design Decisions"),
        ("body body body claim body", "body citing body body body", "claim body body body"),
    ),
    (
        ("Extensions", "An Example", "Variations"),
        (
            "body body claim body body body",
            "body body citing body mechanism",
            "motivation body body claim body body",
        ),
    ),
    (
        ("Experiments", "Experimental Results", "Evaluation"),
        (
            "experiment experiment experiment claim experiment",
            "experiment experiment result experiment experiment",
            "experiment experiment experiment citing experiment",
            "experiment body experiment claim body experiment",
        ),
    ),
    (
        ("Conclusions", "Discussion", "Conclusions and Future Work", "Summary"),
        (
            "discussion discussion discussion claim discussion",
            "discussion discussion body discussion closing leftover",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or a figure: its caption, and its rows (or curves) by name."""

    kind: str  # "table" or "figure"
    caption: str
    rows: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True, slots=True)
class PaperSection:
    """A heading, its paragraphs, and the exhibits that follow them."""

    heading: str
    paragraphs: tuple[str, ...]
    exhibits: tuple[Exhibit, ...] = ()


@dataclass(frozen=True, slots=True)
class Manuscript:
    """The text of a paper before typesetting."""

    work: Work
    abstract: str
    keywords: tuple[str, ...]
    sections: tuple[PaperSection, ...]
    acknowledgment: str  # "" if there is none
    references: tuple[Reference, ...]


def write_manuscript(rng: Random, work: Work, cited: Sequence[Work], style: ReferenceStyle) -> Manuscript:
    """Write a paper about the work's method and task that cites each of `cited` at least once."""
    references = print_references(rng, cited, style)
    writer = _Writer(rng, work, references, style)
    abstract = " ".join(
        [
            writer.problem(),
            writer.sentence("motivation"),
            writer.sentence("approach"),
            writer.sentence("mechanism"),
            *([writer.claim()] if rng.random() < 0.5 else []),
            writer.sentence("result"),
            writer.sentence("closing"),
        ]
    )
    sections = _sections(rng, writer, work)
    thanks = rng.choice(load_prose()["acknowledgment"]) if rng.random() < 0.6 else ""
    keywords = tuple(rng.sample(work.bank.keywords, 4))
    return Manuscript(work, abstract, keywords, sections, thanks, references)


def _sections(rng: Random, writer: "_Writer", work: Work) -> tuple[PaperSection, ...]:
    table = Exhibit("table", f"{_upper(writer.measure)} on two workloads.", _table_rows(rng, work))
    figure = Exhibit("figure", f"{_upper(writer.measure)} against problem size.", _curves(rng))
    sections = []
    for headings, plan in OUTLINE:
        heading = rng.choice(headings).format(method=to_title_case(work.method))
        paragraphs = tuple(writer.paragraph(*parts.split()) for parts in plan)
        exhibits = (table, figure) if rng.random() < 0.7 else (table,)
        sections.append(PaperSection(heading, paragraphs, exhibits if "Experiments" in headings else ()))
    return tuple(sections)


class _Writer:
    """Picks random sentences, none twice until all are used, and distributes citations in turn."""

    def __init__(
        self, rng: Random, work: Work, references: tuple[Reference, ...], style: ReferenceStyle
    ) -> None:
        self._rng = rng
        self._work = work
        self._references = references
        self._style = style
        self._unused: dict[str, list[str]] = {}
        self._uncited = list(range(len(references)))
        rng.shuffle(self._uncited)
        self.measure = rng.choice(work.bank.measures)
        self._rival = rng.choice([method for method in work.bank.methods if method != work.method])

    def problem(self) -> str:
        return self._draw("problem", self._work.bank.problems)

    def claim(self) -> str:
        return self._draw("claim", self._work.bank.claims)

    def sentence(self, part: str) -> str:
        return self._fill(self._draw(part, load_prose()[part]))

    def paragraph(self, *parts: str) -> str:
        special = {"problem": self.problem, "claim": self.claim, "leftover": self._leftover}
        sentences = (special[part]() if part in special else self.sentence(part) for part in parts)
        return " ".join(sentence for sentence in sentences if sentence)

    def _leftover(self) -> str:
        """One sentence that cites all references that have not been cited yet."""
        if not self._uncited:
            return ""
        numbers, self._uncited = self._uncited, []
        mark = cite(self._references, numbers, self._style, as_noun=False)
        return f"Other aspects of the subject are treated elsewhere {mark}."

    def _draw(self, part: str, patterns: Sequence[str]) -> str:
        if not self._unused.get(part):
            self._unused[part] = self._rng.sample(list(patterns), len(patterns))
        return self._unused[part].pop()

    def _fill(self, pattern: str) -> str:
        rng, bank = self._rng, self._work.bank
        objects, other = rng.sample(bank.objects, 2)
        setting, setting2 = rng.sample(bank.settings, 2)
        slots = {
            "task": self._work.task,
            "method": self._work.method,
            "rival": self._rival,
            "system": self._work.system,
            "measure": self.measure,
            "objects": objects,
            "other": other,
            "setting": setting,
            "setting2": setting2,
            "percent": str(rng.randint(4, 38)),
            "factor": rng.choice(("two", "three", "1.6", "2.4", "four")),
            "count": str(rng.randint(5, 30)),
            "few": str(rng.randint(7, 11)),
            "figure": "Table 1",
        }
        if "{cite}" in pattern:
            slots["cite"] = self._next_cite(as_noun=bool(NOUN_CITE.search(pattern)))
        return _upper(pattern.format(**slots))

    def _next_cite(self, *, as_noun: bool) -> str:
        n_marks = 1 if as_noun else self._rng.choice((1, 1, 2))
        numbers = [self._uncited.pop() for _ in range(min(n_marks, len(self._uncited)))]
        if not numbers:
            numbers = [self._rng.randrange(len(self._references))]
        return cite(self._references, numbers, self._style, as_noun=as_noun)


def _table_rows(rng: Random, work: Work) -> tuple[tuple[str, tuple[float, ...]], ...]:
    names = [work.method, *rng.sample([m for m in work.bank.methods if m != work.method], 2)]
    base = rng.uniform(40, 90)
    return tuple(
        (_upper(name), tuple(round(base - 6 * idx + rng.uniform(-3, 3), 1) for _ in range(2)))
        for idx, name in enumerate(names)
    )


def _curves(rng: Random) -> tuple[tuple[str, tuple[float, ...]], ...]:
    curves = []
    for name, slope in (("ours", 0.5), ("baseline", 0.9)):
        curves.append((name, tuple(10 + slope * step * step + rng.uniform(0, 3) for step in range(8))))
    return tuple(curves)


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
