"""Readers of declared fields by form (date, price, person, …): recognize and normalize values."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from portico.domains.papers.author_names import read_names
from portico.domains.papers.fields import read_whole
from portico.domains.papers.values import read_date
from portico.text.telephones import may_be_phone
from portico.types.domain import Form, Reader, Reading

_EMAIL = r"[\w.+~-]{1,64}\s?(?:@|\(at\)|\[at\])\s?[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}"
_DIGITS = r"\d[\d().\s/–-]{5,22}\d"
_EXTENSION = r"(?:,?\s*(?:ext|extension|x)\.?\s*\d{1,5}(?:\s?[,/]\s?\d{1,5})?)?"
_PHONE = rf"(?<![\w.@-])(?:\(?\+\d{{1,3}}\)?[\s.–-]?)?\(?{_DIGITS}{_EXTENSION}|\b\d{{3}}-[A-Z]{{7}}\b"
_STREETS = (
    r"street|st|road|rd|avenue|ave|boulevard|blvd|lane|ln|drive|dr|court|ct|way|highway|hwy|parkway"
    r"|square|place"
    r"|broadway|terrace|circle|plaza"
)
ADDRESS = (
    rf"\b\d{{1,5}}[a-z]?\s+(?:[\w.'-]+\s+){{0,4}}(?:{_STREETS})\b\.?|\bP\.?\s?O\.?\s?Box\s+\d+"
    r"|\b(?:suite|floor|room)\s+\d+\w*|\b\d+(?:st|nd|rd|th)\s+floor"
    r"|(?-i:[A-Z][\w.' -]{2,30}),\s+(?-i:[A-Z]{2}|[A-Z][a-z]+)\.?\s+\d{5}(?:-\d{4})?\b"
    r"|(?-i:\b[A-ZÄÖÜ]\w+(?:straße|strasse|str\.|weg|platz))\s+\d+"
    r"|(?-i:\b(?:[A-Z]{1,2}-)?\d{5}\s+[A-ZÄÖÜ]\w{2,})"
)
"""What parts of postal addresses look like."""
SURE_PHONE = (
    r"(?<![\w.@/-])(?<!fax )(?<!fax: )(?<!fax\. )(?:\(?\+\d{1,3}\)?[\s.–-]{0,2})?\(?\d{2,5}\)?[\s.–-]{1,2}"
    rf"(?:\d{{3,4}}[\s.–-]\d{{3,5}}(?:[\s.–-]\d{{3,4}})?|\d{{6,8}}){_EXTENSION}(?![\w/])"
)
"""Telephone numbers that are nothing else."""
SPELLED_PHONE = r"(?<![\w-])(?:1-)?[2-9]\d\d-(?-i:[A-Z]{7})(?![\w-])"
"""A number with letters for digits."""
_STREET_WORDS = (
    rf"(?:{_STREETS}|floor|fl|suite|room|flat|unit|plot|block|building|bldg|tower|house|mall|bazaa?r|market"
    r"|sector|phase|colony|town|nagar|marg|chowk|near|opp|opposite|estate|park|quay|mews|crescent|centre|center)"
)
ADDRESS_LINE = (
    rf"^(?=.{{12,160}}$)(?=(?:[^,]+,){{2}})(?=.*\b{_STREET_WORDS}\b.*,.*\b{_STREET_WORDS}\b)"
    r"(?!.*[:@;!?])(?!(?:.*\b(?:the|our|we|is|are|was|with|for|has|by)\b){2}).*$"
)
"""A line of several parts, two of which name a street, a building, or what is beside it."""
ANNOUNCED_ADDRESS_CUE = (
    r"(?<![\w-])(?<!mail )(?<!web )(?<!ip )(?<!site )(?:address|adresse|anschrift|direcci[oó]n|domicilio"
    r"|indirizzo|endere[cç]o|adres|adresa|adress|osoite|cím|адреса?|διεύθυνση|地址|住所|所在地|주소)\s*(?:[:：]|$)"
)
"""What announces an address: with a colon, or alone in the cell before it."""
ANNOUNCED_ADDRESS = r"(?:^|(?<=[:：])|(?<=[:：]\s))(?=[^@]*(?:\d|,))[^\s:：][^:：]{7,200}$"
"""The rest of a line behind such a cue, or a whole line."""
FAX_CUE = (
    r"\b(?:tele?)?fax(?:es)?\b(?:\s?(?:no|number|nr)\b)?|\bfacsimile\b|\bt[ée]l[ée]copie(?:ur)?\b"
    r"|\bfaks\w?\b|\bfaxe\b"
    r"|\bфакс\w?\b|φαξ|传真|傳真|팩스|ファックス|ファクス|(?<![\w.])f\s?[.:](?=\s|\(|\+|\d)"
)
"""What announces a fax, in the languages of most sites."""
PHONE_CUE = (
    r"\b(?:tele)?phones?\b|\btel(?:efono|éfono|efoon|efone|efon)?\b\.?|\bt[ée]l(?:[ée]phone)?\b"
    r"|\bfon\b|\bfone\b|\bph\b\.?"
    r"|\bmob(?:ile)?\b|\bcell\b|\bhotline\b|\bcall\b|\btoll[- ]free\b|\bswitchboard\b|\boffice\s*:"
    r"|\bdirect\s*:|\buan\b|\btfn?o?\b"
    r"|\bтел(?:ефон\w*)?\b|τηλ(?:έφωνο)?|电话|電話|手机|联系电话|전화|(?<![\w.])[tpm]\s?[.:](?=\s|\(|\+|\d)"
)
"""What announces a telephone."""
ANNOUNCED_NUMBER = rf"(?<![\w@/-])\(?\+?\(?\d[\d().\s/–-]{{4,24}}\d(?![\w@]){_EXTENSION}"
"""A number that is a telephone if something says so."""
_URL = r"\b(?:https?://|www\.)[^\s<>()\"']{3,200}"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?<!\d)(?:1[89]|20)\d\d(?!\d)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"\b(?:{_DAY}\s+)?{_MONTH}\.?(?:\s+{_DAY})?,?\s+(?:1[89]|20)\d\d|\b\d{{4}}-\d\d-\d\d\b"
_NUMBER = r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?!\w)"
_CURRENCY = r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|INR|kr)\b)"
_PRICE = rf"{_CURRENCY}\s?\d[\d,. ]{{0,12}}(?<=\d)|(?<![\w.])\d[\d,.]{{0,12}}(?<=\d)\s?{_CURRENCY}"

PATTERNS: Mapping[Form, str] = MappingProxyType(
    {
        Form.EMAIL: _EMAIL,
        Form.PHONE: _PHONE,
        Form.URL: _URL,
        Form.DATE: _DATE,
        Form.YEAR: _YEAR,
        Form.NUMBER: _NUMBER,
        Form.PRICE: _PRICE,
    }
)
"""What values of a form look like, in whatever case; the other forms have no look of their own."""

# Fewer digits are a year, a room or a price; more are an account.
_LEAST_DIGITS, _MOST_DIGITS = 7, 20
_HONORIFIC = re.compile(
    r"^\W*(?:(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|dame|lord|lady|rev|reverend|hon|capt|captain"
    r"|col|colonel"
    r"|maj|major|gen|general|lt|sgt|dipl|ing|herr|frau|monsieur|madame|señor|señora|sra"
    r"|sr(?=\.))\b\.?-?\s*)+",
    re.IGNORECASE,
)
_DEGREES = (
    r"(?:ph\.?\s?d|m\.?d|m\.?p\.?h|m\.?b\.?a|m\.?sc|b\.?sc|b\.?a|m\.?a|m\.?s|m\.?s\.?n|j\.?d"
    r"|ll\.?[bm]|d\.?o|ed\.?d"
    r"|d\.?n\.?p|cpa|cfa|esq|esquire|faia|facep|facs|f?ache|\(l\)fache|faan|fca|aca|acma|acca|rn|pe"
    r"|p\.e|pmp|php|obe|mbe"
    r"|cbe|rtd|retd|ret)\b\.?\)?"
)
_DEGREE = re.compile(rf"(?:,\s*+|\s++|\s*+\(){_DEGREES}(?=\s*(?:[,(]|$))", re.IGNORECASE)
_DEGREES_BEFORE = re.compile(rf"\s*(?:{_DEGREES}\s*,\s*)+", re.IGNORECASE)
_OPENING, _CLOSING = ("(", "["), (")", "]")
_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]?")
_PLACE = re.compile(
    r"(?P<town>[^\W\d_][\w.'’ -]{1,40}?),\s*(?P<state>[A-Z]{2}|[A-Z][a-z]+(?:\s[A-Z][a-z]+)?)\.?,?\s+\d{4,6}"
)
_POSTCODE = re.compile(r"(?:^|,|\s)\W*(?:[A-Z]{1,2}-)?\d{4,6}\s+(?P<town>[^\W\d_][\w.'’ -]{1,40})")
_NO_PLACE = re.compile(
    r"\b(?:street|st|road|rd|avenue|ave|boulevard|blvd|lane|drive|court|ct|way|broadway|plaza|floor"
    r"|suite|building|block|house|box|bazar"
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

    "(Treasurer)" is the treasurer; "Chair (acting)" stays as it is; "Read bio" is none.
    """
    if all(_NO_NAME.fullmatch(word) for word in re.findall(r"[^\W\d_]+", passage)):
        return ()
    degrees = _DEGREES_BEFORE.match(passage)
    before = degrees.end() if degrees else 0
    return tuple(
        Reading(reading.value, before + reading.start, before + reading.end)
        for reading in read_unbracketed(passage[before:])
    )


