"""Converts labeled passages to fields of a paper: separates names, parses dates, removes marks."""

import re
from collections.abc import Iterator

from portico.domains.papers.author_names import read_names_first
from portico.domains.papers.journals import is_journal
from portico.types.domain import Reading

_ABSTRACT_HEADING = re.compile(
    r"^\W*(?:(?:extended|executive)\s+)?(?:abstract|a\s*b\s*s\s*t\s*r\s*a\s*c\s*t|summary|s\s*u\s*m\s*m\s*a\s*r\s*y"
    r"|zusammenfassung|kurzfassung|résumé|resumé|resumen|resumo|riassunto|sommario|samenvatting|sammanfattning"
    r"|sammendrag|streszczenie|abstrakt|synopsis|аннотация|tiivistelmä|özet|摘要|要旨|要約)\b[\s.:;—–-]*",
    re.IGNORECASE,
)
# Other sections may precede it in the same type: "Scope and Purpose – … Abstract – …".
_LATER_HEADING = re.compile(r"(?<=[.?!] )(?:Abstract|ABSTRACT)\s?[.:—–-]+\s")
_NO_ABSTRACT = re.compile(
    r".{0,120}?(?:[.·ꞏ•]\s){5}|.{0,120}?\.{6}"  # the leaders of a table of contents
    r"|\W*(?:(?:table\s+of\s+)?contents\s+(?:\d|[IVX]+\b|einleitung|introduction|preface)|nutzungsbedingungen"
    r"|terms\s+of\s+use"
    r"|unter\s+einer\s+deposit-lizenz|disclaimer\b|contents\s*$|(?:any|the)\s+(?:opinions|views)\s+expressed"
    r"|(?:we|i)\s+(?:(?:would\slike\sto\s)?thank|(?:am|are)\sgrateful)\b)",
    re.IGNORECASE,
)
# In reports, the summary follows the table of contents.
_BEHIND_CONTENTS = re.compile(
    r"(?<=\d)\s+(?:executive\s)?(?:abstract|summary|zusammenfassung|kurzfassung|résumé|resumen|resumo)\s+"
    r"(?=(?-i:[A-ZÀ-Þ]))",
    re.IGNORECASE,
)
# Text after an abstract in the same type: contents, keywords, subject classes, how to cite it.
_ABSTRACT_END = re.compile(
    r"\s(?:Table of )?Contents\s*$|\s(?:Table of )?Contents\s+1\.?\s+[A-Z]"
    r"|(?<=[.?!)”\"])\s+(?:CCS Concepts|Categories and Subject Descriptors|General Terms|ACM Reference Format"
    r"|(?:Additional )?(?:Key ?[Ww]ords|KEY ?WORDS)(?: and [Pp]hrases)?|Index Terms|PACS"
    r"|JEL (?:[Cc]lass\w*|[Cc]odes?)|Schl(?:ü|u)(?:ss|ß)elw(?:ö|o)rter|Schlagw(?:ö|o)rter|Stichworte"
    r"|Mots?[- ][Cc]l(?:é|e)s?|Palabras [Cc]laves?|Palavras[- ][Cc]haves?|Descriptores|Parole [Cc]hiave"
    r"|Trefwoorden)\s?[:.—–-]"
    r"|(?<=[.?!)”\"])\s+(?:Highlights|HIGHLIGHTS|What is already known|Significance [Ss]tatement"
    r"|Plain [Ll]anguage"
    r" [Ss]ummary|Author [Ss]ummary|Graphical [Aa]bstract|©\s?\d{4}|Copyright\s(?:©|\d{4}))"
    # the same in another language
    r"|(?<=[.?!)”\"])\s+(?:Abstract|ABSTRACT|Zusammenfassung|ZUSAMMENFASSUNG|Kurzfassung|R[ée]sumé|RÉSUMÉ|Resumen"
    r"|RESUMEN|Resumo|RESUMO|Riassunto|RIASSUNTO|Sommario|Samenvatting)\b\s?[.:—–-]?\s+(?=[A-ZÀ-Þ¿])"
)
_SENTENCE = re.compile(r"[.?!]\s+(?=[A-Z])")
# Maximum length of an abstract; the longest in papers/* has 3,040 characters. Longer ones include other text.
_LONGEST_ABSTRACT = 3_500
# Words about people who are not the authors: thanked, editors, examiners.
_OTHERS = re.compile(
    r"\b(?:thanks?(?:\s+(?:to|are|go))?\b(?!\s*:)|thank(?:ed|ful)|acknowledg\w*|grateful(?:ly)?|gratitude"
    r"|indebted)\b"
    r"|\b(?:helpful|useful|valuable)\s+(?:comments|discussions|suggestions)|\banonymous\s+re(?:ferees"
    r"|viewers)"
    # editors, reviewers and correspondents, in a column next to the text or below it
    r"|^[^\w\n]{0,5}(?:(?:edited|reviewed|communicated|handled|recommended|approved)\s+by"
    r"|(?:(?:academic|handling|associate|guest|section|managing|review(?:ing)?)\s+)?editors?)\b"
    r"|^[^\w\n]{0,5}(?:citation|cite as|to cite|how to cite|cite this (?:article|paper))\b"
    r"|^[^\w\n]{0,5}(?:correspond(?:ence|encia|ance|ência|enza)|korrespondenz(?:adresse)?)\b"
    r"|\bISBN\b|\b\d{2,4}\s?pp\.(?=\s*\Z)"  # the authors of a reviewed book
    r"|\bviews\s+expressed|\b(?:editors?|publisher|committee|chairs?)\s*:|\(eds?\.\)"
    # examiners of a thesis
    r"|\b(?:supervis\w+|co-?supervis\w+|advis[eo]rs?|promot[eo]rs?|examiners?|(?:first|second)\s+reader|tutora?"
    r"|(?:erst|zweit)?gutachter(?:in)?|betreu\w+|orientador[ae]?s?|direct(?:eur|rice|ora?)\s+de\s+\w+)"
    r"(?:\s*:|\s+(?-i:Prof|Dr|[A-ZÀ-Þ][a-zß-ÿ]+\s+[A-ZÀ-Þ])|\s*\Z)",
    re.IGNORECASE | re.MULTILINE,
)
# The end of a line that is followed by the author's name.
_ANNOUNCED = re.compile(
    r"(?!.{0,60}\b(?:edited|reviewed|approved|supervised|communicated|translated|funded|supported|begutachtet)\b)"
    r"(?:.{0,60}\s)?(?:by|von|par|por|di|door|av|af)\W*"
    r"|(?:authors?|autor(?:en|in|es|a)?|auteurs?|verfasser(?:in)?|candidat[eo]?|autori)\W*",
    re.IGNORECASE,
)
_KEYWORD_HEADING = re.compile(
    r"^\W*(?:additional\s+)?(?:key\s*-?\s*words?(?:\s+and\s+phrases)?|index\s+terms"
    r"|schl(?:ü|u)(?:ss|ß)elw(?:ö|o)rter|schlagw(?:ö|o)rter|stichworte|mots?[-\s]cl(?:é|e)s?"
    r"|palabras\s+claves?|palavras[-\s]chaves?|descriptores|parole\s+chiave|trefwoorden"
    r"|categories[^:]*)\b[\s.:;—–-]*",
    re.IGNORECASE,
)
# Lists of keywords may have headings inside: "General Terms Algorithms Keywords search".
_BETWEEN_KEYWORDS = re.compile(
    r"[,;·•]|\s[–—-]\s|(?:^|\s)(?:general\s+terms|key\s?words(?:\s+and\s+phrases)?|jel(?:\s+class\w*"
    r"|\s+codes?)?\b)\s*:?"
    r"|(?:^|\s)(?-i:[A-Z]{5,})\s*$",
    re.IGNORECASE,
)
# Minimum number of letters in a title: shorter ones were cut too early.
_FEWEST_LETTERS = 4
_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20[0-4]\d)(?!\d)")
# The length before the @ is limited for speed: a text without any @ may have thousands of words.
_EMAIL = re.compile(r"[\w.+{}~,| -]{0,200}?[\w}]\s?@\s?[\w-]+(?:\s?\.\s?[\w-]+)+")
_PAGES = re.compile(r"\d+\s*[-–—]+\s*\d+|[A-Z]?\d+(?=\D*$)")
_TITLE_MARKS = re.compile(r"(?:\s*[*†‡§¶∗♯]|(?<=[a-z])\d)+$")
# "ABSTRACT" above a title that is not in capitals is a heading printed in the title's size.
_ABOVE_TITLE = re.compile(r"^\s*ABSTRACT\s+(?=[A-Z](?:[a-z]|\s+[A-Z]?[a-z]))")
# A paragraph that is a report number ("FS I 01 - 301"), a kind of text, or a truncated running head.
_BESIDE_TITLE = re.compile(
    r"(?=\D*\d)(?:[A-Z]{1,8}[\s.:/-]*){0,3}(?:(?:[IVX]+|\d+)[\s./:–-]*)+"
    r"|(?:[A-Z]{2,8}\s)?(?:(?:working|discussion|research|conference|technical|occasional)\s)?(?:paper|report|memorandum|memo)s?"
    r"(?:\sseries)?(?:,?\s(?:no|nr|number)\.?)?(?:\s?[\d/.–-]+)?"
    r"|.*(?:…|\.\.\.)",
    re.IGNORECASE | re.DOTALL,
)
# The least share of a paragraph that the journal name at its beginning must cover.
_OPENING_SHARE = 0.5
# Maximum length of a paragraph next to a title: it is looked up repeatedly, with one more line each time.
_LONGEST_BESIDE = 400
# A manuscript's running head, with page number, that repeats the title below.
_HEAD_AGAIN = re.compile(r"^(?P<head>.{15,}?)\s+(?:\d{1,3}\s+)?(?=(?P=head))", re.IGNORECASE | re.DOTALL)
# "By", after a title and before the names.
_BY_LINE = re.compile(r"\s(?:by|par|por|von|BY|PAR|POR|VON)$")
_CHAPTER_NUMBER = re.compile(r"^\s*\d{1,2}\.?\s+(?=[A-Z])")
# Text after a title in references that is not part of it: the medium ("[online]"), the kind of thesis, the
# version of a program, the edition, and the journal or book after two slashes, as in Russian lists.
_BEHIND_TITLE = re.compile(
    r"\s*(?:(?<!:)//\s*(?=[^\W\d_])"
    r"|\[(?:on-?line|internet|electronic|www|web ?site|cd-?rom|(?:computer )?(?:software|program)|data ?set|"
    r"(?:ph\.?\s?d\.?\s?|doctoral |master'?s? )?(?:dissertation|thesis)|disserta[çc][ãa]o|tese)\]"
    r"|\((?:computer )?version v?\d[\w.]*\)"
    r"|[,.]?\s\(?\d{1,2}(?:st|nd|rd|th|\.)?\s(?:edn?|edition|aufl|auflage)\b(?=[.,;)]|\s*$)"
    r"|[.,]\s(?:available (?:from|at|online|via)|retrieved from|url:)"
    r"|[.,]\sin:\s(?=[^\W\d_]))",
    re.IGNORECASE,
)
_IN = re.compile(r"\s*(?:in|appears in|to appear in)(?:\s*:\s*|\s+)(?=\S)", re.IGNORECASE)
_IN_JOURNAL = re.compile(r"\s*in\s*:\s*(?=\S)", re.IGNORECASE)
# Words after a venue that announce its volume or address, which were labelled apart.
_BEHIND_VENUE = re.compile(
    r"(?:[,;.(]\s*(?:jg|jahrg|jahrgang|bd|band|nr|no|vol|heft|issue)|[,;.(\s]\s*(?:retrieved|available|accessed"
    r"|abgerufen|verfügbar)(?:\s(?:online|from|at|via|on|von|am|unter))*)[\s.,;:)]*$",
    re.IGNORECASE,
)
# What follows if a title that seems to end in "In" has ended: editors or a meeting.
_CONTAINED = re.compile(
    r"\b(?:eds?|editors?|edited|hrsg|hg|proc|proceedings|conference|symposium|workshop|meeting|congress|pp?"
    r"|pages|S)\b\.?(?!\w)|\d\s?[-–]\s?\d",
    re.IGNORECASE,
)
_IN_TITLE = re.compile(r"In\s(?i:the|an?|search|defen[cs]e|praise|pursuit|quest|his|her|their|our|my)\b")
_TRIM = " \t\n.,;:"
_QUOTES = "\"'“”‘’`„«»"
# Marks before an affiliation: symbols, and a number before a name, except in "3M", "5G Lab" and "3Com".
_PLACE_SIGNS = re.compile(r"[^\w(\[{\"“‘'«]+")
_PLACE_NUMBER = re.compile(r"(?<!\w)(?!3Com\b)(\d{1,2})(?:\s(?=[^\W\d_])|(?=[A-ZÀ-Þ][A-ZÀ-Þa-zß-ÿ]))")


