"""Reads when a paper was published from the dates printed on its pages."""

import re
from collections.abc import Iterator

from portico.domains.papers.citation_lines import MONTH
from portico.types.domain import Notice, NoticeEvidence, Place

YEAR = r"(?P<year>1[6-9]\d\d|20[0-4]\d)(?!\d)"
_PUBLISHED = r"(?:published|posted|publicado|publié|veröffentlicht)"
_THESIS = (
    r"thesis|dissertation|degree of|th[èe]se|tesis|tese|disserta[çc][ãa]o|(?:diplom|master|bachelor)arbeit"
)
# Patterns of words before the year of publication, and how often they are right.
_DATED: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), chance)
    for pattern, chance in (
        # Reprints say when the text first appeared, and journals when it was first online.
        (rf"\b(?:first|electronically) published\b[^.;\n]{{0,30}}?\b{YEAR}", 0.7),
        (rf"(?<!first )(?<!electronically )\b{_PUBLISHED}\b[^.;\n]{{0,30}}?\b{YEAR}", 0.9),
        (
            rf"(?:[©ⓒ⃝]|\(c\)|\bcopyright\b|&copy;|(?:^|[.;]\s)\W{{0,2}}[cCß]\s?(?=\d))[^.;\n]{{0,60}}?(?<![\d/]){YEAR}",
            0.86,
        ),
        (
            rf"(?<![\d/]){YEAR},?\s(?:[A-Z][\w&.]*\s){{0,4}}(?:Elsevier|Springer|Wiley|Kluwer|IEEE|ACM)\b",
            0.84,
        ),
        # The copyright sign as garbled by fonts without character names.
        (rf"^\W{{0,2}}(?:[ªÓß#]|\([~cC]\)|\(~\))\s?{YEAR}\s(?:by\s)?(?:[Tt]he\s)?[A-Z]", 0.84),
        (rf"\b(?:working|discussion|research)\spapers?\s(?:no\.?\s)?\d{{1,4}}/{YEAR}", 0.85),
        (rf"\b(?:{_THESIS})\b[^.;]{{0,120}}?\b{YEAR}", 0.8),
        (rf"\bavailable online\b[^.;\n]{{0,20}}?\b{YEAR}", 0.82),
        (rf"^\W*{MONTH},?\s{YEAR}(?=\s.{{0,30}}\b(?:report|paper|no|nr)\b)", 0.75),
        (rf"\b(?:date|datum|fecha)\s?:\s?(?:\d{{1,2}}\W)?{YEAR}", 0.8),
        (rf"\b(?:communicated|presented|read)\s(?:at|to|in|by)\b.{{0,60}}?\b{YEAR}", 0.75),
        (rf"\b(?:accepted|aceptado|aceito|angenommen|accepté)\b[^;\n]{{0,30}}?\b{YEAR}", 0.65),
        (rf"\b(?:revised|revision|revisado)\b[^;\n]{{0,30}}?\b{YEAR}", 0.6),
        (rf"\b(?:received|submitted|recibido|recebido|eingegangen|reçu)\b[^;\n]{{0,30}}?\b{YEAR}", 0.5),
    )
)
_STAMP = re.compile(
    r"\b(?:\d{4}\.\d{4,5}"
    r"|(?<![a-z-])[a-z-]{2,16}(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\b.{0,45}?\b(?P<day>\d{1,2}\s[A-Z][a-z]{2}\s(?P<year>\d{2,4}))\b"
)
_DATE_ALONE = re.compile(
    r"\W*(?-i:(?:(?:[A-ZÀ-Þ][\w.'’-]+|de|of|am)\s){0,4}[A-ZÀ-Þ][\w.'’-]+,\s(?:(?:im|den|le)\s)?)?"
    r"(?P<month>(?:\d{1,2}(?:\.|st|nd|rd|th)?\s(?:de\s)?)?"
    rf"{MONTH}(?:\s(?:de\s)?\d{{1,2}}(?:st|nd|rd|th)?)?,?\s(?:de\s)?)?{YEAR}\W*",
    re.IGNORECASE,
)
_SHORT_YEARS = 90  # stamps with two-digit years begin in 1991
# How often a date on a line of its own is that of publication, with a month, and without.
OF_DATE, OF_PLACE = 0.75, 0.65
# The year after the authors in the citation on an archive's cover page, and how often it is right.
_CITED_YEAR = re.compile(rf"[A-ZÀ-Þ][\w'’-]+,\s(?:[A-ZÀ-Þ][\w.'’-]*)[^()]{{0,150}}\({YEAR}\)")
OF_COVER = 0.85


def read_dates(notice: Notice) -> Iterator[NoticeEvidence]:
    """The years of the dates in a notice, each with the probability that it is the year of publication."""
    for pattern, chance in _DATED:
        for found in pattern.finditer(notice.text):
            yield NoticeEvidence("year", found["year"], found.start("year"), found.end("year"), chance)
    if notice.place is Place.COVER:
        for found in _CITED_YEAR.finditer(notice.text):
            yield NoticeEvidence("year", found["year"], found.start("year"), found.end("year"), OF_COVER)
    if notice.place in (Place.FRONT, Place.EDGE):
        yield from _read_date_alone(notice)
    stamp = _STAMP.search(notice.text)
    if stamp and notice.place in (Place.SIDEWAYS, Place.EDGE, Place.FRONT):
        yield NoticeEvidence(
            "year", complete_year(stamp["year"]), stamp.start("year"), stamp.end("year"), 0.9
        )


def _read_date_alone(notice: Notice) -> Iterator[NoticeEvidence]:
    """The year in a line that is only a date, possibly after a place name, as on title pages."""
    found = _DATE_ALONE.fullmatch(notice.text.strip())
    if found:
        end = len(notice.text.rstrip())
        chance = OF_DATE if found["month"] else OF_PLACE
        start = notice.text.rindex(found["year"], 0, end)
        yield NoticeEvidence("year", found["year"], start, start + 4, chance)


def complete_year(digits: str) -> str:
    """A two-digit year, as in stamps and names of meetings, with its century."""
    if len(digits) == 4:
        return digits
    return ("19" if int(digits) >= _SHORT_YEARS - 30 else "20") + digits
