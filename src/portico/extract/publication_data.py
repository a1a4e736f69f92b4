"""Combines the evidence on where and when a document appeared."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from portico.extract.notices import PlacedNotice, notices_of
from portico.extract.zones import Zones
from portico.types.document import Document, Span
from portico.types.domain import NoticeEvidence, NoticeReader, Place
from portico.types.record import Field

# Values with a lower probability are dropped.
FEWEST_CHANCE = 0.6
# Factor for the remaining doubt if a second notice agrees; relative probability from which one that disagrees
# counts; and the doubt it adds.
AGREED, CONTRADICTED, DISAGREED = 0.5, 0.95, 0.1
# How much lower the probability of a longer value at the same place may be.
NEARLY = 0.07
# Share of a title from which a name found in it is part of the title and not a venue.
TITLE_SHARE = 0.4
# Minimum length of a title that makes a name containing it part of a citation, not a venue.
TITLE_LETTERS = 25
# Probability that a date on the title page is the year of publication, if the header model is sure of it.
OF_HEADER = 0.8
MOST = 0.99
LISTED = "listed_name"  # identifies different names of one venue
# Fewest words that must remain of a title from which the name of a journal is removed.
TITLE_WORDS = 3
_CITED_YEAR = re.compile(r"\((1[89]\d\d|20[0-4]\d)[a-z]?\)")  # in brackets: other numbers may be pages
_KIND_OF_PAPER = re.compile(r"(?:article|review|communication|letter|editorial|paper)\s*\n", re.IGNORECASE)
AUTHOR_LETTERS = 8  # fewest letters of an author's name that cannot be part of a venue
VENUES = ("journal", "booktitle", "series", "venue_name")
HIDDEN = "|"  # stands for the paper's own title and authors in a notice
_WORD = re.compile(r"[^\W_]+")
_BETWEEN_NAMES = frozenset({"and", "und", "et", "al", "y", "e"})
_HEAD_WORD = re.compile(r"\s*(?P<word>[^\s/:|•]+|[/:|•])")
_BROKEN = re.compile(r"(?<=[a-z])-\s(?=[a-z])")  # a word hyphenated at a line end: "Con- ference"
NAMES = (
    "year", "venue", LISTED, *VENUES, "volume", "number", "pages", "doi", "arxiv", "issn", "isbn",
    "publisher",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Told:
    """One piece of evidence and where it stands."""

    evidence: NoticeEvidence
    span: Span
    notice: int


def read_publication(
    document: Document, zones: Zones, header: Sequence[Field], read: NoticeReader
) -> tuple[Field, ...]:
    """Return the fields of a header, with publication data from the document's notices."""
    earliest = _earliest_year(document, zones)
    title = next((field.value for field in header if field.name == "title"), "")
    names = [field.value for field in header if field.name == "author"]
    notices = [_hide_own(placed, title, names) for placed in notices_of(document, zones)]
    told = [one for one in _all_told(notices, read) if not _is_of_title(one, title)]
    below = _below_first_line(document, header)
    told = [one for one in told if not _meets(one, below)]
    authors = [_letters(name) for name in names]
    told = [one for one in told if not _names_author(one, authors)]
    told += [_of_header(field) for field in header if field.name == "year"]
    told = [one for one in told if one.evidence.field != "year" or one.evidence.value >= earliest]
    found: dict[str, Field] = {}
    listed = {one.span for one in told if one.evidence.field == LISTED}
    for name in NAMES:
        best = _best([one for one in told if one.evidence.field == name], listed)
        if best is not None:
            found[name] = best
    _print_in_full(found, told)
    _keep_one_venue(found)
    _keep_one_citation(found, told)
    if "venue" not in found:
        # A publisher alone suggests a book, but the document may still be a paper.
        found.pop("publisher", None)
    year = found["year"].value if "year" in found else ""
    venues = {_letters(found[name].value) for name in ("venue", *VENUES) if name in found}
    kept = [
        field
        for field in header
        if field.name not in found
        and _is_of_year(field, year)
        and not (field.name == "author" and _letters(field.value) in venues)
    ]
    return (*(_without_venue(document, field, found) for field in kept), *found.values())


def _earliest_year(document: Document, zones: Zones) -> str:
    """Return the earliest possible year of publication, derived from the years of the references.

    It is the year before the second newest one cited: papers in print are cited with the year in which they
    will have appeared.
    """
    lines = (line.span.of(document.text) for line in zones.references)
    cited = sorted(year for line in lines for year in set(_CITED_YEAR.findall(line)))
    return str(int(cited[-2]) - 1) if len(cited) > 1 else ""