def read_whole(passage: str) -> tuple[Reading, ...]:
    """The passage without surrounding punctuation, and without an opening brace whose content is the next
    passage.
    """
    return _trimmed(passage, 0, len(passage), _TRIM + "{")


def read_venue(passage: str) -> tuple[Reading, ...]:
    """The proceedings or journal, without a preceding "In"."""
    return _read_place(passage, _IN)


def read_journal(passage: str) -> tuple[Reading, ...]:
    """The journal; "In" before it must have a colon, because names begin with it: "In Vitro"."""
    return _read_place(passage, _IN_JOURNAL)


def _read_place(passage: str, before: re.Pattern[str]) -> tuple[Reading, ...]:
    start, behind = before.match(passage), _BEHIND_VENUE.search(passage)
    end = behind.start() if behind and behind.start() else len(passage)
    return _trimmed(passage, start.end() if start else 0, end, _TRIM)


def read_publisher(passage: str) -> tuple[Reading, ...]:
    """The publisher without a parenthesis whose other half was labelled apart."""
    end = len(passage.rstrip(_TRIM))
    is_closed = passage.count(")") > passage.count("(") and passage.endswith(")", 0, end)
    start = len(passage) - len(passage.lstrip(_TRIM))
    is_opened = passage.count("(") > passage.count(")") and passage.startswith("(", start)
    return _trimmed(passage, start + is_opened, end - is_closed, _TRIM)