def read_unbracketed(passage: str) -> tuple[Reading, ...]:
    """The passage without brackets around all of it, or a bracket that is only opened or closed."""
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
    """Every telephone number as printed; those with a country's number only where the country has such."""
    return tuple(
        reading
        for reading in _matching(_PHONE)(passage)
        if (
            _LEAST_DIGITS <= sum(map(str.isdigit, reading.value)) <= _MOST_DIGITS
            or reading.value[-1].isalpha()
        )
        and may_be_phone(reading.value)
    )


_ADDRESS_CUE = re.compile(
    r"^\W*(?:(?:(?:mailing|postal|street|office|visiting|our|head office|corporate)\s+)*address"
    r"|adresse|anschrift|direcci[oó]n|indirizzo"
    r"|endere[cç]o|адрес|адреса|διεύθυνση|地址|住所|주소)\s*[:：]?\s*",
    re.IGNORECASE,
)
_ADDRESS_SIGNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            rf"\b(?:{_STREETS}|suite|floor|room|building|block|house|tower|plot|unit|sector|industrial|estate)\b"
            r"|p\.?\s?o\.?\s?box|postfach|\bbp\b|\bcalle\b|\brue\b|\bvia\b|\brua\b|\bavenida\b|\bul\."
            r"|\bулица\b|\bул\b|\bпр\b|οδός"
            r"|\w(?:straße|strasse|str\.|weg|platz|gasse|allee|straat|laan|gatan|vägen)\b"
        ),
        r"(?<!\d)\d{4,6}(?:-\d{3,4})?(?!\d)|\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}\b|\b\d{3}\s?\d{2}\b",
        r"(?:^|[\s,#№-])\d{1,5}[a-z]?(?:[\s,/-]|$)",
        r",",
        r"[省市区县路街号室楼]|[都道府県丁目番]|[시구동로길]\s",
    )
)
_NO_ADDRESS = re.compile(r"@|https?:|www\.|\b(?:ph\.?d|rn|msn|fache|mba)\b|©", re.IGNORECASE)
# Signs of an address that a text must have, and characters of the longest.
_LEAST_SIGNS, _LONGEST_ADDRESS = 2, 220


