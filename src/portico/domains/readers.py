"""How values of each form are read from a passage of a web page, and what such values look like."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from portico.domains.papers.author_names import read_names
from portico.domains.papers.fields import read_whole
from portico.domains.papers.values import read_date
from portico.types.domain import Form, Reader, Reading

_EMAIL = r"[\w.+~-]{1,64}\s?(?:@|\(at\)|\[at\])\s?[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}"
_DIGITS = r"\d[\d().\s/–-]{5,22}\d"
_EXTENSION = r"(?:,?\s*(?:ext|extension|x)\.?\s*\d{1,5}(?:\s?[,/]\s?\d{1,5})?)?"
_PHONE = rf"(?<![\w.@-])(?:\(?\+\d{{1,3}}\)?[\s.–-]?)?\(?{_DIGITS}{_EXTENSION}|\b\d{{3}}-[A-Z]{{7}}\b"
_STREETS = (
    r"street|st|road|rd|avenue|ave|boulevard|blvd|lane|ln|drive|dr|court|ct|way|highway|hwy|parkway|square|place"
    r"|broadway|terrace|circle|plaza"
)
ADDRESS = (
    rf"\b\d{{1,5}}[a-z]?\s+(?:[\w.'-]+\s+){{0,4}}(?:{_STREETS})\b\.?|\bP\.?\s?O\.?\s?Box\s+\d+"
    r"|\b(?:suite|floor|room)\s+\d+\w*|\b\d+(?:st|nd|rd|th)\s+floor"
    r"|(?-i:[A-Z][\w.' -]{2,30}),\s+(?-i:[A-Z]{2}|[A-Z][a-z]+)\.?\s+\d{5}(?:-\d{4})?\b"
    r"|(?-i:\b[A-ZÄÖÜ]\w+(?:straße|strasse|str\.|weg|platz))\s+\d+|(?-i:\b(?:[A-Z]{1,2}-)?\d{5}\s+[A-ZÄÖÜ]\w{2,})"
)
"""What parts of postal addresses look like."""
SURE_PHONE = (
    r"(?<![\w.@/-])(?<!fax )(?<!fax: )(?<!fax\. )(?:\(?\+\d{1,3}\)?[\s.–-]{0,2})?\(?\d{2,5}\)?[\s.–-]{1,2}"
    rf"(?:\d{{3,4}}[\s.–-]\d{{3,5}}(?:[\s.–-]\d{{3,4}})?|\d{{6,8}}){_EXTENSION}(?![\w/])"
)
"""Telephone numbers that are nothing else."""
_URL = r"\b(?:https?://|www\.)[^\s<>()\"']{3,200}"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?<!\d)(?:1[89]|20)\d\d(?!\d)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"\b(?:{_DAY}\s+)?{_MONTH}\.?(?:\s+{_DAY})?,?\s+(?:1[89]|20)\d\d|\b\d{{4}}-\d\d-\d\d\b"
_NUMBER = r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?!\w)"

PATTERNS: Mapping[Form, str] = MappingProxyType(
    {
        Form.EMAIL: _EMAIL,
        Form.PHONE: _PHONE,
        Form.URL: _URL,
        Form.DATE: _DATE,
        Form.YEAR: _YEAR,
        Form.NUMBER: _NUMBER,
    }
)
"""What values of a form look like, in whatever case; the other forms have no look of their own."""

# Fewer digits are a year, a room or a price; more are an account.
_LEAST_DIGITS, _MOST_DIGITS = 7, 20
_HONORIFIC = re.compile(
    r"^\W*(?:(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|dame|lord|lady|rev|reverend|hon|capt|captain|col|colonel"
    r"|maj|major|gen|general|lt|sgt|dipl|ing|herr|frau|monsieur|madame|señor|señora|sra|sr(?=\.))\b\.?-?\s*)+",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"(?:,\s*+|\s++|\s*+\()(?:ph\.?\s?d|m\.?d|m\.?p\.?h|m\.?b\.?a|m\.?sc|b\.?sc|b\.?a|m\.?a|j\.?d|ll\.?[bm]|cpa|cfa"
    r"|esq|esquire|faia|facep|facs|fca|aca|acma|acca|rn|pe|pmp|php|obe|mbe|cbe|rtd|retd|ret)\b\.?\)?"
    r"(?=\s*(?:[,(]|$))",
    re.IGNORECASE,
)
_OPENING, _CLOSING = ("(", "["), (")", "]")
_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]?")
_PLACE = re.compile(
    r"(?P<town>[^\W\d_][\w.'’ -]{1,40}?),\s*(?P<state>[A-Z]{2}|[A-Z][a-z]+(?:\s[A-Z][a-z]+)?)\.?,?\s+\d{4,6}"
)
_POSTCODE = re.compile(r"(?:^|,|\s)\W*(?:[A-Z]{1,2}-)?\d{4,6}\s+(?P<town>[^\W\d_][\w.'’ -]{1,40})")
_NO_PLACE = re.compile(
    r"\b(?:street|st|road|rd|avenue|ave|boulevard|blvd|lane|drive|court|ct|way|broadway|plaza|floor|suite|building|block|house|box|bazar"
    r"|near|opp|market|square|center|centre|tower|office|strasse|straße|platz)\b|\d",
    re.IGNORECASE,
)


def read_person(passage: str) -> tuple[Reading, ...]:
    """One name, without titles before it and degrees behind it."""
    start = match.end() if (match := _HONORIFIC.match(passage)) else 0
    end = len(passage)
    for cut in (_BRACKETS, _DEGREE):
        found = cut.search(passage, start, end)
        if found and found.start() > start:
            end = found.start()
    return tuple(reading for reading in _whole(passage, start, end) if _may_be_name(reading.value))


def read_role(passage: str) -> tuple[Reading, ...]:
    """An office without brackets around it, or a bracket that is only opened or closed.

    "(Treasurer)" is the treasurer; "Chair (acting)" stays as it is.
    """
    start, end = 0, len(passage)
    for reading in read_whole(passage):
        start, end = reading.start, reading.end
        while (
            end > start
            and passage[start] in _OPENING
            and _closing(passage[start:end]) in (-1, end - start - 1)
        ):
            end -= passage[end - 1] in _CLOSING
            start += 1
        if passage[end - 1 : end] in _CLOSING and not any(one in passage[start:end] for one in _OPENING):
            end -= 1
    return _whole(passage, start, end)


def _closing(passage: str) -> int:
    """Where the bracket is closed that a passage begins with; -1 where nowhere."""
    depth = 0
    for idx, sign in enumerate(passage):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if not depth:
            return idx
    return -1


def read_people(passage: str) -> tuple[Reading, ...]:
    """One value a person, of a list of names."""
    return tuple(
        Reading(one.value, reading.start + one.start, reading.start + one.end)
        for reading in read_names(passage)
        for one in read_person(passage[reading.start : reading.end])
    )


def read_place(passage: str) -> tuple[Reading, ...]:
    """The town, with its state or country, of an address."""
    found = _PLACE.search(passage)
    if found:
        streets = [match.end() for match in _NO_PLACE.finditer(passage, *found.span("town"))]
        town = passage[max(streets, default=found.start("town")) : found.end("town")].strip(" .")
        if town:
            start = found.end("town") - len(town)
            return (Reading(f"{town}, {found['state']}", start, found.end("state")),)
    found = _POSTCODE.search(passage)
    if found and not _NO_PLACE.search(found["town"]):
        return _whole(passage, found.start("town"), found.end("town"))
    return _last_names(passage)


def read_phone(passage: str) -> tuple[Reading, ...]:
    """Every telephone number as printed."""
    return tuple(
        reading
        for reading in _matching(_PHONE)(passage)
        if _LEAST_DIGITS <= sum(map(str.isdigit, reading.value)) <= _MOST_DIGITS
        or reading.value[-1].isalpha()
    )


def read_email(passage: str) -> tuple[Reading, ...]:
    """Every mail address, written with an @."""
    return tuple(
        Reading(re.sub(r"\s?(?:\(at\)|\[at\]|@)\s?", "@", one.value, flags=re.IGNORECASE), one.start, one.end)
        for one in _matching(_EMAIL)(passage)
    )


def make_pattern_reader(pattern: str) -> Reader:
    """Every match of a pattern of the builder's; its group "value", else the whole match, is the value."""
    return _matching(pattern)


