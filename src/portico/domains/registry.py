"""Registry of domains: those that ship with the software and those declared by builders."""

from collections import Counter
from hashlib import sha256
from pathlib import Path

from portico.domains.organisations import ORGANISATIONS, PAGE_OBSERVATIONS
from portico.domains.papers import PAPERS
from portico.domains.papers.observations import load_word_classes
from portico.domains.readers import PATTERNS, READERS, make_pattern_reader, read_people
from portico.errors import ConfigError
from portico.types.domain import (
    NO_HEADINGS,
    Declaration,
    DeclaredField,
    DeclaredKind,
    Display,
    Domain,
    FieldRule,
    Form,
    Kind,
    Reader,
    ShownField,
)

DOMAINS = {domain.name: domain for domain in (PAPERS, ORGANISATIONS)}


def find_domain(name: str) -> Domain:
    """The shipped domain with this name; ConfigError, with the existing names, if there is none."""
    try:
        return DOMAINS[name]
    except KeyError:
        known = ", ".join(sorted(DOMAINS))
        raise ConfigError(f'there is no domain "{name}"; there are: {known}') from None


def digest_learned(domain: Domain) -> str:
    """A checksum of all models and lexicons that ship with the domain."""
    whole = sha256()
    for path in sorted(domain.models.parent.rglob("*")):
        if path.is_file() and path.suffix not in _WRITTEN_BY_HAND:
            whole.update(f"{path.name} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:16]


_WRITTEN_BY_HAND = {
    ".py",
    ".pyc",
    ".md",
    ".toml",
}  # code has its own versions, the rest is not read at run time


CUSTOM = "custom"
OTHER = "other"
MODEL = "fields.zip"


def make_declared_domain(declared: Declaration, *, file: Path, models: Path) -> Domain:
    """The domain that a portal declares: models are in the portal's folder, topics in the declaration's
    own file.
    """
    labels = _labels(declared)
    everything = (*labels.values(), OTHER)
    return Domain(
        name=CUSTOM,
        kinds=tuple(_kind(kind, labels, everything) for kind in declared.kinds),
        headings=NO_HEADINGS,
        lexicon=load_word_classes,
        models=models,
        splitting="",
        topics=file if declared.has_topics else models / "topics.toml",
        topic_words=models / "topics.words.gz",
        target_types=frozenset(),
        spider="spider.npz",
        page_kinds=tuple(page.name for page in declared.pages),
        page_words=tuple((page.name, page.words) for page in declared.pages),
        pages="pages.zip",
        paths="paths.npz",
    )


def _labels(declared: Declaration) -> dict[tuple[str, str], str]:
    """The label of each field's words: its name, preceded by that of the record if the name is not
    unique.
    """
    named = Counter(field.name for kind in declared.kinds for field in kind.fields)
    return {
        (kind.name, field.name): field.name if named[field.name] == 1 else f"{kind.name}.{field.name}"
        for kind in declared.kinds
        for field in kind.fields
    }


def _kind(kind: DeclaredKind, labels: dict[tuple[str, str], str], everything: tuple[str, ...]) -> Kind:
    def label(name: str) -> str:
        return labels[kind.name, name] if name else ""

    return Kind(
        name=kind.name,
        labels=everything,
        rules=tuple(
            FieldRule(label(field.name), field.name, _reader(field), once=field.once) for field in kind.fields
        ),
        observations=PAGE_OBSERVATIONS,
        model=MODEL,
        other=OTHER,
        begins=label(kind.begins),
        parent=kind.part_of,
        identity=kind.identity,
        display=_display(kind),
        patterns=tuple((label(field.name), pattern) for field in kind.fields if (pattern := _pattern(field))),
        cues=tuple((label(field.name), (field.label, *field.cues)) for field in kind.fields),
    )


def _display(kind: DeclaredKind) -> Display:
    return Display(
        singular=kind.name.replace("_", " "),
        plural=kind.plural,
        title=kind.title,
        subtitle=kind.subtitle,
        fields=tuple(
            ShownField(field.name, field.label, field.form, field.searchable, field.facet)
            for field in kind.fields
        ),
    )


def _reader(field: DeclaredField) -> Reader:
    if field.pattern:
        return make_pattern_reader(field.pattern)
    return read_people if field.many_names else READERS[field.form]


def _pattern(field: DeclaredField) -> str:
    """The pattern of the values, as declared or by form; "" for numbers and years, which would match too
    much.
    """
    if field.pattern:
        return field.pattern
    return "" if field.form in (Form.NUMBER, Form.YEAR) else PATTERNS.get(field.form, "")