def read_address(passage: str) -> tuple[Reading, ...]:
    """A postal address without the word that announces it; nothing where the text does not look like one."""
    cue = _ADDRESS_CUE.match(passage)
    read = _whole(passage, cue.end() if cue else 0, len(passage))
    return tuple(reading for reading in read if looks_like_address(reading.value))


def looks_like_address(text: str) -> bool:
    """Whether a text has two signs of an address: a street, a postcode, a house, parts.

    One without a number must name a street or a building, and have three parts.
    """
    if len(text) > _LONGEST_ADDRESS or _NO_ADDRESS.search(text):
        return False
    digits = sum(map(str.isdigit, text))
    if not digits:
        return text.count(",") >= 2 and _ADDRESS_SIGNS[0].search(text) is not None
    return digits < len(text) / 2 and sum(bool(sign.search(text)) for sign in _ADDRESS_SIGNS) >= _LEAST_SIGNS


def read_address_place(passage: str) -> tuple[Reading, ...]:
    """The town of what is an address."""
    return read_place(passage) if read_address(passage) else ()


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
        Form.TEXT: read_unbracketed,
        Form.HEADING: read_unbracketed,
        Form.PICTURE: read_whole,
        Form.PRICE: lambda passage: _matching(_PRICE)(passage),
        Form.NAME: read_person,
        Form.EMAIL: read_email,
        Form.PHONE: read_phone,
        Form.DATE: read_date,
        Form.YEAR: lambda passage: _matching(_YEAR)(passage),
        Form.NUMBER: lambda passage: _matching(_NUMBER)(passage),
        Form.URL: lambda passage: _matching(_URL)(passage),
        Form.PLACE: read_unbracketed,
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
_LONGEST_IDEOGRAPHIC = 12  # characters, the spaces and dots of foreign names among them


_IDEOGRAPHIC = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def is_ideographic(text: str) -> bool:
    """Whether a text is Chinese, Japanese or Korean: names there have neither capitals nor spaces."""
    return _IDEOGRAPHIC.search(text) is not None


# What links and headings say that stand where a name could; a name has none of these words.
_NO_NAME = re.compile(
    r"\b(?:read|bios?|biography|more|learn|view|profiles?|enquir(?:y|ies)|inquiries|contacts?|click|here|website"
    r"|email|home|about|our|us|the|meet|download|follow|linkedin|facebook|twitter|search(?:ed)?|login|vacant"
    r"|menu|news|events|staff|team|directory|photo|see|all|back|next|previous)\b",
    re.IGNORECASE,
)


def _may_be_name(text: str) -> bool:
    if is_ideographic(text):
        return len(text) <= _LONGEST_IDEOGRAPHIC and not any(map(str.isdigit, text))
    words = text.replace(".", " ").split()
    return (
        1 < len(words) <= _LONGEST_NAME
        and "@" not in text
        and not any(map(str.isdigit, text))
        and (text[0].isupper() or not text[0].isascii())
        and not _NO_NAME.search(text)
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
