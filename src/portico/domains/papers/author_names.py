"""Reads author names from header lines and references."""

import re
from collections.abc import Iterator
from itertools import pairwise

from portico.domains.papers.observations import (
    is_also_name,
    is_family_name,
    is_given_name,
    is_institution,
    may_be_name,
)
from portico.text.names import PARTICLES, fold_letters, parse_name, split_names
from portico.types.domain import Reading

_MARKS = re.compile(r"¤[a-z]?(?![a-z])|[\d*†‡§¶∗♯#·•|⁰¹²³⁴⁵⁶⁷⁸⁹⋆★☆✉✝✦◦◊♦♣♠‖⊥∥]|(?<=\s)[–—/-](?=\s|$)")
_MAIL = re.compile(r"\S+@\S+")
# "And" without a space after it.
_GLUED_AND = re.compile(r"(?<=\s)and(?=[A-ZÀ-Þ][\w-]+\s)")
# Text before or after a name that is not part of it: "by", ranks in societies, degrees, the ORCID mark.
# Only in headers: in references, "MD" in "Smith MD" is two initials.
_TITLES = re.compile(
    r"^\s*by\s+(?=[A-Z])|\n\s*by\s+(?=[A-Z])"
    r"|[,\s]*\b(?:(?:(?:graduate\s)?student|senior|life)\s+)*(?:member|fellow)\s*,\s*(?:IEEE|ACM|SIAM|OSA)\b"
    r"|\b(?:Dr|Prof)\.(?:\s?-?Ing\.)?\s+(?=[A-Z])"
    r"|\b(?:(?:associate|assistant|adjunct|full|visiting)\s+)?(?:professor|lecturer)\b(?:\s+emeritus)?,?"
    r"|\bindependent\s+(?:scholar|researcher)\b,?"
    r"|(?:,\s*(?-i:M\.?A|M\.?S|B\.?[AS]|M\.?B|BE|DO|PT|OT|JD)|(?:,\s*|\s+)(?-i:Ph\.?\s?D|D\.?Phil|M\.?Phil|M\.?D"
    r"|M\.?Sc|B\.?Sc|D\.?Sc|RN|MPH|MBBS|MBA|MSN|BSN|EdD|M\.?Ed|PsyD|PharmD|DrPH|DDS|DVM|ChB|BCh|LL\.?[MBD]"
    r"|MHS|MRCP|FRCPC?|FRCS|FACS|FACP|FAAN|Dr\.\s?(?:med|phil|rer\.\s?nat|habil)\.?|I?ID|iD))"
    r"\b\.?(?=\s*(?:[,;·\n\d*†]|and\b|$))",
    re.IGNORECASE,
)
# A line end after a comma, "and", an initial or a particle, after the single first word of a name that
# follows a comma or a mark, or before "and".
_READS_ON = re.compile(
    r"(?:(?<=,)|(?<=\band)|(?<=&)|(?<=\b[A-Z]\.)|(?<=\bvan)|(?<=\bvon)|(?<=\bde)|(?<=\bder)|(?<=\bdel)|(?<=\bden)|(?<=\bter)|(?<=\bdos)|(?<=\bda)|(?<=\bdi)|(?<=\bla)|(?<=\b(?:De|Di|Lo|La|Le))|(?<=\b(?:Van|Von|Del|Dos|Den|Der)))\n"
    r"|(?:(?<=[,;\d*†‡]\s)|(?<=[,;]\s[a-z]\s)|(?<=[,;][a-z]\s)|(?<=[,;]\s[a-z]\*\s)|(?<=\band\s)|(?<=&\s))(?P<lone>[A-Z][\w'’-]+)\n(?=[A-Z])"
    r"|\n(?=and\b|&)"
)
# Names in capitals at the beginning of a line that continues in lower case.
_CAPITAL_NAME = r"[A-ZÀ-Þ][A-ZÀ-Þ'’-]+(?:\s+(?:[A-ZÀ-Þ]\.|[A-ZÀ-Þ][A-ZÀ-Þ'’-]+)){1,4}"
_GLUED_NAME = re.compile(r"^(?P<names>(?:[A-ZÀ-Þ]\.){1,3}[A-ZÀ-Þ][A-ZÀ-Þ'’-]{2,})$", re.MULTILINE)
_CAPITALS_FIRST = re.compile(
    rf"^(?P<names>(?=(?P<given>[A-ZÀ-Þ'’-]+\.?))(?:[A-ZÀ-Þ]\.\s)?{_CAPITAL_NAME}(?:(?:,|,?\s+(?:and|AND"
    rf"|&))\s+{_CAPITAL_NAME})*)"
    r"(?:(?<=[A-ZÀ-Þ]{3})|,)\s+(?=[^\W\d_]*[a-zß-ÿ]|(?<=,\s)[A-ZÀ-Þ]{2,6},\s)",
    re.MULTILINE,
)
_NAME_FIRST = re.compile(
    r"^(?P<names>[A-ZÀ-Þ][a-zß-ÿ]+(?: (?:[A-ZÀ-Þ]\.|[A-ZÀ-Þ][\w'’-]+)){1,2}),\s+(?=[A-ZÀ-Þ])", re.MULTILINE
)
_INITIALS_FIRST = re.compile(
    r"^(?P<names>(?:[A-ZÀ-Þ]\.[\s-]?){1,3}(?:(?:van|von|de|der|den|del|la|di|da)\s)*[A-ZÀ-Þ][\w'’-]+),\s+(?P<rest>.+)",
    re.MULTILINE,
)
_GLUED_INITIALS = re.compile(r"(?:[A-ZÀ-Þ]\.){1,3}[A-ZÀ-Þ][^\W\d_]{2,}")
_LIST_END = re.compile(r"[:;]+\s*$")
# "And" in other languages, between two full names.
_OTHER_AND = re.compile(
    r"(?<=[^\W\d_]{2})\s(?:und|et|y|e|en|og|och|i|oraz|ja|ve|и)\s"
    r"(?=[^\W\d_a-zß-öø-ÿ][\w.-]*\s+[^\W\d_a-zß-öø-ÿ])"
)
# Names in Chinese characters, which need no space: 王小明、李華.
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}")
_HAN_NAMES = re.compile(rf"\s*{_HAN_NAME.pattern}(?:\s*[\s、，,;；·]\s*{_HAN_NAME.pattern})*\s*")
# An affiliation in parentheses after the name.
_BRACKETED = re.compile(r"\([^()\n]{2,}(?:\)|$)", re.MULTILINE)
_LETTER_BEFORE = re.compile(r"^[a-z]{1,2}\*?\s+(?=[A-ZÀ-Þ])")
# Superscript letters for affiliations, when nothing else separates the names: "Ann Bell a Carl Dorn b".
_LETTER_BETWEEN = re.compile(r"(?<=[^\W\d_]{2})\s[a-h](?:\s?,\s?[a-h])*(?=\s[A-ZÀ-Þ]|\s*(?:\n|\Z))")
_NUMERAL_BEHIND = re.compile(
    r"(?<=[^\W\d_]{2})\s(?:I{1,3}|IV|VI{0,3})(?:\s?,\s?(?:I{1,3}|IV|VI{0,3}))*(?=\s*(?:[,;\n]|\Z|(?:and|e|y)\s))"
)
# A line of a list that ends within a name, and the one after it: with the rest of a surname, or an initial.
_CUT_BEFORE = re.compile(r"[,;&\d*†]\s*(?:[^\W\d_][\w.'’-]*\s){1,2}[^\W\d_][\w.'’-]*\s*$")
_CUT_BEHIND = re.compile(r"(?:[A-ZÀ-Þ]\.\s?){1,2}\s*(?:[,;\d*†]|$)")
# A double name cut at its hyphen, and what replaces the line end: nothing, but positions stay the same.
_CUT_AT_HYPHEN = re.compile(r"(?<=[^\W\d_]-)\n(?=[A-ZÀ-Þ])")
JOINER = "\u2060"
_INITIAL = re.compile(r"[A-ZÀ-Þ]\.")
_MANY_DIGITS = re.compile(r"\d{3}")
_AND_OR_COMMA = re.compile(r"\s?[,;]\s?(?:and\s|&\s)?|\s(?:and|und|et|y|e|&)\s")
_LOOSE_STOP = re.compile(r"(?<=\b[A-ZÀ-Þ])\s\.")
# Letters that no name begins or ends with: the space before them is spurious.
_LONE_ACCENT = re.compile(r"(?<=[^\W\d_])\s(?P<letter>[à-öø-ÿ])$")
_CUT_NAME = re.compile(r"(?<=[^\W\d_])\s(?=[ß-öø-ÿ])|(?<=[^\W\d_a-zA-Z])\s(?=(?P<end>[a-z]{1,3})$)")
_LETTER_MARK = re.compile(r"\s[a-z]$")
_NO_NAME = re.compile(
    r"\b(?:university|institute|department|dept|laborator(?:y|ies)|labs?|school|college|inc|corp|ltd|gmbh|"
    r"associates|airlines|abstract|street|road|avenue|ave|blvd|boulevard|drive|village|box|research|center|"
    r"centre|systems|group|technologies|corps|hospital|clinic|faculty|foundation|ministry|society|academy|copyright"
    r"|universit(?:ät|é|à|eit|a[st]|y)|universidade?|(?:fach)?hochschule|institut(?:[oe]|et|tet|en)?|fakultät|facult(?:é|ad)|faculdade"
    r"|facoltà|lehrstuhl|klinik(?:um)?|hôpital|escuela|escola|école|laboratoire|centro|departa?mento|département"
    r"|[\w-]{3,}(?:universität|hochschule|institut|akademie|klinik(?:um)?|gesellschaft|zentrum|ministerium)"
    r"|agency|council|museum|polytechni(?:c|que)|politecnico|politécnica"
    r"|dipartimento|sociedade?|(?:doctor|master|bachelor)\s+of|doktors?|société|gesellschaft|observat(?:ory|ório))\b|https?:|www\.|orcid|\sproject\s*$",
    re.IGNORECASE,
)
# Minimum number of names in columns, with the given names on a line of their own.
_COLUMNS = 3
# For a line that is taken for names only by its position: the least share of its letters in names, the most
# words in a name, and (below) what shows that it is something else.
_READ_SHARE, _LONGEST_ALONE = 0.8, 4
# The number of names from which a line may contain other words, and the least share of words in names.
_SEVERAL, _KNOWN_SHARE = 3, 0.7
_NOT_NAMES = re.compile(
    r"[:?!\d]|\b(?:the|of|in|on|for|a(?!\.)|der|die|das|la|les|el|abstract|introduction)\b", re.IGNORECASE
)
# The second particle of a surname: "van der Meer", "de la Cruz".
_SECOND_PARTICLE = re.compile(
    r"(?<=\b(?:van|von|und|del)\s)(?:der|den|la|las)\b|(?<=\b[dD]e\s)(?:[lL]as?|[lL]os)\b"
)
# Number of words in a name with a middle initial.
_WHOLE_NAME = 3
# Maximum number of words in a name; longer ones are other lines.
_LONGEST_NAME = 7


