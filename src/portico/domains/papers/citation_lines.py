"""Parses citation lines as journals print them in running heads: "Cognition 100 (2006) 73–99"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from portico.domains.papers.journals import MOST_WORDS, is_journal, journal_key
from portico.domains.papers.observations import may_be_name
from portico.text.names import PARTICLES

_YEAR = r"(?:1[6-9]\d\d|20[0-4]\d)"
MONTH = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?"
    r"|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|spring|summer|autumn|fall|winter"
    r"|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|décembre"
    r"|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b\.?"
)
_DASH = r"\s?[-–—−‐]+\s?"
_PAGE = r"[A-Za-z]{0,2}\d{1,7}"
_ROMAN = r"[IVXLCM]+\b"
_VOLUME_WORD = r"(?:\bvol(?:umen?|\.)?|\bbd|\bband|\btome|\bjg|\bjahrgang)\b\.?(?:\s?no\.)?\s*"
_NUMBER_WORD = r"(?:\b(?:nos?|nr|number|numb|issue|iss|heft|n[uú]m(?:ero)?|fasc)\b\.?|\bn[°º.])\s*"
_PAGES_WORD = r"\b(?:pp?|pages?|p[aá]gs?|seiten?|s)\b[.:]?\s*"
_ARTICLE_WORD = r"\b(?:article|art|paper|id)\b\.?\s*(?:no\.?|id)?\s*"
# Parts of a citation line besides the venue, in any order.
_ITEM = re.compile(
    rf"(?P<ordinal>(?P<ordinal_volume>\d{{1,3}})\.\s?(?:jg|jahrg(?:ang)?|bd|band|vol)\b\.?)"
    rf"|(?P<volume>{_VOLUME_WORD}(?P<volume_value>{_ROMAN}|\d{{1,4}}[A-Z]?))"
    rf"(?:\s?\((?P<volume_number>\d{{1,4}}(?:{_DASH}\d+)?)\))?"
    rf"|(?P<number>{_NUMBER_WORD}(?P<number_value>\d{{1,4}}(?:(?:{_DASH}|\s?[/&]\s?)\d{{1,4}})?))"
    rf"|(?P<pages>{_PAGES_WORD}(?P<pages_value>{_PAGE}(?:{_DASH}{_PAGE})?)(?![\w.]?\w))"
    rf"|(?P<article>{_ARTICLE_WORD}[A-Za-z]?\d{{1,8}})"
    rf"|(?P<issue>\b(?P<issue_number>\d{{1,3}})/(?P<issue_year>{_YEAR})(?!\d))"
    rf"|(?P<bracketed>(?<![\d.])(?P<of_volume>\d{{1,4}}[A-Z]?)\s?\((?!{_YEAR}\))"
    rf"(?P<of_number>(?:\d{{1,4}}(?:(?:{_DASH}|/)\d+)?|S\d+|[Ss]uppl[^)]{{0,12}}))\))"
    rf"|(?P<range>(?<![\w.])(?P<range_value>{_PAGE}(?:{_DASH}|\s?[e±Y{{Ϫ]+){_PAGE}\b))"
    rf"|(?P<year>(?<![\d/.-])\(?(?P<year_value>{_YEAR})\)?(?![\d/]))"
    rf"|(?P<month>{MONTH}(?:\s?[-–/&]\s?{MONTH})?(?:\s\d{{1,2}}\b(?!\d))?)"
    rf"|(?P<extent>\(\s?\d+\s?(?:pp|pages)\.?\s?\))"
    rf"|(?P<plain>(?<![\w.])(?P<plain_value>[A-Za-z]?\d{{1,8}}[a-zA-Z]?)(?![\w.]*\w))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s,;:.|•·/()\[\]–—-]*(?:and\s)?")
# The field for each group of an item, the most reliable first.
_GROUPS = {
    "ordinal_volume": "volume",
    "volume_value": "volume", "volume_number": "number", "number_value": "number", "pages_value": "pages",
    "issue_number": "number", "issue_year": "year", "of_volume": "volume", "of_number": "number",
    "year_value": "year", "range_value": "pages",
}  # fmt: skip
_RANGE = re.compile(r"(?<=\d)(?:\s?[-–—−‐]+\s?|[e±Y{Ϫ]+)(?=[A-Za-z]?\d)")
_SENTENCE_BREAK = re.compile(r"[a-z]{3}[.?!]\s+(?=[A-Z])")
_ABBREVIATION = re.compile(r"[A-Z][a-z]{2,9}\.")
_SENTENCE_END = re.compile(r"[a-z]{3}[.?!]$")
_SURELY_PAGES = 5  # a number with at least as many digits is an article's: no volume has so many
_CONNECTING = frozenset(
    {
        "and",
        "of",
        "for",
        "on",
        "in",
        "the",
        "a",
        "an",
        "de",
        "der",
        "für",
        "und",
        "et",
        "e",
        "y",
        "des",
        "la",
        "&",
        ":",
    }
)
_SERIAL_NUMBER = re.compile(
    r"\b(?:e-?|p-?)?(?:ISSN|ISBN)[\s:-]*[\dXx– -]{8,20}|\b\d{4}-\d{3}[\dXx](?:/\S*|\([\d-]+\)\S*)"
    r"|\b10\.\d{4,9}/\S+|\bhttps?:\S+"
    r"|\bwww\.\S+"
)
_YEAR_ALONE = re.compile(rf"(?<![\d/.-]){_YEAR}(?![\d/-])")
_YEARS = re.compile(rf"{_YEAR}-{_YEAR}")
_BRACKETED_YEAR = re.compile(rf"\({_YEAR}\)")
_ANNOUNCED = re.compile(r"\bin:\s*$", re.IGNORECASE)
_WORD = re.compile(r"\S+")
_AROUND = " \t\n,;:.|•·-–—([/"
FEWEST_LETTERS = 4
# Maximum number of words in the names of the authors before the name of a journal.
MOST_NAMES = 5
# Maximum number of words by which a name may be longer than the journal's name it ends with.
_WORDS_BEFORE = 3
# Text before the name of a venue that is not part of it.
_BEFORE_NAME = re.compile(
    r"^.*(?:\bet\.?\s?al\.?[,:]?|[A-Z]\.[^/]*\s/|\||•|·|;|©|\(eds?\.?\)[,:]|\bISSN:?\s?\d{4}-?\d{3}[\dXx],?|\bin:)\s+"
    r"|^\W*\d{1,4}(?=\s+\D)"
    r"|^\W*(?:(?:original|research|review|short|brief|full|regular|technical|invited|clinical|case|rapid|special"
    r"|featured?|state-of-the-art|data|perspective|scientific|empirical)\s){0,2}"
    r"(?:opinion|article|paper|communication|report|review|note|letter|study)(?:s|ies)?\s+(?=(?-i:[A-Z0-9]))",
    re.IGNORECASE,
)
_VENUE_WORD = re.compile(
    r"\b(?:journal|j|proceedings|proc|transactions|trans|review|rev|reviews|annals|ann|annales|letters|lett|bulletin"
    r"|bull|archives?|arch|acta|zeitschrift|revista|revue|rivista|magazine|quarterly|advances|adv|conference|conf"
    r"|symposium|workshops?|monatsheft\w*|studies|research|res|science|sci|sciences|cuadernos|anales|boletim|boletín"
    r"|forschung|mitteilungen|jahrbuch|lncs|lnai|lncis|notes in|yearbook|annual|international|int|series)\b",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(r"(?:\b[A-Z][a-z]{1,9}\.\s?){2,}")
NO_VENUE = re.compile(
    r"\b(?:university|department|institut\w*|received|accepted|revised|published|copyright|reserved|figure|fig|table"
    r"|tel|fax|phone|email|e-mail|street|avenue|box|page|chapter|section|doi|http\S*|www\S*|version|grants?|project"
    r"|issn|isbn|urn|we|is|are|was|were|that|which|this|has|have|supported|downloaded|see|cf|ibid|usa|appendix|equation|editors?)\b|@",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Printed:
    """A value and its position in the line."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CitationLine:
    """The parts of a citation line; None for those it does not have."""

    venue: Printed | None = None
    is_listed: bool = False  # whether the venue is in the journal list
    is_announced: bool = False  # whether "In:" precedes the venue
    is_whole: bool = False  # whether nothing but pages, authors and the kind of paper precedes the venue
    year: Printed | None = None
    year_apart: Printed | None = None  # the only year of the line, if it is not next to the other numbers
    volume: Printed | None = None
    number: Printed | None = None
    pages: Printed | None = None


