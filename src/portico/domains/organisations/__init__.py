"""Companies, clubs and institutions: who runs them, and how to contact them."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from portico.domains.addresses import (
    ADDRESS,
    ADDRESS_LINE,
    ANNOUNCED_ADDRESS,
    ANNOUNCED_ADDRESS_CUE,
    address_goes_on,
    read_address,
    read_address_place,
)
from portico.domains.organisations.naming import ORGANIZATION_TYPES, choose_organisation_name
from portico.domains.papers.fields import read_whole
from portico.domains.papers.observations import load_word_classes, read_word_groups, written_form
from portico.domains.readers import (
    ANNOUNCED_NUMBER,
    FAX_CUE,
    NUMBER_LINE,
    PATTERNS,
    PHONE_CUE,
    SPELLED_PHONE,
    SURE_PHONE,
    is_ideographic,
    read_email,
    read_person,
    read_phone,
    read_role,
)
from portico.text.names import PARTICLES, SUFFIXES, fold_letters
from portico.types.domain import (
    NO_HEADINGS,
    SITE,
    Announced,
    Described,
    Display,
    Domain,
    FieldRule,
    Form,
    Kind,
    Reading,
    ShownField,
    WordFeature,
)

GROUPS = Path(__file__).with_name("lexicons") / "groups.tsv"
_EDGES = re.compile(r"^[^\w]+|[^\w.]+$")
# Maximum number of words in a line with only a name, including titles and degrees.
_LONGEST_PERSON = 8
_IDEOGRAPHS_OF_A_NAME = range(2, 6)
# Groups of words that do not occur in names: fields of work, legal forms, words like "telephone".
_NO_PERSON = frozenset({"field", "organisation", "telephone", "fax", "mail", "heading"})


@cache
def load_word_groups() -> Mapping[str, str]:
    """A mapping from lower-case words to their groups in `groups.tsv`, read once."""
    return read_word_groups(GROUPS)


def word_group(word: str) -> str:
    """The group of a word as a feature, looked up with and without a trailing period; "" if it has none."""
    spelled = _EDGES.sub("", word).lower()
    group = load_word_groups().get(spelled) or load_word_groups().get(spelled.rstrip("."))
    return "group=" + group if group else ""


def script(word: str) -> str:
    """The script of a word in other than Latin letters, with the length of ideographic words (at most 6)."""
    if word.isascii():
        return ""
    found = next((name for name, pattern in _SCRIPTS if pattern.search(word)), "")
    return f"script={found}{min(len(word), 6) if found == 'ideographs' else ''}" if found else ""


_SCRIPTS = (
    ("ideographs", re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")),
    ("cyrillic", re.compile(r"[\u0400-\u04ff]")),
    ("greek", re.compile(r"[\u0370-\u03ff]")),
    ("arabic", re.compile(r"[\u0590-\u06ff]")),
)
PAGE_OBSERVATIONS: tuple[WordFeature, ...] = (word_group, written_form, script)


def read_officer(passage: str) -> tuple[Reading, ...]:
    """A person's name, without a job title before it, and given name first: "Holm, Maja" becomes "Maja
    Holm".
    """
    return tuple(
        replace(reading, value=turn_name(reading.value))
        for found in read_person(passage)
        if not _is_told_word(found.value)
        for reading in _drop_office(passage, found)
    )


def _is_told_word(text: str) -> bool:
    """Whether the whole text is a word in `groups.tsv`: in some scripts, such words are as long as names."""
    return text.lower() in load_word_groups()


def _drop_office(passage: str, found: Reading) -> tuple[Reading, ...]:
    """The name without words of a job title at its start, as long as two words remain."""
    start, words = found.start, found.value.split()
    while len(words) > 2 and load_word_groups().get(words[0].lower()) in ("role", "field"):
        start = passage.index(words[1], start + len(words[0]))
        words = words[1:]
    return tuple(
        Reading(one.value, start + one.start, start + one.end)
        for one in read_person(passage[start : found.end])
    )


def turn_name(name: str) -> str:
    """The name with the given name first if it was printed as "surname, given name"; otherwise unchanged."""
    family, comma, given = name.partition(", ")
    words = given.replace(".", " ").split()
    may_be_given = comma and len(words) <= _MOST_GIVEN_NAMES and all(word[0].isupper() for word in words)
    if not may_be_given or "," in given or given.lower().strip(".").replace(".", "") in SUFFIXES:
        return name
    groups = [load_word_groups().get(word.lower()) for word in words]
    return name if any(groups) else f"{given} {family}"


def _may_open_name(word: str) -> bool:
    """Whether a word of a name begins as one: with a capital, in letters without case, or as in "d'Arc"."""
    return (
        word[0].isupper()
        or (word[0].isalpha() and not word[0].islower())
        or word.lower() in PARTICLES
        or _ELIDED.match(word) is not None
    )


_ELIDED = re.compile(r"[dlo]['’](?=[^\W\d_])(?![a-z])")
# Maximum number of given names after a comma.
_MOST_GIVEN_NAMES = 3


def looks_like_person(text: str) -> bool:
    """Whether a few words can be a person's name, judging only by the words themselves."""
    read = read_person(text)
    if not read or len(text.split()) > _LONGEST_PERSON or set(text) & set(":?!;："):
        return False
    if text.endswith((".", "。")) and text == text.swapcase():  # a sentence in letters without case
        return False
    name = turn_name(read[0].value)
    if is_ideographic(name):
        is_office = any(load_word_groups().get(word) for word in (name, *name.split()))
        return len(name.replace(" ", "")) in _IDEOGRAPHS_OF_A_NAME and not is_office
    head, _, suffix = name.partition(",")
    if suffix and fold_letters(suffix) not in SUFFIXES:
        return False
    words = head.replace(".", ". ").split()
    if len(words) < 2 or not all(map(_may_open_name, words)):
        return False
    groups = [load_word_groups().get(word.lower().strip(".")) for word in words]
    return not any(group in _NO_PERSON for group in groups) and not all(groups)