def read_author_line(passage: str) -> tuple[Reading, ...]:
    """The names in a header; a single word next to full names is taken for a company or place and left
    out.
    """
    if _HAN_NAMES.fullmatch(passage):
        return tuple(Reading(match[0], *match.span()) for match in _HAN_NAME.finditer(passage))
    clean = _TITLES.sub(lambda match: ";" + " " * (len(match[0]) - 1), passage)
    clean = _BRACKETED.sub(lambda match: ";" + " " * (len(match[0]) - 1), clean)
    for glued in (_MAIL, _GLUED_AND):
        clean = glued.sub(lambda match: ";" + " " * (len(match[0]) - 1), clean)
    names = read_names(_OTHER_AND.sub(lambda match: ";" + " " * (len(match[0]) - 1), clean))
    full = tuple(name for name in names if _is_full(name.value) and not _is_acronym(name.value))
    return full or tuple(name for name in names if may_be_name(name.value))


def _is_full(name: str) -> bool:
    """Whether a name has more than a surname: a given name, or initials without a space: "M.K.KHOSLA"."""
    return len(name.split()) > 1 or _GLUED_INITIALS.match(name) is not None


def _is_acronym(name: str) -> bool:
    """Whether a "name" begins with the acronym of an institution: "MIT LCS" next to names is an
    affiliation.
    """
    first = name.split()[0]
    return first.isupper() and is_institution(first) and not is_also_name(first)