def read_citation_lines(line: str) -> Iterator[CitationLine]:
    """Every run of volume, number, pages and year in a line, with the venue next to it."""
    end = 0
    # Other numbers, such as ISSNs, are replaced by as many characters, so that positions stay the same.
    plain = _SERIAL_NUMBER.sub(lambda match: "|" * len(match[0]), line)
    for run in _runs(plain):
        found = _numbers(plain, run)
        if found.volume or (found.pages and not _are_years(found)) or any(item["issue"] for item in run):
            venue = _venue_before(plain, end, run[0].start()) or _venue_behind(plain, run[-1].end())
            is_listed, is_whole = _standing(plain, end, venue)
            yield replace(
                found,
                venue=venue,
                year_apart=None if found.year else find_only_year(plain),
                is_listed=is_listed,
                is_whole=is_whole,
                is_announced=venue is not None and _ANNOUNCED.search(plain[: venue.start]) is not None,
            )
        end = run[-1].end()


def _are_years(found: CitationLine) -> bool:
    """Whether the supposed pages are a range of years, as of a chart or chapter: "1996–2003"."""
    return found.pages is not None and _YEARS.fullmatch(found.pages.value) is not None


def find_only_year(line: str) -> Printed | None:
    """The year in a line that contains exactly one."""
    years = list(_YEAR_ALONE.finditer(line))
    return Printed(years[0][0], years[0].start(), years[0].end()) if len(years) == 1 else None