def _without_venue(document: Document, field: Field, found: Mapping[str, Field]) -> Field:
    """Remove a title's first line if it is the name of the journal, perhaps with its publisher."""
    first, _, others = field.span.of(document.text).partition("\n")
    if field.name != "title" or len(others.split()) < TITLE_WORDS:
        return field
    names = [_letters(found[name].value) for name in ("venue", *VENUES) if name in found]
    opening = _letters(first)
    # The rest of the line is in capitals: "Sensors MDPI", "Sensors ISSN 1424-8220".
    behind = [opening.removeprefix(name) for name in names if opening.startswith(name)]
    if not any(
        not rest or any(_letters(word) == rest and word.isupper() for word in first.split())
        for rest in behind
    ):
        return field
    start = field.span.start + len(first) + 1
    if kind := _KIND_OF_PAPER.match(others):
        start, others = start + kind.end(), others[kind.end() :]
    return replace(field, value=" ".join(others.split()), span=Span(start, field.span.end))


def _all_told(notices: Iterable[PlacedNotice], read: NoticeReader) -> list[_Told]:
    return [
        _Told(evidence, placed.span(evidence.start, evidence.end), idx)
        for idx, placed in enumerate(notices)
        for evidence in read(placed.notice)
    ]


def _hide_own(placed: PlacedNotice, title: str, authors: Sequence[str]) -> PlacedNotice:
    """Replace the paper's own title, and its authors at the beginning, by as many bars.

    In a citation of the paper, and in running heads, the name of the venue follows them.
    """
    text = placed.notice.text
    words = _WORD.findall(title)
    if sum(map(len, words)) >= TITLE_LETTERS:
        printed = re.compile(r"\W{0,3}".join(map(re.escape, words)) + r"[\W_]{0,2}(?=\s|$)", re.IGNORECASE)
        text = printed.sub(lambda match: HIDDEN * len(match[0]), text)
    if placed.notice.place in (Place.REPEATED, Place.EDGE, Place.FRONT):
        end = _end_of_authors(text, authors)
        text = HIDDEN * end + text[end:]
    return placed if text == placed.notice.text else replace(placed, notice=replace(placed.notice, text=text))


def _end_of_authors(text: str, authors: Sequence[str]) -> int:
    """Return where the authors' names end that open a running head: before a slash, or if several are named.

    If there are no such names, this is 0.
    """
    own = {_letters(word) for author in authors for word in author.split()}
    end, is_list, has_name = 0, False, False
    for word in _HEAD_WORD.finditer(text):
        plain = _letters(word["word"])
        if plain in _BETWEEN_NAMES or word["word"] in "&/:|•":
            is_list = is_list or has_name
        elif plain in own:
            has_name = has_name or len(plain) > 1
        elif len(plain) > 1 or (plain.isdigit() and has_name):
            break
        end = word.end()
    is_followed = any(map(str.isalpha, text[end:]))
    return end if is_list and is_followed else 0


def _below_first_line(document: Document, header: Sequence[Field]) -> Span | None:
    """Return the lines of the title after its first, which may be the name of the journal above it."""
    title = next((field.span for field in header if field.name == "title"), None)
    if title is None:
        return None
    first, _, others = title.of(document.text).partition("\n")
    return Span(title.start + len(first) + 1, title.end) if others else None


def _meets(told: _Told, lines: Span | None) -> bool:
    return (
        lines is not None
        and told.evidence.field in ("venue", LISTED, *VENUES)
        and told.span.start < lines.end
        and lines.start < told.span.end
    )


def _of_header(field: Field) -> _Told:
    """Convert a date on the title page, found by the header model, to evidence."""
    evidence = NoticeEvidence(field.name, field.value, 0, 0, OF_HEADER * field.confidence)
    return _Told(evidence, field.span, -1)


def _is_of_title(told: _Told, title: str) -> bool:
    """Whether the supposed name of a venue is a running head that repeats a part of the title."""
    name, whole = _letters(told.evidence.value), _letters(title)
    is_part = told.evidence.field in VENUES and len(name) > TITLE_SHARE * len(whole) and name in whole
    is_longer = told.evidence.field in ("venue", *VENUES) and len(whole) >= TITLE_LETTERS and whole in name
    return is_part or is_longer


def _names_author(told: _Told, authors: Sequence[str]) -> bool:
    """Whether the supposed name of a venue contains an author's name."""
    if told.evidence.field not in ("venue", *VENUES):
        return False
    name = _letters(told.evidence.value)
    return any(len(author) >= AUTHOR_LETTERS and author in name for author in authors)