def has_shape_of_names(line: str) -> bool:
    """Whether a line may consist of full names only: no word in it usually means something else."""
    if _HAN_NAMES.fullmatch(line):
        return True
    names = [name.value.split() for name in read_author_line(line)]
    words = [word for name in names for word in name if word.lower() not in PARTICLES]
    n_read = sum(len(word) for name in names for word in name)
    return (
        bool(names)
        and not _NOT_NAMES.search(_SECOND_PARTICLE.sub(" ", line))
        and n_read >= _READ_SHARE * sum(map(str.isalpha, line))
        and all(len(name) > 1 and _count_words(" ".join(name)) <= _LONGEST_ALONE for name in names)
        and all(word[0].isupper() and may_be_name(word.strip(".")) for word in words)
    )


def _count_words(name: str) -> int:
    """The number of words in a name, without "de", "van der" etc."""
    return sum(word.lower() not in PARTICLES for word in name.split())


def is_name_alone(line: str) -> bool:
    """Whether a line consists of full names only, with mostly known given names or surnames."""
    names = read_author_line(line)
    if not names or _NOT_NAMES.search(_SECOND_PARTICLE.sub(" ", line)):
        return False
    words = [word for name in names for word in name.value.split()]
    firsts = [name.value.split()[0] for name in names]
    n_read = sum(len(word) for word in words)
    words = [word for word in words if word.lower() not in PARTICLES]
    # Among several names, one or two may contain other words: "Craig Fields".
    enough = 1.0 if len(names) < _SEVERAL else _KNOWN_SHARE
    return (
        n_read >= _READ_SHARE * sum(character.isalpha() for character in line)
        and sum(is_given_name(first) or is_family_name(first) for first in firsts) >= enough * len(firsts)
        and all(_count_words(name.value) <= _LONGEST_ALONE for name in names)
        and sum(map(may_be_name, words)) >= enough * len(words)
    )


