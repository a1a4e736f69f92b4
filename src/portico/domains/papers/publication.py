"""Reads where and when a paper was published from running heads, notices, cover pages and embedded
metadata.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from portico.domains.papers.citation_lines import (
    MONTH,
    NO_VENUE,
    CitationLine,
    Printed,
    find_listed,
    find_only_year,
    looks_like_venue,
    read_citation_lines,
)
from portico.domains.papers.journals import find_journal, journal_key, load_journals
from portico.domains.papers.publication_dates import YEAR, complete_year, read_dates
from portico.domains.papers.publication_identifiers import read_dois, read_identifiers
from portico.domains.papers.values import read_journal_name, read_venue_name
from portico.types.domain import Notice, NoticeEvidence, Place

_EDITED = re.compile(
    r"\((?:[Ee]ds?|Hg|Hrsg|[Cc]oords?)\.?\)\s?[:,]\s?(?P<name>[A-Z].{3,90}?)(?=,?\s(?:pp?\.|DOI|doi|©"
    r"|S\.\s\d)|,\s(?:vol|\d{4}\b)|\.\s*$)"
)
_MEETING = re.compile(
    r"(?P<name>\b(?:Proceedings|Proc\.)\s(?!Trim|Paper)(?:of\s)?[^,;©]{12,110}?)(?=,|;|\s(?:pp?\.|pages\b|vol\.|©)"
    r"|(?<=[a-z]{3})\.\s|(?<=\))\.\s|\s?$)"
)
# The end of a truncated name.
_CUT_OFF = re.compile(
    r"(?:-|\b(?:the|of|on|and|for|in|de|international|annual|conference on|\d{4} (?:IEEE|ACM)))$",
    re.IGNORECASE,
)
_ACRONYM = re.compile(
    rf"^\W*(?P<name>(?!(?:ISSN|ISBN|VOL|NO|COPYRIGHT|(?i:{MONTH}))\b)"
    r"(?=[A-Z][A-Za-z]*[A-Z]{2})[A-Za-z-]++\s?(?:[’'‘]\s?\d\d|\s(?P<year>(?:19|20)\d\d))\b)"
    r"(?=\s?(?:,\s(?:[A-Z][a-z]+|\d{1,2})|[–—-]|\s*$))"
)
_CONGRESS = re.compile(
    r"\b(?P<name>(?:\d{1,2}(?:st|nd|rd|th)|[A-Z][a-z-]+(?:th|st|nd|rd))\s(?:[A-Z][\w-]*\s){0,4}"
    r"(?:Congress|Conference|Symposium|Workshop|Meeting)(?:\s(?:of|on|for|in|the|and|[A-Z][\w-]*)){1,10})"
)
_ACRONYM_YEAR = re.compile(r"[’'‘]\s?(\d\d)")
_SERIES = re.compile(
    r"^\W*(?P<name>(?:[A-Z][\w&.’'-]*\s){1,6}"
    r"(?i:(?:Discussion|Working)\sPapers?(?:\sSeries)?|Reports?\sSeries))"
    r"(?=\W*(?:No|Nr|Number|$|\d))",
)
_SHORT_SERIES = re.compile(
    r"^\W*(?P<name>[A-Z]{2,8}\s(?:DP|WP)(?=\s(?:No|Nr|#|\d))"
    r"|(?i:(?:Discussion|Working|Research)\sPapers?\sSeries)(?=\W*$))"
)
_NUMBERED_SERIES = re.compile(
    r"^\W*(?P<name>(?:[A-Z][\w&.-]*\s){1,4}[A-Z][a-zä]+(?:bericht|papier|papiere|berichte)"
    r"|(?:Working|Discussion|Research)\sPapers?\sSeries\sof\s[^.;:]{5,70}?)(?=\W*(?:No|Nr|Working|Discussion|$|\d+(?:/\d+)?\W*$))"
)
_PUBLISHERS = re.compile(
    r"\b(?P<name>Elsevier(?:\s(?:B\.?V|Ltd|Inc|Science(?:\s(?:Ltd|B\.?V|Inc))?)\.?)?"
    r"|Springer(?:[- ]Verlag|\sNature|\sScience\S*)?"
    r"|(?:John\s)?Wiley(?:-Blackwell|\s(?:&|and)\sSons)?|Blackwell Publish\w+|Oxford University Press"
    r"|Cambridge University Press"
    r"|Taylor (?:&|and) Francis|Routledge|SAGE(?: Publications)?|IOP Publishing|BioMed Central"
    r"|Public Library of Science"
    r"|American (?:Chemical|Physical|Psychological|Astronomical|Mathematical) (?:Society|Association)"
    r"|Royal Society of Chemistry"
    r"|Hindawi|MDPI|Frontiers Media|PeerJ|Kluwer Academic Publishers|Academic Press|Bentham\w*"
    r"|Pleiades Publishing|INFORMS"
    r"|Nature Publishing Group|Macmillan Publishers|Emerald|De Gruyter|World Scientific|Karger|Thieme"
    r"|MIT Press|ACM|IEEE|AAAI Press"
    r"|Usenix|IOS Press|CRC Press|Association for Computing Machinery|The Royal Society|Annual Reviews"
    r"|Dove\w*|eLife)\b"
)
_COPYRIGHT = re.compile(r"©|\(c\)|copyright|all rights|publish|^\W{0,2}[cCß]\s?\d{4}", re.IGNORECASE)
COVER_WORDS = (
    r"this (?:article|paper) was downloaded by|full terms (?:&|and) conditions of (?:access|use)"
    r"|stable url:|recommended citation"
    r"|is brought to you for free and open access by|has been accepted for inclusion in"
    r"|hal is a multi-?disciplinary"
    r"|see discussions, stats, and author profiles|the user has requested enhancement of the downloaded"
    r"|citation for (?:the )?published (?:version|paper)|citation \(published version\)"
    r"|link to publication record"
    r"|this is the (?:author|accepted|published|final|peer)\S* \S*\s?(?:version|manuscript|draft)"
    r"|version of record"
    r"|zitierhinweis|terms of use:|standard-nutzungsbedingungen|document version|this work is distributed as"
    r"|your use of the jstor archive|provided by the .{3,40} library|white rose research online"
    r"|deposited in .{3,40} repository"
    r"|downloaded from .{3,60} (?:repository|eprints)|enlighten|research explorer|escholarship|permalink"
    r"|please be advised that this information was generated|general rights|take down policy|postprint of"
)
"""Words of the cover pages that archives add to papers, in lower case."""
# Words that are not the name of a venue: half of a name, or a kind of text.
_GENERIC = frozenset(
    {
        "proceedings", "journal", "transactions", "bulletin", "research", "article", "articles", "letters",
        "annals", "reports", "report", "review", "reviews", "volume", "issue", "original", "editorial",
        "introduction", "supplement", "table", "figure", "methods", "results", "part", "chapter", "summary",
        "analysis", "studies", "education", "group", "america", "issn", "abstract", "discussion",
        "background", "keywords", "contents",
    }
)  # fmt: skip
# How often the venue in a citation line is right, by the position of the line; less for unknown journals.
_VENUE_CHANCE = {
    Place.REPEATED: 0.96, Place.EDGE: 0.95, Place.FRONT: 0.94, Place.CITED: 0.93, Place.COVER: 0.93,
    Place.EMBEDDED: 0.95, Place.SIDEWAYS: 0.8,
}  # fmt: skip
UNLISTED, LIKE_A_CITATION, NOT_LIKE_ANY = 0.05, 0.2, 0.4
# How much more reliable the numbers are than a name unlike a venue's: streets and section titles are also
# followed by numbers, but the year in such a line is mostly that of the paper.
NUMBERS_OF_ANY = 0.15
# How often the only year of a line belongs to the citation, if it is not next to the other numbers.
YEAR_APART = 0.85
# How often year, volume and number together, without a name, are those of the paper.
LABELLED = 0.88
_REFERENCE = re.compile(r"^\W*[A-Z][\w’'-]+,\s[A-Z]\.?.{0,80}?\((?:1[89]|20)\d\d[a-z]?\)\s?[‘“'\"A-Z]")
# Maximum number of words of a running head that may be only the name of a journal.
_HEAD_WORDS = 10


def read_notice(notice: Notice) -> tuple[NoticeEvidence, ...]:
    """Year, venue, volume, number, pages, identifiers and publisher, each with its probability of being
    right.
    """
    if notice.place is Place.EMBEDDED:
        return tuple(_read_embedded(notice))
    identifiers = tuple(read_identifiers(notice))
    return (
        *_read_citations(notice),
        *_read_names(notice),
        *read_dates(notice),
        *identifiers,
        *_read_issn_journals(identifiers),
        *_read_publisher(notice),
    )


def _read_citations(notice: Notice) -> Iterator[NoticeEvidence]:
    if notice.place in (Place.FRONT, Place.EDGE) and _REFERENCE.search(notice.text):
        return  # of another paper: the list of references of the article before ends on the page
    for cited in read_citation_lines(notice.text):
        chance = _venue_chance(notice, cited)
        if cited.venue is not None and chance:
            yield from _venue(cited.venue, chance, "journal")
        # Numbers alone are a date, an address or a table: only with a name they are a citation.
        sure = min(0.97, chance + 0.02) if chance else LABELLED if _is_labelled(cited) else 0.0
        if chance and cited.venue is not None and not _is_like_one(cited, cited.venue):
            sure += NUMBERS_OF_ANY
        if not sure:
            continue
        for name in ("year", "volume", "number", "pages"):
            printed: Printed | None = getattr(cited, name)
            if printed is not None:
                yield NoticeEvidence(name, printed.value, printed.start, printed.end, sure)
        if apart := cited.year_apart:
            yield NoticeEvidence("year", apart.value, apart.start, apart.end, min(sure, YEAR_APART))


def _is_labelled(cited: CitationLine) -> bool:
    return cited.year is not None and cited.volume is not None and cited.number is not None


def _venue_chance(notice: Notice, cited: CitationLine) -> float:
    """The probability that the venue is right; 0 if it probably is something else, such as part of a
    reference.
    """
    if cited.venue is None or journal_key(cited.venue.value) in _GENERIC or _is_no_name(cited.venue.value):
        return 0.0
    chance = _VENUE_CHANCE[notice.place]
    if not cited.is_whole and notice.place in (Place.FRONT, Place.EDGE):
        return 0.0
    if cited.is_listed:
        return chance
    is_dated = cited.year is not None or cited.year_apart is not None or notice.place is Place.REPEATED
    if not is_dated and None in (cited.volume, cited.number, cited.pages):
        return 0.0
    if _is_like_one(cited, cited.venue):
        return chance - UNLISTED
    return chance - (LIKE_A_CITATION if cited.is_whole and _is_complete(cited) else NOT_LIKE_ANY)


def _is_complete(cited: CitationLine) -> bool:
    return None not in (cited.volume, cited.year, cited.pages)


def _is_like_one(cited: CitationLine, venue: Printed) -> bool:
    """Whether a venue is a known journal, follows "In:", or has a typical name."""
    return cited.is_listed or cited.is_announced or looks_like_venue(venue.value)


def _venue(printed: Printed, chance: float, field: str) -> Iterator[NoticeEvidence]:
    """Evidence for a venue: as printed, under the field of its kind, and normalized for comparison."""
    read_name = read_journal_name if field == "journal" else read_venue_name
    names = {"venue": printed.value, field: printed.value}
    names.update(("venue_name", reading.value) for reading in read_name(printed.value))
    listed = find_journal(printed.value)
    if listed:
        names["listed_name"] = listed
    for name, value in names.items():
        yield NoticeEvidence(name, value, printed.start, printed.end, chance)


def _read_names(notice: Notice) -> Iterator[NoticeEvidence]:
    """Names of journals, meetings and series without volume and pages."""
    text = notice.text
    for pattern, field, chance in _NAMES:
        for found in pattern.finditer(text):
            printed = Printed(found["name"].strip(" ,"), found.start("name"), found.end("name"))
            if _CUT_OFF.search(printed.value):
                continue
            yield from _venue(printed, chance, field)
            year = found.groupdict().get("year")
            short = _ACRONYM_YEAR.search(printed.value)
            if year or short:
                value = year or complete_year(short[1] if short else "")
                yield NoticeEvidence("year", value, printed.start, printed.end, 0.9)
            elif pattern is _MEETING and (beside := find_only_year(text[printed.end :])):
                place = printed.end + beside.start
                yield NoticeEvidence("year", beside.value, place, place + len(beside.value), YEAR_APART)
    if notice.place in (Place.EDGE, Place.REPEATED, Place.FRONT):
        yield from _read_name_alone(notice)


_NAMES = (
    (_EDITED, "booktitle", 0.96),
    (_MEETING, "booktitle", 0.9),
    (_ACRONYM, "booktitle", 0.88),
    (_CONGRESS, "booktitle", 0.86),
    (_SERIES, "series", 0.88),
    (_SHORT_SERIES, "series", 0.8),
    (_NUMBERED_SERIES, "series", 0.88),
)


def _read_name_alone(notice: Notice) -> Iterator[NoticeEvidence]:
    """A known journal on a line of its own, possibly with a page number, a year or the kind of paper."""
    line = notice.text
    lead = _LEADING_NUMBER.match(line)
    start = lead.end() if lead else 0
    year = _YEAR_BEHIND.search(line, start)
    behind = year or _BEHIND_HEAD.search(line, start)
    end = behind.start() if behind else len(line)
    name = line[start:end].rstrip(" ,.|")
    if not 0 < len(name.split()) <= _HEAD_WORDS and not _SPACED.fullmatch(name):
        return
    found = find_listed(name, whole=True)
    if found is None:
        yield from _read_unlisted(notice)
        return
    if journal_key(found.value) in _GENERIC:
        return
    many = len(name.split()) > 1 and not _SPACED.fullmatch(name)
    is_head = notice.place is Place.REPEATED
    # Departments have names like journals: a line that is not repeated needs a word like "journal".
    if not is_head and not (many and (year or _JOURNAL_WORD.search(name))):
        return
    chance = (0.94 if is_head else 0.9) if many else 0.88
    if year:
        yield NoticeEvidence("year", year["year"], year.start("year"), year.end("year"), chance)
    yield from _venue(Printed(_unspaced(found.value), start, start + len(found.value)), chance, "journal")


def _read_unlisted(notice: Notice) -> Iterator[NoticeEvidence]:
    """A name like a journal's that recurs in the heads, or that stands alone or above a DOI, ISSN or URL."""
    found = _HEAD_NAME.match(notice.text)
    chance = UNLISTED_HEAD if notice.place is Place.REPEATED else UNLISTED_ALONE
    if notice.place is not Place.REPEATED and not _PERIODICAL.search(notice.text):
        found, chance = _NAME_ABOVE_NUMBER.match(notice.text), UNLISTED_HEAD
    if found is None:
        return
    name = found["name"].rstrip(" ,.|")
    words = name.split()
    is_periodical = _PERIODICAL.match(words[0]) is not None
    is_name = (
        1 < len(words) <= _HEAD_WORDS
        and (_PERIODICAL.search(name) or _LIKE_PERIODICAL.search(name))
        and (is_periodical or not NO_VENUE.search(name))
        and not _is_no_name(name)
        and journal_key(name) not in _GENERIC
        and (is_periodical or sum(word[0].isupper() for word in words) * 2 >= len(words))
    )
    if is_name:
        yield from _venue(
            Printed(name, found.start("name"), found.start("name") + len(name)), chance, "journal"
        )