def continues_title(title: str, rest: str) -> bool:
    """Whether "In …" is part of a title: behind a colon, or at its beginning, and without editors, pages or a
    meeting after it.
    """
    is_open = not title.strip() or title.rstrip().endswith(":")
    return is_open and _IN_TITLE.match(rest) is not None and not _CONTAINED.search(rest)


def read_title(passage: str) -> tuple[Reading, ...]:
    """The title without quotation marks, footnote marks and a final period."""
    number = _CHAPTER_NUMBER.match(passage) or _ABOVE_TITLE.match(passage) or _HEAD_AGAIN.match(passage)
    end = len(passage.rstrip())
    for behind in (_BY_LINE, _TITLE_MARKS):
        match = behind.search(passage, 0, end)
        if match and match.start() > 0:
            end = match.start()
    return _trimmed(passage, number.end() if number else 0, end, _TRIM + _QUOTES)


def stands_beside_title(paragraph: str) -> bool:
    """Whether a paragraph next to a title is not part of it: a journal name, a report number, a truncated
    head.
    """
    if len(paragraph) > _LONGEST_BESIDE:
        return False
    if _BESIDE_TITLE.fullmatch(paragraph.strip()):
        return True
    lines = paragraph.split("\n")
    names = (" ".join(lines[: idx + 1]) for idx in range(len(lines)))
    enough = _OPENING_SHARE * len(paragraph)
    return any(len(name) >= enough and " " in name and is_journal(name) for name in names)