_HERE = Path(__file__).parent

OTHER = "other"
LABELS = ("name", "role", "organisation", "address", "phone", "fax", "email", OTHER)
MODEL = "fields.zip"
_PATTERNS = (("email", PATTERNS[Form.EMAIL]), ("phone", PATTERNS[Form.PHONE]), ("address", ADDRESS))
_FIRM = r"(?P<value>(?-i:[A-Z])[\w&.,'’ ()-]{2,60}?)"
# The copyright holder is taken for the owner of the site.
_COPYRIGHT = (
    rf"(?:©|\(c\))\s*(?:copyrights?\W*)?(?:\d{{4}}\W*){{0,2}}(?:by\s+|all rights reserved\W*)?{_FIRM}"
    r"(?=[.,]?\s*(?:$|\||all rights|\d{4}))"
)
_SURE = (
    ("email", PATTERNS[Form.EMAIL]),
    ("phone", SURE_PHONE),
    ("phone", SPELLED_PHONE),
    ("phone", NUMBER_LINE),
    ("address", rf"^(?=.{{5,90}}$).*?(?:{ADDRESS}).*$"),
    ("address", ADDRESS_LINE),
    ("organisation", _COPYRIGHT),
)

# Headers of table columns with names and with roles.
_NAME_HEAD = (
    r"^\W*(?:full\s+)?(?:names?|nom(?:\s+et\s+prénom)?|nombre(?:\s+y\s+apellidos)?|nome(?:\s+e\s+cognome)?|naam"
    r"|nazwisko|imię\s+i\s+nazwisko|jméno|namn|navn|adı?\s+soyadı?|фио|ф\.\s?и\.\s?о\.?|ім'я|ονοματεπώνυμο|όνομα"
    r"|név|jméno a příjmení|nimi|الاسم|اسم|שם|שם מלא"
    r"|氏名|名前|姓名|성명|이름)\W*$"
)
_ROLE_HEAD = (
    r"^\W*(?:(?:job\s+)?titles?|positions?|roles?|offices?|functions?|designation|funktion|amt|aufgabe|fonction"
    r"|poste|cargo|puesto|incarico|carica|ruolo|qualifica|functie|stanowisko|funkce|befattning|roll|görevi"
    r"|beosztás|stilling|rolle|verv|tehtävä|funkcja|unvan[ıi]?|görev[i]?|denominación|charge|mandat|المنصب|الوظيفة|الصفة|תפקיד"
    r"|должность|посада|ιδιότητα|θέση|役職名?|肩書|职务|職務|职位|職位|직위|직책)\W*$"
)
_WORDS_OF_A_CELL = r"^(?=.{2,90}$)[^@:：]*[^\W\d_][^@:：]*$"

# Telephone and fax numbers look the same: only the words before them or above their column differ.
# Words before numbers of registers, taxes and banks, which look like telephone numbers.
_REGISTER_CUE = (
    r"\b(?:vat|tax|ust\W?id\w*|umsatzsteuer\S*|steuernummer|uid|hr[ab]|iban|(?-i:BIC)|swift|siret|siren"
    r"|(?-i:RCS|APE|NAF|PAN|EIN|CIN|KVK|CVR)|cif|nif|cnpj|cpf|nip|krs|regon|ičo?|dič|p\.?\s?iva|partita iva"
    r"|gstin?|abn|acn|arbn|org\.?\s?nr|orgnr|btw|bsb|isbn|issn|company (?:no|number|registration)"
    r"|registration (?:no|number)|reg\.?\s?(?:no|number)|charity (?:no|number)"
    r"|registered (?:charity|no|number)|registernummer|инн|огрн|кпп|account (?:no|number)|a/c)\b"
)
_REGISTER_NUMBER = r"(?<![\w@+])[A-Z]{0,3}\s?\d[\d\s./-]{4,30}\d(?!\w)"