def _is_no_name(name: str) -> bool:
    """Whether a name is a motto, "An International Journal", or the kind of a paper: "Original Research"."""
    return _MOTTO.match(name) is not None or _KIND_OF_TEXT.fullmatch(name) is not None


# How often a name that is not in the list is the venue, where nothing else is in its line.
UNLISTED_HEAD, UNLISTED_ALONE = 0.8, 0.7
_PERIODICAL = re.compile(
    r"\b(?:journal|revista|zeitschrift|annals|annales|acta|quarterly|bulletin|transactions|archives?|rivista|revue"
    r"|cahiers|cuadernos|cadernos|quaderni|jahrbuch|blätter|mitteilungen|yearbook|proceedings)\b",
    re.IGNORECASE,
)
_LIKE_PERIODICAL = re.compile(
    r"\b(?:studies|research|reviews?|letters|advances|perspectives|sciences?|reports|magazine|forum|international)\b"
    r"|\band\ssociety\b|\bund\sgesellschaft\b|\bforschung\b",
    re.IGNORECASE,
)
_HEAD_NAME = re.compile(r"^\W*(?:\d{1,5}\s+)?(?P<name>[A-ZÀ-Þ][^\d|]*[^\W\d])(?:\s+\d{1,5})?\W*$")
_NAME_ABOVE_NUMBER = re.compile(
    r"^\W*(?P<name>[A-ZÀ-Þ][^\d|:]*[^\W\d])\s+(?:(?:doi\s?:?\s?)?(?:https?://\S*doi\.org/)?10\.\d{4,9}/\S+"
    r"|(?:e-?|p-?)?ISSN\W{0,2}\d{4}\S\d{3}[\dXx].*|(?:https?://)?www\.\S+)\W*$",
    re.IGNORECASE,
)
_MOTTO = re.compile(r"(?:an?|the official)\s.*\b(?:journal|publication|magazine|review)\b", re.IGNORECASE)
_KIND_OF_TEXT = re.compile(
    r"(?:(?:original|empirical|research|review|regular|short|brief|full|length|invited|technical|clinical|special|case"
    r"|scientific|open|access|feature|section|issue|rapid|data|theme[d]?|selected|systematic|mini)\W{1,2})*"
    r"(?:research|stud(?:y|ies)|reviews?|articles?|papers?|reports?|letters?|notes?|science|communications?|series"
    r"|access|issue|section|contributions?)",
    re.IGNORECASE,
)
_JOURNAL_WORD = re.compile(
    r"\b(?:journal|review|letters|annals|transactions|proceedings|bulletin|archives|quarterly|zeitschrift"
    r"|revista"
    r"|revue|rivista|acta|magazine|advances in|trends in|frontiers in|nature|current opinion"
    r"|communications)\b",
    re.IGNORECASE,
)
_LEADING_NUMBER = re.compile(r"^\W*\d{1,4}\s+")
_BEHIND_HEAD = re.compile(
    r"\s*(?:\||•|·|\s/\s|\b(?:research|review|original)?\s?(?:article|paper)s?\s*$"
    r"|(?<=[A-Za-z])\s+\d{1,5}\s*$|\s{2,})",
    re.IGNORECASE,
)
_YEAR_BEHIND = re.compile(rf",?\s\(?{YEAR}\)?\W*$")
_SPACED = re.compile(r"(?:\S\s){4,}\S")