def names_others(paragraph: str) -> bool:
    """Whether the people named in a paragraph are not its authors: thanked, editors, examiners etc."""
    return _OTHERS.search(paragraph) is not None


def announces_author(line: str) -> bool:
    """Whether the next line must be the author's name, because this one ends with "by" or is a heading
    like "Author".
    """
    return _ANNOUNCED.fullmatch(line.strip()) is not None


def read_cited_title(passage: str) -> tuple[Reading, ...]:
    """The title in a reference, without an edition, medium etc. after it."""
    behind = _BEHIND_TITLE.search(passage)
    cut = behind and sum(character.isalpha() for character in passage[: behind.start()]) >= _FEWEST_LETTERS
    return read_title(passage[: behind.start()] if behind and cut else passage)


def read_abstract(passage: str) -> tuple[Reading, ...]:
    """The abstract without its heading; empty if the passage is a table of contents or a license."""
    match = _ABSTRACT_HEADING.match(passage) or _LATER_HEADING.search(passage)
    if match is None and _NO_ABSTRACT.match(passage):
        match = next(reversed(list(_BEHIND_CONTENTS.finditer(passage))), None)
    start = match.end() if match else 0
    if _NO_ABSTRACT.match(passage, start):
        return ()
    behind = _ABSTRACT_END.search(passage, start)
    return _trimmed(passage, start, _bounded_end(passage, start, behind), " \t\n")