def read_names_first(passage: str) -> tuple[Reading, ...]:
    """Authors followed by their affiliation on one line: "EVA FOX, Southfield College", "Eva Fox, Bell
    Labs", "E. Fox, University of Northfield".
    """
    capitals = [match for match in _CAPITALS_FIRST.finditer(passage) if may_be_name(match["given"])]
    capitals += [match for match in _GLUED_NAME.finditer(passage) if not is_institution(match["names"][4:])]
    plain = [match for match in _NAME_FIRST.finditer(passage) if _is_known_name(match["names"])]
    plain += [match for match in _INITIALS_FIRST.finditer(passage) if _NO_NAME.search(match["rest"])]
    return tuple(
        Reading(name.value, match.start() + name.start, match.start() + name.end)
        for match in sorted([*capitals, *plain], key=lambda match: match.start())
        for name in read_names(match["names"])
    )


def _is_known_name(text: str) -> bool:
    first, *others = text.split()
    return is_given_name(first) and all(word.endswith(".") or may_be_name(word) for word in others)


def is_one_author(one: str, other: str) -> bool:
    """Whether two names in a header can be the same person, for example in full and with initials."""
    first, second = parse_name(one), parse_name(other)
    pairs = zip(first.given, second.given, strict=False)
    return first.key == second.key and all(_may_be_one(given, known) for given, known in pairs)