def _unspaced(name: str) -> str:
    """A letter-spaced name without these spaces; its word boundaries come from the journal list."""
    return (find_journal(name) if _SPACED.fullmatch(name) else None) or name


def _read_issn_journals(identifiers: Iterable[NoticeEvidence]) -> Iterator[NoticeEvidence]:
    """The journals in the list that have an ISSN found in a notice."""
    for evidence in identifiers:
        journal = load_journals().find_by_issn(evidence.value) if evidence.field == "issn" else None
        if journal:
            yield from _venue(Printed(journal, evidence.start, evidence.end), 0.87, "journal")


def _read_publisher(notice: Notice) -> Iterator[NoticeEvidence]:
    if _COPYRIGHT.search(notice.text):
        for found in _PUBLISHERS.finditer(notice.text):
            yield NoticeEvidence("publisher", found["name"], found.start(), found.end(), 0.9)


_EMBEDDED_FIELDS = {
    "publicationname": "venue", "issn": "issn", "eissn": "issn", "isbn": "isbn", "volume": "volume",
    "number": "number", "pagerange": "pages", "publisher": "publisher",
}  # fmt: skip
_DOI_NAMES = frozenset({"doi", "identifier", "wps-articledoi"})
_DATE_NAMES = {"coverdate": 0.94, "coverdisplaydate": 0.94, "publicationdate": 0.9}
_ANY_YEAR = re.compile(rf"(?<!\d){YEAR}")


def _read_embedded(notice: Notice) -> Iterator[NoticeEvidence]:
    source, _, name = notice.name.partition(":")
    value = notice.text
    if name in _DOI_NAMES or name in ("subject", "title", "keywords"):
        for found in read_dois(notice):
            yield replace(found, chance=0.93 if name in _DOI_NAMES else 0.92)
    if name in _DATE_NAMES and (year := _ANY_YEAR.search(value)):
        yield NoticeEvidence("year", year["year"], year.start(), year.end(), _DATE_NAMES[name])
    if name in ("subject", "title"):
        yield from _read_citations(notice)
    if source == "xmp" and name in _EMBEDDED_FIELDS:
        field = _EMBEDDED_FIELDS[name]
        if field == "venue":
            yield from _venue(Printed(value, 0, len(value)), 0.95, "journal")
        else:
            yield NoticeEvidence(field, value, 0, len(value), 0.95)
