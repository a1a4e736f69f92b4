"""Reads postal addresses and their towns, in the formats of many countries."""

import re

from portico.domains.readers import FAX_CUE, PHONE_CUE, read_part
from portico.types.domain import Reading

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
    r"|\b\d{1,4}(?:\s?(?:bis|ter))?,?\s+(?:rue|avenue|boulevard|chemin|impasse|quai|allée|route|cours)\s+\w"
    r"|\b(?:via|viale|piazza|corso|largo|vicolo|calle|avda\.?|avenida|paseo|plaza|rua|praça|travessa)\s+"
    r"(?-i:[^\d\W_])[^\d\n:]{2,40}\d|\bc/\s?[^\d\n:]{3,40}\d"
    r"|(?-i:\b[A-Z]\w+(?:straat|gracht|laan|plein|kade|markt|gatan|vägen|gasse|allee|damm|ring))\s+\d+"
    r"|(?-i:\b\d{4}\s?[A-Z]{2}\s+[A-Z]\w{2,})|(?-i:\b\d{4}-\d{3}\s+[A-ZÀ-Þ]\w{2,})"
    r"|(?-i:\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b)"
    r"|〒\s?\d{3}-\d{4}|\S{1,8}[都道府県省市]\S{1,12}[市区町村路街]\S{0,20}\d|\bул\.\s?\w+|\bпр\.\s?\w+|\bοδός\s\w+"
)
"""Patterns of the parts of postal addresses."""


_STREET_WORDS = (
    rf"(?:{_STREETS}|floor|fl|suite|room|flat|unit|plot|block|building|bldg|tower|house|mall|bazaa?r|market"
    r"|sector|phase|colony|town|nagar|marg|chowk|near|opp|opposite|estate|park|quay|mews|crescent|centre|center)"
)


ADDRESS_LINE = (
    rf"^(?=.{{12,160}}$)(?=(?:[^,]+,){{2}})(?=.*\b{_STREET_WORDS}\b.*,.*\b{_STREET_WORDS}\b)"
    r"(?!.*[:@;!?])(?!(?:.*\b(?:the|our|we|is|are|was|with|for|has|by)\b){2}).*$"
)
"""A line of several parts, at least two of which contain a street, a building, or what accompanies these."""


ANNOUNCED_ADDRESS_CUE = (
    r"(?<![\w-])(?<!mail )(?<!web )(?<!ip )(?<!site )(?:address|adresse|anschrift|direcci[oó]n|domicilio"
    r"|indirizzo|endere[cç]o|adres|adresa|adress|osoite|cím|адреса?|διεύθυνση|地址|住所|所在地|주소)\s*(?:[:：]|$)"
)
"""Words that precede an address: followed by a colon, or alone in the table cell before it."""


ANNOUNCED_ADDRESS = r"(?:^|(?<=[:：])|(?<=[:：]\s))(?=[^@]*(?:\d|,))[^\s:：][^:：]{7,200}$"
"""The rest of a line after such a cue, or a whole line."""


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


def read_place(passage: str) -> tuple[Reading, ...]:
    """The town of an address, with its state or country."""
    found = _PLACE.search(passage)
    if found:
        streets = [match.end() for match in _NO_PLACE.finditer(passage, *found.span("town"))]
        town = passage[max(streets, default=found.start("town")) : found.end("town")].strip(" .")
        if town:
            start = found.end("town") - len(town)
            return (Reading(f"{town}, {found['state']}", start, found.end("state")),)
    found = _POSTCODE.search(passage)
    if found and not _NO_PLACE.search(found["town"]):
        return read_part(passage, found.start("town"), found.end("town"))
    return _last_names(passage)


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
        r"\d\s*[号號番丁弄楼室]|〒\s?\d",
    )
)


_NO_ADDRESS = re.compile(
    r"@|https?:|www\.|\b(?:ph\.?d|rn|msn|fache|mba)\b|©|\bcopyright\b|\ball rights reserved\b"
    r"|\bamtsgericht\b|\bhr[ab]\s?\d|\b(?:iban|swift|siret|umsatzsteuer|gstin|cnpj)\b|\bvat\b",
    re.IGNORECASE,
)
# Words before an address that ask for a visit, and any other short label with a colon.
_ANY_LABEL = re.compile(r"^\W*[^\d\W][^\d:：,]{1,24}[:：]\s*")


# A word that announces the telephone or fax number after an address.
_NUMBER_CUE = re.compile(rf"\s(?:{PHONE_CUE}|{FAX_CUE}|direct|office|durchwahl)\W*$", re.IGNORECASE)


# The fewest signs of an address that a text must have, and its maximum length.
_LEAST_SIGNS, _LONGEST_ADDRESS = 2, 220


def read_address(passage: str) -> tuple[Reading, ...]:
    """A postal address without a preceding word such as "Address:"; empty if the text does not look like
    one.
    """
    cue = _ADDRESS_CUE.match(passage) or _ANY_LABEL.match(passage)
    next_cue = _NUMBER_CUE.search(passage)
    read = read_part(passage, cue.end() if cue else 0, next_cue.start() if next_cue else len(passage))
    return tuple(reading for reading in read if looks_like_address(reading.value))


def looks_like_address(text: str) -> bool:
    """Whether a text has at least two signs of an address: a street, a postcode, a house number, commas.

    A text without digits must name a street or a building, and have three parts.
    """
    if len(text) > _LONGEST_ADDRESS or _NO_ADDRESS.search(text):
        return False
    digits = sum(map(str.isdigit, text))
    if not digits:
        return text.count(",") >= 2 and _ADDRESS_SIGNS[0].search(text) is not None
    return digits < len(text) / 2 and sum(bool(sign.search(text)) for sign in _ADDRESS_SIGNS) >= _LEAST_SIGNS


def address_goes_on(text: str, following: str) -> bool:
    """Whether the next paragraph continues an address that has no postcode yet."""
    street, postcode = _ADDRESS_SIGNS[:2]
    if text.endswith(("。", "!", "?")):
        return False
    is_second = street.search(text) is not None and street.search(following) is not None
    has_names = any(map(str.isdigit, following)) or not any(word[0].islower() for word in following.split())
    is_open = not postcode.search(text) and not is_second and has_names
    return is_open and looks_like_address(f"{text}, {following}")


def read_address_place(passage: str) -> tuple[Reading, ...]:
    """The town of a passage, if that is an address."""
    return read_place(passage) if read_address(passage) else ()


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