def find_listed(line: str, *, whole: bool = False) -> Printed | None:
    """The longest journal name at the end of the line; if `whole`, the line itself must be one."""
    words = [word for word in _WORD.finditer(line) if any(map(str.isalnum, word[0]))]
    if not words:
        return None
    end = words[-1].end()
    for idx in range(1) if whole else range(max(0, len(words) - MOST_WORDS), len(words)):
        text = line[words[idx].start() : end]
        if is_journal(text) and len(journal_key(text)) >= FEWEST_LETTERS and _opens_name(words, idx):
            return Printed(text, words[idx].start(), end)
    return None


def _opens_name(words: Sequence[re.Match[str]], idx: int) -> bool:
    """Whether a complete name may begin at this word: not at "Systems" in "Data and Systems"."""
    if idx == 0:
        return True
    before = words[idx - 1][0]
    return (
        (words[idx][0][0].isupper() or words[idx][0][0].isdigit())
        and (idx < len(words) - 1 or _SENTENCE_END.search(before) is not None)
        and before.lower() not in _CONNECTING
        and not (_ABBREVIATION.fullmatch(before) and any("." in word[0] for word in words[idx:]))
        and not (idx == 1 and before.islower())
    )


def _runs(line: str) -> Iterator[list[re.Match[str]]]:
    """Items of a citation that are separated only by punctuation."""
    run: list[re.Match[str]] = []
    for item in _ITEM.finditer(line):
        if run and not _BETWEEN.fullmatch(line, run[-1].end(), item.start()):
            yield run
            run = []
        run.append(item)
    if run:
        yield run


def _numbers(line: str, run: Sequence[re.Match[str]]) -> CitationLine:
    """Volume, number, pages and year of a run, recognized by labels, brackets or their order."""
    found: dict[str, Printed] = {}
    plain: list[Printed] = []
    has_brackets = any(_BRACKETED_YEAR.fullmatch(item[0]) for item in run)
    for idx, item in enumerate(run):
        if _is_day(run, idx):
            continue
        if has_brackets and item["year"] and not _BRACKETED_YEAR.fullmatch(item[0]):
            plain.append(_group(item, "year_value"))  # a page that looks like a year: "72, 1989 (2005)"
            continue
        for group, name in _GROUPS.items():
            if item[group] and name not in found:
                found[name] = _group(item, group)
        if item["plain"]:
            plain.append(_group(item, "plain_value"))
    _read_plain(line, plain, found)
    if "pages" in found:
        pages = found["pages"]
        found["pages"] = replace(pages, value=_RANGE.sub("-", pages.value))
    return CitationLine(
        year=found.get("year"),
        volume=found.get("volume"),
        number=found.get("number"),
        pages=found.get("pages"),
    )


def _group(item: re.Match[str], group: str) -> Printed:
    return Printed(item[group], item.start(group), item.end(group))


def _read_plain(line: str, plain: Sequence[Printed], found: dict[str, Printed]) -> None:
    """Assign unlabeled numbers: to the volume, then to the number if pages are known, or else to the
    page.
    """
    if not ("year" in found or "pages" in found):
        return
    for item in plain:
        name = "volume" if "volume" not in found else "number" if "pages" in found else "pages"
        before = line[: item.start].rstrip(" (")[-1:]
        is_page = before in ",:" or len(item.value) >= _SURELY_PAGES
        is_behind = name == "number" and item.start > found["pages"].start
        if name not in found and not is_behind and (name != "pages" or is_page):
            found[name] = item


