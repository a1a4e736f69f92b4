"""Determines the name of a site's organisation from structured data, titles, logo and copyright lines."""

import re
from collections.abc import Iterator, Sequence

from portico.text.names import fold

Evidence = tuple[str, str]
"""A source of the site's name on a page ("meta:og:site_name", "title", "logo", "read"), and its text."""

# Weights by source: structured data is meant to be exact, a logo's text may be a slogan, and a title also
# contains the name of the page. Ordered by hand on the sites that are not held out
# (`portico lab organisations`); only their order matters much.
_WEIGHTS = {
    "site_name": 3.0,
    "organization": 3.0,
    "website": 2.0,
    "copyright": 2.0,
    "logo": 1.5,
    "title": 1.0,
    "head": 1.0,
    "read": 0.7,
}
ORGANIZATION_TYPES = (
    r"\w*organization|corporation|\w*business|ngo|school|collegeoruniversity|hospital|\w*club|store|museum"
    r"|library|church|restaurant|hotel|\w+service|bankorcreditunion"
)
"""The schema.org types of organizations."""
_ORGANIZATION = re.compile(ORGANIZATION_TYPES)
# Weight of each line of the page that contains the name, and the maximum for all: that of a copyright line.
_BY_LINES, _BY_ALL_LINES = 0.1, 2.0
_PROVIDERS = re.compile(
    r"\b(?:powered by|designed by|website by|wordpress|theme|cookie|javascript)\b", re.IGNORECASE
)
# Separators of the parts of a title: bars and the like, dashes between spaces or before a page's name.
_PARTS = re.compile(r"\s*[|»«•·:]+\s+|\s+[-–—]+\s+|(?<=\.)-(?=[A-Z])|\s+::\s+")
_WELCOME = re.compile(r"^\s*(?:welcome to|home of|about|contact)\s+(?:the\s+)?", re.IGNORECASE)
_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|&copy;|copyright)[\s:]*(?:©|\(c\)|copyrights?)?[\s:,]*(?:(?:by|(?:19|20)\d\d"
    r"|[-–—,&])[\s,]*)*"
    r"(?:all rights? reserved(?: by)?[\s.:,|-]*)?(?P<owner>[^©|]{2,80})",
    re.IGNORECASE,
)
_OWNER_END = re.compile(
    r"[\s.,|–—-]*(?:\ball\s*rights?\b|\brights? reserved\b|\b(?:19|20)\d\d\b|\bprivacy\b|\bterms\b"
    r"|\bdesigned\b|\bpowered\b"
    r"|\bwebsite\b|\bsitemap\b|(?<=[a-z])(?<!\be)\.(?=[A-Z])|\s[|•·]\s).*$",
    re.IGNORECASE,
)
_LEGAL = re.compile(
    r"(?:[\s,]+(?:inc|ltd|limited|llc|llp|plc|gmbh|ag|kg|pvt|private|company|co|corp|corporation"
    r"|s\.?a|s\.?r\.?l|b\.?v|n\.?v|oy|ab|as)"
    r"\b\.?)+\s*$",
    re.IGNORECASE,
)
# A name that ends with an abbreviation, such as "e.V." or "S.A.".
_ABBREVIATED = re.compile(r"\b\w\.\s?\w$")
_NOISE = re.compile(r"[^\w]+")
# Names of pages, which are never the name of an organisation.
_PAGE_NAMES = re.compile(
    r"^(?:home(?:page)?|index|welcome|contact(?: us)?|contact form|about(?: us)?|our (?:team|people"
    r"|board|staff|leadership|officers)|"
    r"(?:board|board of (?:directors|trustees|governors)|management(?: team)?|leadership(?: team)?"
    r"|executives?|executive (?:team|board|committee)|board members?|officers|staff|"
    r"team|people|staff directory|directory|trustees|kontakt|impressum|team|untitled(?: document)?"
    r"|footer|header|logo|menu|"
    r"meeting info|company|main|page|news|site map))$",
    re.IGNORECASE,
)
_PAGE_WORDS = re.compile(
    r"\b(?:staff directory|board members?|board of|management team|contact us|our team|executive team"
    r"|leadership team)\b",
    re.IGNORECASE,
)
_MOST_WORDS, _FEW_WORDS = 10, 3  # of an organisation's name


def choose_organisation_name(evidence: Sequence[Evidence]) -> tuple[str, float] | None:
    """The name that most of the evidence supports, and its confidence; None if there is no name."""
    said = [(name, weight) for place, words in evidence for name, weight in _names(place, words)]
    said = [(name, weight) for name, weight in said if _may_be_name(name)]
    if not said:
        return None
    lines = [f" {_compared(words)} " for place, words in evidence if place == "line"]
    scores: dict[str, float] = {}
    for name, _ in said:
        key = _compared(name)
        if key not in scores:
            agreed = sum(weight * _agreement(key, _compared(other)) for other, weight in said)
            scores[key] = agreed + min(_BY_ALL_LINES, _BY_LINES * sum(f" {key} " in line for line in lines))
    best = max(scores, key=lambda key: (scores[key], len(key)))
    spellings = [name for name, _ in said if _compared(name) == best]
    name = max(
        spellings,
        key=lambda one: (spellings.count(one), bool(_LEGAL.search(one)), -sum(map(str.isupper, one)), one),
    )
    whole = sum(weight for _, weight in said)
    return _spell_out(name, evidence), min(0.97, 0.5 + 0.5 * min(1.0, scores[best] / whole))


def _names(place: str, words: str) -> Iterator[tuple[str, float]]:
    """The candidate names in one piece of evidence, each with its weight."""
    words = " ".join(words.split())
    if place in ("meta:og:site_name", "meta:application-name"):
        # A site's name may be followed by a slogan.
        name, *slogans = _PARTS.split(words)
        yield from ((name, _WEIGHTS["site_name"]), *((slogan, _WEIGHTS["title"]) for slogan in slogans))
    elif place.startswith("data:") and place.endswith(".name") and place.count(".") == 1:
        kind = place.split(":")[2].removesuffix(".name")
        if _ORGANIZATION.fullmatch(kind) or kind == "website":
            yield words, _WEIGHTS["website" if kind == "website" else "organization"]
    elif place.startswith("data:") and place.endswith(".publisher.name"):
        yield words, _WEIGHTS["organization"]
    elif place in ("line", "foot"):
        owner = _read_owner(words)
        if owner:
            yield owner, _WEIGHTS["copyright"] / (1 if place == "foot" else 2)
    elif place in ("title", "logo", "head"):
        parts = [
            part if _PAGE_NAMES.match(part) else _WELCOME.sub("", part).strip()
            for part in map(str.strip, _PARTS.split(words))
        ]
        for part in dict.fromkeys(parts):
            is_edge = len(parts) > 1 and part in (parts[0], parts[-1])
            yield part, _WEIGHTS[place] * (1.5 if _LEGAL.search(part) else 1.2 if is_edge else 1.0)
    elif place == "read":
        yield words, _WEIGHTS["read"]


def _read_owner(line: str) -> str:
    """The copyright holder, or "" if the line does not name one."""
    found = _COPYRIGHT.search(line)
    if found is None or _PROVIDERS.search(line):
        return ""
    owner = _OWNER_END.sub("", found["owner"]).strip(" .,;:-–—|")
    return f"{owner}." if _ABBREVIATED.search(owner) and f"{owner}." in line else owner


def _may_be_name(name: str) -> bool:
    words = name.split()
    return (
        0 < len(words) <= _MOST_WORDS
        and any(map(str.isalpha, name))
        and not _PAGE_NAMES.match(name)
        and not _PAGE_WORDS.search(name)
        and not name.startswith(("http", "www."))
        and not _PROVIDERS.search(name)
    )


def _compared(name: str) -> str:
    """A name normalized for comparison, without its legal form."""
    return " ".join(_NOISE.sub(" ", _LEGAL.sub("", fold(name)).removeprefix("the ")).split())


def _agreement(one: str, other: str) -> float:
    """How much the name `other` supports `one`: 1 if they are equal, less if one contains the other.

    A single word may be short for a name of a few words that contains it: "Acme" supports "Acme Tools".
    """
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=len)
    if not short or f" {short} " not in f" {long} ":
        return 0.0
    if " " not in short and len(long.split()) <= _FEW_WORDS:
        return 0.8 if one == long else 0.3
    return 0.5


# An acronym that may be spelled out on the page.
_ACRONYM = re.compile(r"[A-Z]{3,7}")


def _spell_out(name: str, evidence: Sequence[Evidence]) -> str:
    """The full name for an acronym, if the page spells it out; otherwise the name as it is."""
    if not _ACRONYM.fullmatch(name):
        return name
    for place, words in evidence:
        if place in ("line", "foot", "read"):
            spelled = re.sub(rf"\s*\(\s*{name}\s*\)\s*$", "", words.strip(" .,"))
            initials = "".join(word[0] for word in spelled.split() if word[0].isupper())
            if initials == name and len(spelled.split()) <= _MOST_WORDS:
                return spelled
    between = r"(?:\s+(?:of|for|the|and|&|de|du|der|für|und))*\s+"
    spelled_out = re.compile(r"\b" + between.join(rf"{letter}[^\W\d_]+" for letter in name) + r"\b")
    return next((found[0] for _, words in evidence if (found := spelled_out.search(words))), name)