def _may_be_one(given: str, known: str) -> bool:
    """Whether two given names are equal, or one is an initial of the other: "Jie-Hong" and "J.-H."."""
    if any(character.islower() for character in given) and any(character.islower() for character in known):
        return fold_letters(given) == fold_letters(known)
    return fold_letters(given)[:1] == fold_letters(known)[:1]


def read_names(passage: str) -> tuple[Reading, ...]:
    """One value per person, as printed, without footnote and affiliation marks."""
    columns = tuple(_read_columns(passage))
    if columns:
        return columns
    lines = _LIST_END.sub(lambda match: " " * len(match[0]), _joined_lines(passage))
    clean = _part_at_letters(_MARKS.sub(lambda match: ";" * len(match[0]), lines))
    readings: list[Reading] = []
    position = 0
    for name in split_names(clean):
        bare = _LETTER_BEFORE.sub("", _LETTER_MARK.sub("", name))
        for part in _apart(bare, is_listed=_is_listed(name, clean)):
            start, end = _locate(clean, part, position)
            if start >= 0 and _is_name(part):
                readings.append(Reading(_join_accents(part), start, end))
                position = end
    return tuple(readings)


def _part_at_letters(names: str) -> str:
    """The names with letters or Roman numerals that mark affiliations replaced by semicolons, if at least
    two occur.
    """
    for marks, first in ((_LETTER_BETWEEN, "a"), (_NUMERAL_BEHIND, "I")):
        found = [match[0].strip() for match in marks.finditer(names)]
        if len(found) > 1 and any(mark.startswith(first) for mark in found):
            names = marks.sub(lambda match: ";" * len(match[0]), names)
    return names


def _read_columns(passage: str) -> Iterator[Reading]:
    """Names in columns, each with the given name above the surname: "Ann Eva Max" over "Bell Dorn Fox"."""
    above, _, below = _MARKS.sub(" ", passage).partition("\n")
    given, surnames = list(re.finditer(r"\S+", above)), below.partition("\n")[0].split()
    n_given = sum(is_given_name(word[0]) for word in given)
    if (
        len(given) >= _COLUMNS
        and len(given) == len(surnames)
        and n_given * 2 >= len(given)
        and all(word[0].isalpha() and word[0][0].isupper() for word in given)
        and all(word.isalpha() and word[0].isupper() and not is_given_name(word) for word in surnames)
    ):
        for word, surname in zip(given, surnames, strict=True):
            yield Reading(f"{word[0]} {surname}", word.start(), word.end())


def _joined_lines(passage: str) -> str:
    """The passage with lines joined if a name or list continues on the next one; other line ends separate
    names.
    """
    whole = _CUT_AT_HYPHEN.sub(JOINER, passage)
    lines = _READS_ON.sub(_read_on, whole).split("\n")
    joined = lines[:1]
    for before, line in pairwise(lines):
        is_cut = (
            (_is_given_alone(before) and _is_surname_alone(line))
            or _is_cut_name(before, line)
            or (_CUT_BEFORE.search(before) is not None and _CUT_BEHIND.match(line) is not None)
        )
        joined.append((" " if is_cut else "\n") + line)
    return "".join(joined)


def _is_given_alone(line: str) -> bool:
    """Whether a line consists of several given names, so that the surname must follow: "Hannes Raphael"."""
    words = _MARKS.sub(" ", line).split()
    return len(words) > 1 and all(is_given_name(word) for word in words)


def _is_cut_name(before: str, line: str) -> bool:
    """Whether a list breaks within a name: "…, Ann Bell and Maria Flor" before "Dorn, Eva Fox"."""
    listed, following = _AND_OR_COMMA.split(before.rstrip()), _AND_OR_COMMA.split(line.strip())
    last, first = listed[-1].split(), following[0]
    return (
        len(listed) > 1
        and len(last) > 1
        and all(word[0].isupper() or _INITIAL.fullmatch(word) for word in last)
        and last[-1][-1].isalpha()
        and _is_surname_alone(first)
        and not _MANY_DIGITS.search(first)
        and not _NO_NAME.search(first)  # "Box 354322"
        and all(len(name.split()) > 1 for name in listed[:-1] if name.strip())
    )