def _is_day(run: Sequence[re.Match[str]], idx: int) -> bool:
    """Whether a number is part of a date: "25 May", "June 7–13"."""
    if not (run[idx]["plain"] or run[idx]["range"]):
        return False
    beside = [run[place] for place in (idx - 1, idx + 1) if 0 <= place < len(run)]
    return any(item["month"] for item in beside) and len(run[idx][0]) <= len("12–14")


def _venue_before(line: str, start: int, end: int) -> Printed | None:
    """The name before a run of numbers: a known journal, or else the whole text if it may be a name."""
    stretch = line[start:end].rstrip(_AROUND)
    lead = start
    while found := _BEFORE_NAME.match(stretch):
        lead += found.end()
        stretch = stretch[found.end() :]
    listed = find_listed(stretch)
    if listed and not _is_end_of_name(stretch, listed):
        return Printed(listed.value, lead + listed.start, lead + listed.end)
    # In a citation, the paper's title comes before the venue; abbreviated names contain periods themselves.
    sentences = [match for match in _SENTENCE_BREAK.finditer(stretch) if _is_plain(stretch[match.end() :])]
    n_before = sentences[-1].end() if sentences else 0
    n_spaces = n_before + len(stretch[n_before:]) - len(stretch[n_before:].lstrip(_AROUND))
    name = stretch[n_spaces:]
    words = name.split()
    if not 0 < len(words) <= MOST_WORDS or not name[0].isupper() & any(map(str.isalpha, name)):
        is_lower = bool(words) and re.fullmatch(r"[a-z]{1,2}[A-Z]\w+", words[0]) is not None
        if not is_lower:
            return None
    if NO_VENUE.search(name) or "(ed" in name.lower() or not _has_letters(name):
        return None
    return Printed(name, lead + n_spaces, lead + n_spaces + len(name))


def _has_letters(name: str) -> bool:
    """Whether a name is long enough; a journal may have three capitals: "TBM", "BMJ"."""
    return len(journal_key(name)) >= FEWEST_LETTERS - (name.isalpha() and name.isupper())


def _is_end_of_name(stretch: str, listed: Printed) -> bool:
    """Whether a journal's name is only the end of a longer name: "Social Research" in "Historical Social
    Research".
    """
    before = stretch[: listed.start].split()
    return 0 < len(before) <= _WORDS_BEFORE and all(
        word[0].isupper() and word.isalpha() and not may_be_name(word) for word in before
    )


def _is_plain(name: str) -> bool:
    """Whether a name has several words and no abbreviations."""
    return len(name.split()) > 1 and "." not in name


def _venue_behind(line: str, start: int) -> Printed | None:
    """A known journal that follows a run of numbers and ends the line."""
    rest = line[start:].rstrip(_AROUND)
    n_spaces = len(rest) - len(rest.lstrip(_AROUND))
    listed = find_listed(rest[n_spaces:], whole=True)
    if listed is None:
        return None
    return Printed(listed.value, start + n_spaces, start + n_spaces + len(listed.value))


def _standing(line: str, start: int, venue: Printed | None) -> tuple[bool, bool]:
    """Whether a venue is a known journal, and whether it is all that precedes the numbers in the line."""
    if venue is None:
        return False, False
    before = line[start : venue.start]
    while found := _BEFORE_NAME.match(before + "X" if before.endswith(" ") else before):
        before = before[found.end() :]
    is_listed = is_journal(venue.value)
    return is_listed, not before.strip(_AROUND) or (is_listed and _are_names(before))


def _are_names(text: str) -> bool:
    """Whether the text before a journal is the authors in a running head: "Bell and van den Dorn"."""
    words = text.strip(_AROUND).split()
    connecting = [word for word in words if word in {"and", "&", "et", "und", "y"}]
    names = [word.strip(",.") for word in words if word not in connecting and word not in PARTICLES]
    return (
        (len(connecting) == 1 or text.strip(_AROUND).isupper())
        and 0 < len(names) <= MOST_NAMES
        and all(word[:1].isupper() and may_be_name(word) for word in names)
    )


def looks_like_venue(name: str) -> bool:
    """Whether a name has words typical of journals, or is abbreviated as their names are."""
    return _VENUE_WORD.search(name) is not None or _ABBREVIATED.search(name) is not None