READERS: Mapping[Form, Reader] = MappingProxyType(
    {
        Form.TEXT: read_whole,
        Form.NAME: read_person,
        Form.EMAIL: read_email,
        Form.PHONE: read_phone,
        Form.DATE: read_date,
        Form.YEAR: lambda passage: _matching(_YEAR)(passage),
        Form.NUMBER: lambda passage: _matching(_NUMBER)(passage),
        Form.URL: lambda passage: _matching(_URL)(passage),
        Form.PLACE: read_whole,
    }
)
"""How a passage that is said to hold a value of a form is read."""


def _matching(pattern: str) -> Callable[[str], tuple[Reading, ...]]:
    compiled = re.compile(pattern, re.IGNORECASE)

    def read(passage: str) -> tuple[Reading, ...]:
        readings: list[Reading] = []
        for match in compiled.finditer(passage):
            group = "value" if "value" in compiled.groupindex else 0
            if match[group] is not None and match[group].strip():
                readings += _whole(passage, match.start(group), match.end(group))
        return tuple(readings)

    return read


_TRIM = " \t\n,;:|–—-•·*"


def _whole(passage: str, start: int, end: int) -> tuple[Reading, ...]:
    text = passage[start:end]
    value = text.strip(_TRIM)
    if not any(map(str.isalnum, value)):
        return ()
    start += len(text) - len(text.lstrip(_TRIM))
    return (Reading(" ".join(value.split()), start, start + len(value)),)


# Words of the longest printed name; longer is a line that was taken for one.
_LONGEST_NAME = 7


def _may_be_name(text: str) -> bool:
    return (
        len(text.split()) <= _LONGEST_NAME
        and "@" not in text
        and not any(map(str.isdigit, text))
        and (text[0].isupper() or not text[0].isascii())
    )


def _last_names(passage: str) -> tuple[Reading, ...]:
    """The last parts of an address that are neither street nor number: "Karachi, Pakistan"."""
    parts: list[tuple[int, int]] = []
    for match in re.finditer(r"[^,\n]+", passage):
        text = match[0].strip(" .")
        if text and len(text.split()) <= 3 and not _NO_PLACE.search(text) and text[0].isupper():
            parts.append((match.start(), match.end()))
    if not parts:
        return ()
    names = [passage[start:end].strip(" .") for start, end in parts[-2:]]
    return (Reading(", ".join(names), parts[-2:][0][0], parts[-1][1]),)
