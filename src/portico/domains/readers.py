"""Readers for declared fields by form (date, price, person, …): recognize and normalize values."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from portico.domains.papers.author_names import read_names
from portico.domains.papers.fields import read_whole
from portico.domains.papers.values import read_date
from portico.text.names import PARTICLES
from portico.text.telephones import may_be_phone, split_numbers
from portico.types.domain import Form, Reader, Reading

_EMAIL = r"[\w.+~-]{1,64}\s?(?:@|\(at\)|\[at\])\s?[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}"
_DIGITS = r"\d[\d().+;,\s/–-]{5,60}\d"
_EXTENSION = r"(?:,?\s*(?:ext|extension|x)\.?\s*\d{1,5}(?:\s?[,/]\s?\d{1,5})?)?"
_PHONE = rf"(?<![\w.@〒-])(?:\(?\+\d{{1,3}}\)?[\s.–-]?)?\(?{_DIGITS}{_EXTENSION}|\b\d{{3}}-[A-Z]{{7}}\b"
SURE_PHONE = (
    r"(?<![\w.@/〒-])(?<!fax )(?<!fax: )(?<!fax\. )(?:\(?\+\d{1,3}\)?[\s.–-]{0,2})?"
    r"(?:\(0\)\s?)?\(?\d{2,5}\)?[\s.–-]{1,2}"
    rf"(?:\d{{3,4}}[\s.–-]\d{{3,5}}(?:[\s.–-]\d{{3,4}})?|\d{{6,8}}){_EXTENSION}(?![\w/])"
)
"""Patterns that match telephone numbers and nothing else."""
NUMBER_LINE = (
    r"^(?!.*\b(?:19|20)\d\d\b.*\b(?:19|20)\d\d\b)(?!97[89])(?=\W*[0+]|.*\d[ ./()–-]+\d)"
    r"\W*\d(?:[()./\s–-]{0,3}\d){8,14}\W*$|^\d\d(?: \d\d){3}$"
)
"""A line that is a telephone number in any form: nine to fifteen digits, or four pairs."""
SPELLED_PHONE = r"(?<![\w-])(?:1-)?[2-9]\d\d-(?-i:[A-Z]{7})(?![\w-])"
"""A telephone number with letters in place of digits."""
FAX_CUE = (
    r"\b(?:tele?)?fax(?:es)?(?![a-zß-ÿ])(?:\s?(?:no|number|nr)\b)?|\bfacsimile\b|فاكس|פקס|\bt[ée]l[ée]copie(?:ur)?\b"
    r"|\bfaks\w?\b|\bfaxe\b"
    r"|\bфакс\w?\b|φαξ|传真|傳真|팩스|ファックス|ファクス|(?<![\w.])f\s?[.:](?=\s|\(|\+|\d)"
)
"""Words before a fax number, in the languages of most sites."""
PHONE_CUE = (
    r"\b(?:tele)?phones?\b|\btel(?:efono|éfono|efoon|efone|efon)?\b\.?|\bt[ée]l(?:[ée]phone)?\b"
    r"|\bfon\b|\bfone\b|\bph\b\.?"
    r"|\bmob(?:ile)?\b|\bcell\b|\bhotline\b|\bcall\b|\btoll[- ]free\b|\bswitchboard\b|\boffice\s*:"
    r"|\bdirect\s*:|\buan\b|\btfn?o?\b"
    r"|\bтел(?:ефон\w*)?\b|τηλ(?:έφωνο)?|电话|電話|手机|联系电话|전화|هاتف|جوال|تلفون|טלפון|\bטל(?=['׳:.\s])|\bנייד"
    r"|\bmobil\w*|\bhandy\b|\bgsm\b|\bnatel\b|\bpuh(?:elin)?\b|\bcel(?:ular)?\b|\bm[óo]vil\b|\btelem[óo]vel\b|\bcell(?:ulare)?\b"
    r"|\bportable\b|\bwhatsapp\b|\bcontact no\b|(?<![\w.])[tpm]\s?[.:](?=\s|\(|\+|\d)"
)
"""Words before a telephone number."""
ANNOUNCED_NUMBER = rf"(?<![\w@/-])\(?\+?\(?\d[\d().+\s/–-]{{4,60}}\d(?![\w@]){_EXTENSION}"
"""Numbers that are telephone numbers if a word before them says so."""
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
"""Patterns of the values of a form, ignoring case; values of the other forms have no recognizable pattern."""

# Numbers with fewer digits are years, rooms or prices; those with more are account numbers.
_LEAST_DIGITS, _MOST_DIGITS = 7, 20
_TITLES = (
    r"(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|dame|lord|lady|rev|reverend|hon|capt|captain|col|colonel"
    r"|maj|major|gen|general|lt|sgt|dipl|ing|herr|frau|monsieur|madame|mme|mlle|señor|señora|sra|srta|dña|doña"
    r"|dott(?:\.?ssa)?|avv|arch|geom|rag|sig(?:\.?ra)?|dra|drs|ir|eng|engª?|mag|privatdozent(?:in)?|pd|univ|dhr|mevr"
    r"|sr(?=\.)|lic(?=\.)|med(?=\.)|phil(?=\.)|rer(?=\.)|nat(?=\.)|h\.c|cllr|cr(?=\s)|councill?or|alderman|alderwoman"
    r"|senator|sen(?=\.)|rep(?=\.)|hon|rev['’]d|revd|fr(?=\.)|a/prof|assoc\.?\s?prof"
    r"|shri|smt|sri|kum|er(?=\.)|adv(?=\.)|ca(?=\.)|mtr[oa]|mt\.|c\.p(?=\.)|arq(?=\.)|abog(?=\.)|pbro|(?-i:DI)(?=\s)|dkfm|komm\.?-?rat"
    r"|mmag|hr(?=\.)|fr(?=\.)|mgr|bc(?=\.)|mudr|judr|rndr|phdr|paeddr|doc(?=\.)|csc|inż|dr\.?\s?hab|hab(?=\.)|lek(?=\.)"
    r"|av(?=\.)|doç(?=\.)|yrd(?=\.)|öğr\.?\s?gör|mw(?=\.)|mevrouw|meneer|monsignor|msgr|père|maître|maitre|me(?=\s[A-Z])"
    r"|mm(?=\.)|mmes|lic\.\s?iur|iur(?=\.)|oec(?=\.)|publ(?=\.)|г-н|г-жа|д-р|проф(?=\.)|к\.\w\.н|κ(?=\.)|κος|κα|δρ"
    r"|أ\.?\s?د(?=[.\s])|د(?=[.\s])|م(?=\.)|أ(?=\.)|السيدة?|الأستاذة?|الدكتورة?|المهندسة?|الشيخ|ד[\"״]ר|פרופ['׳]?|עו[\"״]ד|מר|גב['׳])(?!\w)\.?-?"
)
_HONORIFIC = re.compile(rf"^\W*(?:{_TITLES}\s*)+", re.IGNORECASE)
# Titles that belong to the name after a role: the role in "Treasurer Ms." is "Treasurer".
_LAST_TITLES = re.compile(
    r"[\s,]+(?:(?:mr|mrs|ms|miss|mx|dr|prof|mme|mlle|dña|dott|avv|sig|drs|dhr|mevr|dipl|ing(?=\.))\b\.?-?\s*)+\W*$",
    re.IGNORECASE,
)
_DEGREES = (
    r"(?:ph\.?\s?d|m\.?d|m\.?p\.?h|m\.?b\.?a|m\.?sc|b\.?sc|b\.?a|m\.?a|m\.?s|m\.?s\.?n|j\.?d"
    r"|ll\.?[bm]|d\.?o|ed\.?d"
    r"|d\.?n\.?p|cpa|cfa|esq|esquire|faia|facep|facs|f?ache|\(l\)fache|faan|fca|aca|acma|acca|rn|pe"
    r"|p\.e|pmp|php|obe|mbe"
    r"|cbe|rtd|retd|ret|m\.?ed|b\.?ed|frs[ac]?|ll\.?m|m\.?eng|b\.?eng|dds|dvm|mph|mpa|cae|shrm-(?:s?cp)|aia|frcp)\b\.?\)?"
)
_DEGREE = re.compile(rf"(?:,\s*+|\s++|\s*+\(){_DEGREES}(?=\s*(?:[,(]|$))", re.IGNORECASE)
# Abbreviations with two capitals, such as FRICS, M.Tech and BEng, but not those of offices.
_OFFICES = (
    r"(?:C[A-Z]{1,2}O|[ES]?VPs?|HR|IT|PR|UK|USA?|EU|AGM|DGM|GM|PTA|HOD|PIO|VD|AVP|R&D|QA|QC|MP|MEP|MLA)\b"
)
_ABBREVIATION = rf"(?!{_OFFICES})(?:[A-Z]\w{{0,4}}\.?){{2,5}}(?:\s?\(\w{{2,8}}\.?\))?"
_MORE_DEGREES = re.compile(
    rf",\s*+(?:dipl\b[^,]*|{_ABBREVIATION}(?:[\s/&]+{_ABBREVIATION})*)(?=\s*(?:[,(–-]|$))"
)
_ONLY_DEGREES = re.compile(rf"{_ABBREVIATION}(?:[\s,/&]+{_ABBREVIATION})*")
_DEGREES_BEFORE = re.compile(
    rf"\s*(?:(?i:{_DEGREES})\s*,\s*|\([^)]*\)\s*,\s*|{_ABBREVIATION}(?:\s{_ABBREVIATION})*\s*[,–-]\s+(?=\w))+"
)
# A full stop after a whole word: abbreviations are shorter or begin differently.
_FULL_STOP = re.compile(r"(?<=[^\W\d_A-Z]{4})\.\s*$")
# Words before the office of those who represent a company, in imprints.
_REPRESENTED = re.compile(
    r"\W*(?:vertreten durch|represented by|vertegenwoordigd door|représentée? par|rappresentat[ao] da)"
    r"(?: (?:den|die|das|the|le|la|de|il))?\W+(?=\w)",
    re.IGNORECASE,
)
# A telephone number behind a role in the same line, and a sentence in place of a role.
_NUMBER_BEHIND = re.compile(r"\s[+(]?\d[\d()\s./+–-]{5,}$")
_SENTENCE = re.compile(r"^(?:\S+\s+){4,}\S{4,}[.!?]\s*$")
_OPENING, _CLOSING = ("(", "["), (")", "]")
_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]?")


def read_person(passage: str) -> tuple[Reading, ...]:
    """One name, without titles before and degrees after it."""
    start = match.end() if (match := _HONORIFIC.match(passage)) else 0
    end = len(passage)
    # In capitals, what follows a comma may also be the given name.
    degrees = _DEGREE if passage.isupper() else _MORE_DEGREES
    for cut in (_BRACKETS, _DEGREE, degrees):
        found = cut.search(passage, start, end)
        if found and found.start() > start:
            end = found.start()
    if (stop := _FULL_STOP.search(passage, start, end)) is not None:
        end = stop.start()
    return tuple(reading for reading in read_part(passage, start, end) if _may_be_name(reading.value))


def read_role(passage: str) -> tuple[Reading, ...]:
    """A role, without brackets around it and without unpaired brackets.

    "(Treasurer)" becomes "Treasurer"; "Chair (acting)" stays as it is; "Read bio" is not a role.
    """
    words = re.findall(r"[^\W\d_]+", passage)
    if all(_NO_NAME.fullmatch(word) for word in words) or _SENTENCE.search(passage):
        return ()
    if "." in passage and _ONLY_DEGREES.fullmatch(passage.strip(" ,;")):
        return ()
    passage = _NUMBER_BEHIND.sub("", passage)
    degrees = _REPRESENTED.match(passage) or _DEGREES_BEFORE.match(passage)
    before = degrees.end() if degrees else 0
    titles = _LAST_TITLES.search(passage, before + 1)
    return tuple(
        Reading(reading.value, before + reading.start, before + reading.end)
        for reading in read_unbracketed(passage[before : titles.start() if titles else len(passage)])
    )


def read_unbracketed(passage: str) -> tuple[Reading, ...]:
    """The passage without brackets around all of it and without unpaired brackets."""
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
    return read_part(passage, start, end)


def _closing(passage: str) -> int:
    """The index of the bracket that closes the one a passage begins with; -1 if there is none."""
    depth = 0
    for idx, sign in enumerate(passage):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if not depth:
            return idx
    return -1


def read_people(passage: str) -> tuple[Reading, ...]:
    """One value per person in a list of names."""
    return tuple(
        Reading(one.value, reading.start + one.start, reading.start + one.end)
        for reading in read_names(passage)
        for one in read_person(passage[reading.start : reading.end])
    )


def read_phone(passage: str) -> tuple[Reading, ...]:
    """Every telephone number as printed, also several in a row.

    Numbers with a country code must be possible in that country.
    """
    return tuple(
        reading
        for printed in _matching(_PHONE)(passage)
        for start, end in split_numbers(passage[printed.start : printed.end])
        for reading in read_part(passage, printed.start + start, printed.start + end)
        if (
            _LEAST_DIGITS <= sum(map(str.isdigit, reading.value)) <= _MOST_DIGITS
            or reading.value[-1].isalpha()
        )
        and not _DATE_IN_DIGITS.fullmatch(reading.value)
        and may_be_phone(reading.value)
    )


_DATE_IN_DIGITS = re.compile(r"\d{1,2}([./-])\s?\d{1,2}\1\s?(?:19|20)\d\d|(?:19|20)\d\d([./-])\d\d?\2\d\d?")


def read_email(passage: str) -> tuple[Reading, ...]:
    """Every email address, with "(at)" written as "@"."""
    return tuple(
        Reading(re.sub(r"\s?(?:\(at\)|\[at\]|@)\s?", "@", one.value, flags=re.IGNORECASE), one.start, one.end)
        for one in _matching(_EMAIL)(passage)
    )


_FREE = re.compile(
    r"\W*(?P<value>free(?: of charge| entry| admission)?|no charge|gratis|kostenlos|eintritt frei|gratuit"
    r"|entr[ée]e libre|entrada (?:libre|gratuita)|ingresso (?:libero|gratuito))\b(?!-)",
    re.IGNORECASE,
)


def read_price(passage: str) -> tuple[Reading, ...]:
    """Every price with its currency, or the word "free" at the beginning."""
    prices = _matching(_PRICE)(passage)
    free = None if prices else _FREE.match(passage)
    return read_part(passage, free.start("value"), free.end("value")) if free else prices


def make_pattern_reader(pattern: str) -> Reader:
    """A reader for all matches of a builder's pattern; the value is the group "value" or else the whole
    match.
    """
    return _matching(pattern)


READERS: Mapping[Form, Reader] = MappingProxyType(
    {
        Form.TEXT: read_unbracketed,
        Form.HEADING: read_unbracketed,
        Form.PICTURE: read_whole,
        Form.PRICE: read_price,
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
"""The reader of each form, for passages labeled as values of that form."""


def _matching(pattern: str) -> Callable[[str], tuple[Reading, ...]]:
    compiled = re.compile(pattern, re.IGNORECASE)

    def read(passage: str) -> tuple[Reading, ...]:
        readings: list[Reading] = []
        for match in compiled.finditer(passage):
            group = "value" if "value" in compiled.groupindex else 0
            if match[group] is not None and match[group].strip():
                readings += read_part(passage, match.start(group), match.end(group))
        return tuple(readings)

    return read


_TRIM = " \t\n,;:|–—-•·*"


def read_part(passage: str, start: int, end: int) -> tuple[Reading, ...]:
    """Part of a passage without surrounding punctuation; empty if it has no letter or digit."""
    text = passage[start:end]
    value = text.strip(_TRIM)
    if not any(map(str.isalnum, value)):
        return ()
    start += len(text) - len(text.lstrip(_TRIM))
    return (Reading(" ".join(value.split()), start, start + len(value)),)


# Maximum number of words in a name; longer ones are other lines.
_LONGEST_NAME = 7
_LONGEST_IDEOGRAPHIC = 12  # characters, including spaces and dots of foreign names


_IDEOGRAPHIC = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def is_ideographic(text: str) -> bool:
    """Whether a text has Chinese, Japanese or Korean characters: names then have neither capitals nor
    spaces.
    """
    return _IDEOGRAPHIC.search(text) is not None


# Words of links and headings found in place of names; no name contains them.
_NO_NAME = re.compile(
    r"\b(?:read|bios?|biography|more|learn|view|profiles?|enquir(?:y|ies)|inquiries|contacts?|click|here|website"
    r"|email|home|about|our|us|the|meet|download|follow|linkedin|facebook|twitter|search(?:ed)?|login|vacant"
    r"|kontakt|contacto|contatti|contato|impressum|menu|news|events|staff|team|directory|photo|see|all|back|next|previous)\b",
    re.IGNORECASE,
)


def _may_be_name(text: str) -> bool:
    if is_ideographic(text):
        return len(text) <= _LONGEST_IDEOGRAPHIC and not any(sign.isdigit() or sign in ":：" for sign in text)
    words = text.replace(".", " ").split()
    return (
        1 < len(words) <= _LONGEST_NAME
        and not set("@:") & set(text)
        and not any(map(str.isdigit, text))
        and (text[0].isupper() or not text[0].isascii() or words[0] in PARTICLES)
        and not _NO_NAME.search(text)
    )
