"""Reads identifiers of a paper from its pages and metadata: DOI, arXiv number, ISSN and ISBN."""

import re
from collections.abc import Iterator

from portico.domains.papers.values import read_arxiv, read_doi
from portico.types.domain import Notice, NoticeEvidence, Place

_OLD_ARXIV = re.compile(r"\b(?P<number>[a-z]{2,}(?:-[a-z]{2,})?(?:\.[A-Z]{2})?/\d{7})(?!\d)")
_CUT_DOI = re.compile(
    r"(?<=[\d)])\.(?:this|the|these|which|see|available|copyright|published|received|http|pdf)\w*$"
    r"|(?<=\w)(?:https?:|www\.).*$|/-/.*$",
    re.IGNORECASE,
)
CUT_AT_END = 0.65  # how often a DOI is whole that ends with a hyphen
_PLACEHOLDER = re.compile(r"nnnn|xxxx")
_DOI_CUE = re.compile(r"\bdoi\b|doi\.org", re.IGNORECASE)
_OTHERS_DOI = re.compile(
    r"\b(?:dryad|zenodo|figshare|osf\.io|supplement\w*|data ?sets?|correction|erratum|corrigendum|comment on"
    r"|companion|see also|version of record)\b|10\.(?:5061|5281|6084|17605|7910)/",
    re.IGNORECASE,
)
_OPEN_DOI = re.compile(r"(10\.\d{4,9}/\S*[./_-]|10\.\d{4,9}/)\s(?=[\w(])")
_ISSN = re.compile(r"(?<![\d-])(?P<issn>\d{4}[-–−‐]\d{3}[\dXx])(?![\d-])")
_ISBN = re.compile(r"\bISBN(?:-1[03])?:?\s?(?P<isbn>97[89][-– ]?(?:\d[-– ]?){9}\d|(?:\d[-– ]?){9}[\dXx])")


def read_identifiers(notice: Notice) -> Iterator[NoticeEvidence]:
    """The DOI, arXiv number, ISSN and ISBN in a notice, each with the probability that it is the paper's."""
    yield from read_dois(notice)
    sideways = notice.place is Place.SIDEWAYS
    for reading in read_arxiv(notice.text):
        chance = 0.97 if sideways or notice.place in (Place.EDGE, Place.REPEATED) else 0.85
        yield NoticeEvidence("arxiv", reading.value, reading.start, reading.end, chance)
    if sideways and (old := _OLD_ARXIV.search(notice.text)):
        yield NoticeEvidence("arxiv", old["number"], old.start(), old.end(), 0.95)
    for found in _ISSN.finditer(notice.text):
        issn = re.sub(r"[–−‐]", "-", found["issn"].upper())
        if not is_issn(issn):
            continue
        yield NoticeEvidence("issn", issn, found.start(), found.end(), 0.93)
    for found in _ISBN.finditer(notice.text):
        yield NoticeEvidence(
            "isbn", re.sub(r"[– ]", "-", found["isbn"]), found.start("isbn"), found.end("isbn"), 0.93
        )


def is_issn(number: str) -> bool:
    """Whether the check digit of the ISSN is right."""
    digits = number.replace("-", "")
    total = sum((8 - idx) * int(digit) for idx, digit in enumerate(digits[:7]))
    return digits[7] == ("X" if (11 - total % 11) % 11 == 10 else str((11 - total % 11) % 11))


def read_dois(notice: Notice) -> Iterator[NoticeEvidence]:
    """The DOIs in a notice, except of data sets, corrections and other papers."""
    if _OTHERS_DOI.search(notice.text):
        return
    # A DOI that is cut by a line end continues on the next line.
    text = _OPEN_DOI.sub(lambda match: match[1] + "\u200b", notice.text)
    for reading in read_doi(text.replace("\u200b", "")):
        value = _CUT_DOI.sub("", reading.value)
        if len(value.partition("/")[2]) < 2 or _PLACEHOLDER.search(value):
            continue
        has_cue = _DOI_CUE.search(notice.text[: reading.start]) is not None
        chance = 0.97 if has_cue or notice.place in (Place.REPEATED, Place.CITED) else 0.9
        chance = CUT_AT_END if value[-1] in "-/_" else chance
        yield NoticeEvidence("doi", value, reading.start, min(len(notice.text), reading.end), chance)