def _best(told: Sequence[_Told], listed: Collection[Span]) -> Field | None:
    """Return the most certain value; agreement raises its probability, close competition lowers it."""
    if not told:
        return None
    n_said = Counter(_letters(one.evidence.value) for one in told)
    best = max(
        told,
        key=lambda one: (one.evidence.chance, n_said[_letters(one.evidence.value)], len(one.evidence.value)),
    )
    best = _whole(best, told, listed)
    value = _letters(best.evidence.value)
    doubt = 1 - best.evidence.chance
    # A line is read alone and together with the next, so a value at the same place counts only once.
    if len({_source(one) for one in told if _letters(one.evidence.value) == value}) > 1:
        doubt *= AGREED
    if any(
        one.evidence.chance >= CONTRADICTED * best.evidence.chance and not _agree(value, one.evidence.value)
        for one in told
    ):
        doubt += DISAGREED
    if 1 - doubt < FEWEST_CHANCE:
        return None
    is_name = best.evidence.field in ("venue", *VENUES)
    printed = _BROKEN.sub("", best.evidence.value) if is_name else best.evidence.value
    return Field(best.evidence.field, printed, best.span, min(MOST, 1 - doubt))


def _source(told: _Told) -> tuple[int, int]:
    """Return what identifies the source of evidence: its position, or its notice if it has none."""
    return (told.span.start, -1) if len(told.span) else (-1, told.notice)


def _whole(best: _Told, told: Sequence[_Told], listed: Collection[Span]) -> _Told:
    """Return the longest value that ends where the best does, since a line may begin inside a name.

    A longer name that is not `listed` itself must not replace a listed one: its surplus belongs to the line
    before.
    """
    if best.evidence.field not in ("venue", *VENUES) or not len(best.span):
        return best
    enough = best.evidence.chance - NEARLY
    ends = [
        one
        for one in told
        if one.span.end == best.span.end
        and one.evidence.chance >= enough
        and (one.span in listed or best.span not in listed)
    ]
    longest = max(ends, key=lambda one: len(one.span), default=best)
    name = longest.evidence.value[: -len(best.evidence.value)].rstrip(" ,:")
    if not name or not _is_short_for(best.evidence.value, name):
        return longest
    # The name in full above, or left of, the abbreviated one.
    span = Span(longest.span.start, longest.span.start + len(name))
    return replace(longest, evidence=replace(longest.evidence, value=name), span=span)


def _is_short_for(short: str, name: str) -> bool:
    """Whether the words of one name begin the words of another: "Qual. Prog.", "Quality of Progress"."""
    left = [word.lower() for word in _WORD.findall(name)]
    for word in _WORD.findall(short):
        while left and not left[0].startswith(word.lower()):
            left.pop(0)
        if not left:
            return False
        left.pop(0)
    return True


def _agree(value: str, other: str) -> bool:
    """Whether one value equals the other or is a part of it: "LNCS" and "LNCS 6637"."""
    plain = _letters(other)
    return plain in value or value in plain


def _print_in_full(found: dict[str, Field], told: Sequence[_Told]) -> None:
    """Use the longest of the names that notices print for the chosen venue."""
    listed = found.pop(LISTED, None)
    venue = found.get("venue")
    if listed is None or venue is None or listed.span != venue.span:
        return
    spans = {one.span for one in told if one.evidence.field == LISTED and one.evidence.value == listed.value}
    for name in ("venue", *VENUES):
        named = [one for one in told if one.evidence.field == name and one.span in spans]
        if named:
            longest = max(named, key=lambda one: len(one.span))
            found[name] = Field(name, longest.evidence.value, longest.span, venue.confidence)


def _keep_one_venue(found: dict[str, Field]) -> None:
    """Drop names of a venue that do not stand where the chosen one does."""
    venue = found.get("venue")
    for name in VENUES:
        if name in found and (venue is None or found[name].span != venue.span):
            del found[name]


def _keep_one_citation(found: dict[str, Field], told: Sequence[_Told]) -> None:
    """Drop number and pages unless a notice has them together with the chosen volume, or without any."""
    volume = found.get("volume")
    if volume is None:
        return
    by_notice: dict[int, dict[str, str]] = {}
    for one in told:
        by_notice.setdefault(one.notice, {})[one.evidence.field] = one.evidence.value
    for name in ("number", "pages"):
        if name in found and not any(
            said.get(name) == found[name].value and said.get("volume", volume.value) == volume.value
            for said in by_notice.values()
        ):
            del found[name]


def _is_of_year(field: Field, year: str) -> bool:
    """Whether a date is of the year that was found; true of any date if none was."""
    return field.name != "published" or not year or field.value.startswith(year)


def _letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