_ANNOUNCED = (
    Announced(OTHER, _REGISTER_CUE, _REGISTER_NUMBER),
    Announced("fax", FAX_CUE, ANNOUNCED_NUMBER),
    Announced("phone", PHONE_CUE, ANNOUNCED_NUMBER),
    Announced("address", ANNOUNCED_ADDRESS_CUE, ANNOUNCED_ADDRESS),
    Announced("name", _NAME_HEAD, _WORDS_OF_A_CELL, at_head=True),
    Announced("role", _ROLE_HEAD, _WORDS_OF_A_CELL, at_head=True),
)
# Parts of a postal address in printed order.
_ADDRESS_PARTS = ("postofficeboxnumber", "streetaddress", "addresslocality", "addressregion", "postalcode")
_OF_ORGANISATION = Described(
    ORGANIZATION_TYPES,
    (
        ("address", ("address",)),
        ("address", tuple(f"address.{part}" for part in (*_ADDRESS_PARTS, "addresscountry"))),
        ("phone", ("telephone",)),
        ("phone", ("contactpoint.telephone",)),
        ("fax", ("faxnumber",)),
        ("fax", ("contactpoint.faxnumber",)),
        ("email", ("email",)),
        ("email", ("contactpoint.email",)),
    ),
)
_OF_PERSON = Described(
    "person",
    (
        ("name", ("name",)),
        ("name", ("givenname", "familyname")),
        ("role", ("jobtitle",)),
        ("phone", ("telephone",)),
        ("fax", ("faxnumber",)),
        ("email", ("email",)),
    ),
)

ORGANISATION = Kind(
    name="organisation",
    labels=LABELS,
    rules=(
        FieldRule("organisation", "name", read_whole, once=True),
        FieldRule("address", "address", read_address, goes_on=address_goes_on),
        FieldRule("address", "place", read_address_place),
        FieldRule("phone", "phone", read_phone, one_line=True),
        FieldRule("fax", "fax", read_phone, one_line=True),
        FieldRule("email", "email", read_email, one_line=True),
    ),
    observations=PAGE_OBSERVATIONS,
    model=MODEL,
    other=OTHER,
    identity=(SITE,),
    described=_OF_ORGANISATION,
    name_site=choose_organisation_name,
    patterns=_PATTERNS,
    sure=_SURE,
    announced=_ANNOUNCED,
    display=Display(
        singular="organisation",
        plural="organisations",
        title="name",
        subtitle=("place", "phone"),
        fields=(
            ShownField("name", "Name", Form.TEXT, searchable=True),
            ShownField("address", "Address"),
            ShownField("place", "Place", Form.PLACE, searchable=True, facet=True),
            ShownField("phone", "Telephone", Form.PHONE),
            ShownField("fax", "Fax", Form.PHONE),
            ShownField("email", "Email", Form.EMAIL),
        ),
    ),
)

OFFICER = Kind(
    name="officer",
    labels=LABELS,
    rules=(
        FieldRule("name", "name", read_officer, once=True),
        FieldRule("role", "role", read_role),
        FieldRule("phone", "phone", read_phone, one_line=True),
        FieldRule("fax", "fax", read_phone, one_line=True),
        FieldRule("email", "email", read_email, one_line=True),
    ),
    observations=PAGE_OBSERVATIONS,
    model=MODEL,
    other=OTHER,
    begins="name",
    may_begin=looks_like_person,
    beside="role",
    described=_OF_PERSON,
    parent="organisation",
    identity=("name", SITE),
    patterns=_PATTERNS,
    sure=_SURE,
    announced=_ANNOUNCED,
    display=Display(
        singular="officer",
        plural="officers",
        title="name",
        subtitle=("role",),
        fields=(
            ShownField("name", "Name", Form.NAME, searchable=True),
            ShownField("role", "Role", searchable=True, facet=True),
            ShownField("phone", "Telephone", Form.PHONE),
            ShownField("fax", "Fax", Form.PHONE),
            ShownField("email", "Email", Form.EMAIL),
        ),
    ),
)

ORGANISATIONS = Domain(
    name="organisations",
    kinds=(ORGANISATION, OFFICER),
    headings=NO_HEADINGS,
    lexicon=load_word_classes,
    models=_HERE / "models",
    splitting="",
    topics=_HERE / "topics.toml",
    topic_words=_HERE / "models" / "topics.words.gz",
    target_types=frozenset(),
    spider="spider.npz",
    page_kinds=("officers", "contact"),
    pages="pages.zip",
    paths="paths.npz",
)