def _is_surname_alone(line: str) -> bool:
    words = _MARKS.sub(" ", line).split()
    return len(words) == 1 and words[0][0].isupper() and words[0].isalpha() and not is_given_name(words[0])


def _read_on(line_end: re.Match[str]) -> str:
    """The replacement of a line end: a space, unless the word before it cannot be a given name: "by ZUMA,
    Germany".
    """
    lone = line_end["lone"]
    return line_end[0] if lone and not may_be_name(lone) else (lone or "") + " "


def _join_accents(name: str) -> str:
    """The name with letters joined that were split in two: "Gu érin-Dugu é", "Aliefendioğ lu"."""
    name = _LOOSE_STOP.sub(".", name.replace(JOINER, ""))
    lone = _LONE_ACCENT.search(name)
    if lone:
        base = fold_letters(lone["letter"])
        place = name.rfind(base, 0, lone.start())
        if (
            place >= lone.start() - 2 and place >= 0
        ):  # the accented letter is also there without accent: "Sanjuan á"
            name = name[:place] + lone["letter"] + name[place + 1 : lone.start()]
    return _CUT_NAME.sub(lambda match: "" if match["end"] not in PARTICLES else match[0], name)


def _is_listed(name: str, names: str) -> bool:
    """Whether the line of this name has commas besides it: then only these separate names."""
    line = next((line for line in names.split("\n") if name in line), "")
    return line.replace(name, "").count(",") > 0


def _apart(name: str, *, is_listed: bool = False) -> Iterator[str]:
    """The single names in names printed without anything between: "Ann Bell Carl Dorn" is two people.

    Initials may also begin a name: "M. Bell T. V. Dorn".
    """
    words = name.split()
    if "," in name or len(words) < 4 or is_listed:
        yield name
        return
    start = 0
    for idx in range(2, len(words) - 1):
        ends_name = len(words[idx - 1].strip(".")) > 1 and words[idx - 1][0].isupper()
        opens_name = (
            is_given_name(words[idx])
            or ("-" in words[idx] and words[idx][0].isupper() and not is_family_name(words[idx]))
            or (_INITIAL.fullmatch(words[idx]) is not None and _INITIAL.fullmatch(words[start]) is not None)
            or _is_behind_whole(words, start, idx)
        )
        in_particle = {words[idx - 1].lower(), words[idx].lower()} & PARTICLES
        if idx - start >= 2 and ends_name and opens_name and not in_particle:
            yield " ".join(words[start:idx])
            start = idx
    yield " ".join(words[start:])


def _is_behind_whole(words: list[str], start: int, idx: int) -> bool:
    """Whether a name with a middle initial is complete before a word with another after it: "James B.
    Orlin Ann Fox".
    """
    return (
        idx - start >= _WHOLE_NAME
        and len(words) - idx >= 2
        and _INITIAL.fullmatch(words[idx - 2]) is not None
        and _INITIAL.fullmatch(words[start]) is None
        and all(word[0].isupper() and len(word) > 2 for word in words[idx : idx + 2])
    )


def _locate(passage: str, name: str, position: int) -> tuple[int, int]:
    words = [word for word in re.split(r"[\s,]+", name) if word]
    start = passage.find(words[0], position) if words else -1
    end = start
    for word in words:
        found = passage.find(word, max(end, 0))
        end = found + len(word) if found >= 0 else end
    return start, end


def _is_name(text: str) -> bool:
    n_letters = sum(character.isalpha() for character in text)
    return (
        n_letters >= 2
        and (text[0].isalpha() or text[0] in "'’")
        and any(character.isupper() for character in text)
        and len(text.split()) <= _LONGEST_NAME
        and "@" not in text
        and text[-1] != "-"  # the first part of a word that is hyphenated
        and not _NO_NAME.search(text)
    )
