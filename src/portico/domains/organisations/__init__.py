"""Companies, clubs and institutions: who leads them, and how they are reached."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from portico.domains.papers.fields import read_whole
from portico.domains.papers.observations import load_word_classes, read_word_groups, written_form
from portico.domains.readers import (
    ADDRESS,
    PATTERNS,
    SURE_PHONE,
    read_email,
    read_person,
    read_phone,
    read_place,
    read_role,
)
from portico.types.domain import (
    NO_HEADINGS,
    SITE,
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


@cache
def load_word_groups() -> Mapping[str, str]:
    """A lower-case word → the group of telling words it belongs to, read once."""
    return read_word_groups(GROUPS)


def word_group(word: str) -> str:
    """The group of telling words this one belongs to, with and without a full stop."""
    spelled = _EDGES.sub("", word).lower()
    group = load_word_groups().get(spelled) or load_word_groups().get(spelled.rstrip("."))
    return "group=" + group if group else ""


PAGE_OBSERVATIONS: tuple[WordFeature, ...] = (word_group, written_form)


_HERE = Path(__file__).parent

OTHER = "other"
LABELS = ("name", "role", "organisation", "address", "phone", "email", OTHER)
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
    ("address", rf"^(?=.{{5,90}}$).*?(?:{ADDRESS}).*$"),
    ("organisation", _COPYRIGHT),
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
        FieldRule("address", "address", read_whole),
        FieldRule("address", "place", read_place),
        FieldRule("phone", "phone", read_phone),
        FieldRule("email", "email", read_email),
    ),
    observations=PAGE_OBSERVATIONS,
    model=MODEL,
    other=OTHER,
    identity=(SITE,),
    patterns=_PATTERNS,
    sure=_SURE,
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
        FieldRule("phone", "phone", read_phone),
        FieldRule("email", "email", read_email),
    ),
    observations=PAGE_OBSERVATIONS,
    model=MODEL,
    other=OTHER,
    begins="name",
    parent="organisation",
    identity=("name", SITE),
    patterns=_PATTERNS,
    sure=_SURE,
    display=Display(
        singular="officer",
        plural="officers",
        title="name",
        subtitle=("role",),
        fields=(
            ShownField("name", "Name", Form.NAME, searchable=True),
            ShownField("role", "Role", searchable=True, facet=True),
            ShownField("phone", "Telephone", Form.PHONE),
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