def _bounded_end(passage: str, start: int, behind: re.Match[str] | None) -> int:
    """The end of an abstract: before any text of another kind, or after the last sentence within the
    length limit.
    """
    end = behind.start() if behind else len(passage)
    if end - start <= _LONGEST_ABSTRACT:
        return end
    bound = start + _LONGEST_ABSTRACT
    return max((match.start() + 1 for match in _SENTENCE.finditer(passage, start, bound)), default=bound)


def read_keywords(passage: str) -> tuple[Reading, ...]:
    """One value per keyword."""
    match = _KEYWORD_HEADING.match(passage)
    start = match.end() if match else 0
    return tuple(_listed(passage, start, _BETWEEN_KEYWORDS))


def read_year(passage: str) -> tuple[Reading, ...]:
    """The last year in the passage: 1997 in "received 1996, revised 1997"."""
    years = list(_YEAR.finditer(passage))
    return tuple(Reading(match[1], match.start(1), match.end(1)) for match in years[-1:])


def read_cited_year(passage: str) -> tuple[Reading, ...]:
    """The first year in the passage: 1986, the edition, in "1986 [1934]"; 1918, the beginning, in
    "1918-1920".
    """
    return tuple(
        Reading(match[1], match.start(1), match.end(1)) for match in [_YEAR.search(passage)] if match
    )


def read_emails(passage: str) -> tuple[Reading, ...]:
    """Every email address as printed; "{ann, bob}@example.org" stays one value."""
    return tuple(_email(match) for match in _EMAIL.finditer(passage))


def _email(match: re.Match[str]) -> Reading:
    """The address without surrounding characters; braces are kept if balanced, as they enclose several
    addresses.
    """
    around = " ,;|" if match[0].count("{") == match[0].count("}") else " ,;|{}"
    left = len(match[0]) - len(match[0].lstrip(around))
    value = match[0].strip(around)
    return Reading(value, match.start() + left, match.start() + left + len(value))


def read_pages(passage: str) -> tuple[Reading, ...]:
    """First and last page with a plain hyphen."""
    match = _PAGES.search(passage)
    if match is None:
        return ()
    return (Reading(re.sub(r"\s*[-–—]+\s*", "-", match[0]), match.start(), match.end()),)


def read_affiliation(passage: str) -> tuple[Reading, ...]:
    """Affiliations without marks and names before them; one value for each if they are numbered."""
    signs = _PLACE_SIGNS.match(passage)
    return tuple(
        reading
        for start, end in _numbered_places(passage, signs.end() if signs else 0)
        for reading in _trimmed(passage, _name_end(passage, start), end, _TRIM + "{")
    )


def _numbered_places(passage: str, start: int) -> Iterator[tuple[int, int]]:
    """The range after each of a series of ascending numbers; the whole passage if it does not begin with
    a number.
    """
    mark = _PLACE_NUMBER.match(passage, start)
    if mark is None:
        yield start, len(passage)
    while mark is not None:
        numbers = _PLACE_NUMBER.finditer(passage, mark.end())
        following = next((number for number in numbers if int(number[1]) == int(mark[1]) + 1), None)
        yield mark.end(), following.start() if following else len(passage)
        mark = following


def _name_end(passage: str, start: int) -> int:
    """The start of an affiliation, after the names before it."""
    line = passage[start:].partition("\n")[0]
    return start + max((name.end for name in read_names_first(line) if name.start == 0), default=0)


def _listed(passage: str, start: int, separator: re.Pattern[str]) -> Iterator[Reading]:
    while start < len(passage):
        match = separator.search(passage, start)
        end = match.start() if match else len(passage)
        yield from _trimmed(passage, start, end, _TRIM)
        start = match.end() if match else len(passage)


def _trimmed(passage: str, start: int, end: int, characters: str) -> tuple[Reading, ...]:
    text = passage[start:end]
    left = len(text) - len(text.lstrip(characters))
    value = text.strip(characters)
    if not any(character.isalnum() for character in value):
        return ()
    return (Reading(" ".join(value.split()), start + left, start + left + len(value)),)
