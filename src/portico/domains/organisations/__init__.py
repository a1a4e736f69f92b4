"""Companies, clubs and institutions: who leads them, and how to contact them."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from portico.domains.organisations.naming import ORGANIZATION_TYPES, choose_organisation_name
from portico.domains.papers.fields import read_whole
from portico.domains.papers.observations import load_word_classes, read_word_groups, written_form
from portico.domains.readers import (
    ADDRESS,
    ADDRESS_LINE,
    ANNOUNCED_ADDRESS,
    ANNOUNCED_ADDRESS_CUE,
    ANNOUNCED_NUMBER,
    FAX_CUE,
    PATTERNS,
    PHONE_CUE,
    SPELLED_PHONE,
    SURE_PHONE,
    is_ideographic,
    read_address,
    read_address_place,
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
    ShownField,
    WordFeature,
)

GROUPS = Path(__file__).with_name("lexicons") / "groups.tsv"
_EDGES = re.compile(r"^[^\w]+|[^\w.]+$")
# Words with titles and degrees of the longest line that is somebody's name alone.
_LONGEST_PERSON = 8
_IDEOGRAPHS_OF_A_NAME = range(2, 5)
# Groups of words that nobody is called: fields of work, legal forms, what announces a telephone.
_NO_PERSON = frozenset({"field", "organisation", "telephone", "fax", "mail", "heading"})


@cache
def load_word_groups() -> Mapping[str, str]:
    """A lower-case word → the group of telling words it belongs to, read once."""
    return read_word_groups(GROUPS)


def word_group(word: str) -> str:
    """The group of telling words this one belongs to, with and without a full stop."""
    spelled = _EDGES.sub("", word).lower()
    group = load_word_groups().get(spelled) or load_word_groups().get(spelled.rstrip("."))
    return "group=" + group if group else ""


def script(word: str) -> str:
    """The script of a word that is not in Latin letters; of ideographs how many there are, up to six."""
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


def looks_like_person(text: str) -> bool:
    """Whether a few words can be somebody's name, as far as the words themselves tell."""
    read = read_person(text)
    if not read or len(text.split()) > _LONGEST_PERSON or text[-1] in ":?!;":
        return False
    name = read[0].value
    if is_ideographic(name):
        return len(name.replace(" ", "")) in _IDEOGRAPHS_OF_A_NAME
    head, _, suffix = name.partition(",")
    if suffix and fold_letters(suffix) not in SUFFIXES:
        return False
    words = head.replace(".", ". ").split()
    if len(words) < 2 or not all(one[0].isupper() or one.lower() in PARTICLES for one in words):
        return False
    groups = [load_word_groups().get(word.lower().strip(".")) for word in words]
    return not any(group in _NO_PERSON for group in groups) and not all(groups)


_HERE = Path(__file__).parent

OTHER = "other"
LABELS = ("name", "role", "organisation", "address", "phone", "fax", "email", OTHER)
MODEL = "fields.zip"
_PATTERNS = (("email", PATTERNS[Form.EMAIL]), ("phone", PATTERNS[Form.PHONE]), ("address", ADDRESS))
_FIRM = r"(?P<value>(?-i:[A-Z])[\w&.,'’ ()-]{2,60}?)"
# Who holds the copyright of a site is whose site it is.
_COPYRIGHT = (
    rf"(?:©|\(c\))\s*(?:copyrights?\W*)?(?:\d{{4}}\W*){{0,2}}(?:by\s+|all rights reserved\W*)?{_FIRM}"
    r"(?=[.,]?\s*(?:$|\||all rights|\d{4}))"
)
_SURE = (
    ("email", PATTERNS[Form.EMAIL]),
    ("phone", SURE_PHONE),
    ("phone", SPELLED_PHONE),
    ("address", rf"^(?=.{{5,90}}$).*?(?:{ADDRESS}).*$"),
    ("address", ADDRESS_LINE),
    ("organisation", _COPYRIGHT),
)

# Telephones and faxes look the same: what stands before a number, or over its column, tells them apart.
_ANNOUNCED = (
    Announced("fax", FAX_CUE, ANNOUNCED_NUMBER),
    Announced("phone", PHONE_CUE, ANNOUNCED_NUMBER),
    Announced("address", ANNOUNCED_ADDRESS_CUE, ANNOUNCED_ADDRESS),
)
# Parts of a postal address in the order in which they are printed together.
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

# What such pages call themselves; a recognizer learns how much that says, in a title, a heading, an address.
PAGE_WORDS = (
    (
        "officers",
        (
            *(
                "officers",
                "our officers",
                "executives",
                "executive team",
                "executive committee",
                "leadership",
            ),
            *("board", "board members", "board of directors", "board directors", "board of trustees"),
            *("board of governors", "trustees", "directors", "committee members", "management team"),
            *(
                "management",
                "staff",
                "staff directory",
                "our team",
                "team",
                "our people",
                "people",
                "who we are",
            ),
        ),
    ),
    (
        "contact",
        (
            *(
                "contact",
                "contact us",
                "contacts",
                "contactus",
                "get in touch",
                "reach us",
                "how to reach us",
            ),
            *("locations", "our offices", "imprint", "impressum", "kontakt", "directions", "find us"),
        ),
    ),
)

ORGANISATION = Kind(
    name="organisation",
    labels=LABELS,
    rules=(
        FieldRule("organisation", "name", read_whole, once=True),
        FieldRule("address", "address", read_address),
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
        FieldRule("name", "name", read_person, once=True),
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
