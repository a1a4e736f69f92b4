"""Topic trees with labeled documents, in families: trees of one family share documents or a tree."""

import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from portico.lab.datasets.field_rows import (
    FieldRow,
    is_for_measuring,
    read_abstracts,
    read_categories,
    read_subfields,
)
from portico.lab.datasets.topic_sets import TopicSet, read_topic_set
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

_LARGEST_BRANCHES = 3  # of each tree, measured as separate trees
_LEAST_DOCUMENTS = 10  # of a leaf
_LEAST_OF_NAMED = 6  # of a leaf without keywords: many of these are small
_FIELD_KEYWORDS, _SUBFIELD_KEYWORDS, _FEW_KEYWORDS = 10, 6, 3
# Its labels are those of single journals, which differ only at random: no method has more than a fifth right.
_TOO_NEAR = "Biochemistry, Genetics and Molecular Biology"
_CATEGORIES = "taxonomies/arxiv_cs_category_descriptions.txt"
_DRUGS = {
    "aceinhibitors": "ACE inhibitors", "atypicalantipsychotics": "atypical antipsychotics",
    "betablockers": "beta blockers", "calciumchannelblockers": "calcium channel blockers",
    "oralhypoglycemics": "oral hypoglycemics", "protonpumpinhibitors": "proton pump inhibitors",
    "skeletalmusclerelaxants": "skeletal muscle relaxants", "urinaryincontinence": "urinary incontinence",
}  # fmt: skip


_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class LabeledTree:
    """A tree with labeled documents."""

    name: str
    family: str
    labeled: TopicSet
    is_known: bool = False  # whether it is the shipped tree, which has a background


def iterate_labeled_trees(data: Path, trees: Mapping[str, Sequence[Topic]]) -> Iterator[LabeledTree]:
    """All trees; `trees` are the shipped ones, whose keywords are used for sets without any."""
    cora = read_topic_set(data / "topics" / "cora70", trees["computer-science"])
    yield from _with_branches("cora70", "Cora", cora)
    yield LabeledTree("cora70 with background", "Cora", cora, is_known=True)
    arxiv = read_topic_set(data / "topics" / "arxiv53", ())
    yield from _with_branches("arxiv53", "arXiv", _take_unlearned(arxiv))
    names = _read_names(data / "topics" / "taxonomies.tar.gz")
    yield LabeledTree("arxiv categories", "arXiv", _make_categories(data, names))
    rows = [row for row in read_abstracts(data) if row.text.abstract]
    yield LabeledTree("fields", "fields", _make_fields(rows, trees["all-sciences"]))
    yield from _with_branches("subfields", "fields", _make_subfields(data, rows))
    yield LabeledTree("WOS-46985", "WOS-46985", _make_named(rows, "wos46985", _split_area))
    yield LabeledTree("drug classes", "drug classes", _make_named(rows, "pubmed:cohen", _name_drug))


def iterate_further_trees(data: Path, trees: Mapping[str, Sequence[Topic]]) -> Iterator[LabeledTree]:
    """Trees of other kinds, from which confidence is learned too: without keywords but their names, from
    other catalogs, and with documents of one branch only.
    """
    cora = read_topic_set(data / "topics" / "cora70", trees["computer-science"])
    yield from _with_branches("cora70 by name", "Cora", _drop_keywords(cora))
    yield from _with_narrow_collections("cora70", "Cora", cora)
    arxiv = read_topic_set(data / "topics" / "arxiv53", ())
    yield from _with_narrow_collections("arxiv53", "arXiv", _take_unlearned(arxiv))
    rows = [row for row in read_abstracts(data) if row.text.abstract]
    fields = _make_fields(rows, trees["all-sciences"])
    yield LabeledTree("fields with few keywords", "fields", _drop_keywords(fields, kept=_FEW_KEYWORDS))
    subfields = _make_subfields(data, rows)
    yield from _with_branches("subfields by name", "fields", _drop_keywords(subfields))
    yield from _with_narrow_collections("subfields", "fields", subfields)
    areas = _make_named(rows, "wos46985", _split_area)
    yield from list(_with_branches("WOS-46985", "WOS-46985", areas))[1:]
    yield from _with_narrow_collections("WOS-46985", "WOS-46985", areas)
    yield LabeledTree("economics", "NBER", _make_plain(rows, "nber"))
    yield LabeledTree("bioRxiv", "bioRxiv", _make_plain(rows, "biorxiv"))
    yield from _with_branches("library", "library", _make_named(rows, "finna", _split_area))


def _take_unlearned(labeled: TopicSet) -> TopicSet:
    """Every second document; the word vectors were trained on the others."""
    texts = labeled.texts[1::2]
    leaf_of = {
        text.document: labeled.leaf_of[text.document] for text in texts if text.document in labeled.leaf_of
    }
    return replace(labeled, texts=texts, leaf_of=leaf_of)


def _with_branches(name: str, family: str, labeled: TopicSet) -> Iterator[LabeledTree]:
    """The tree itself, and its largest branches as separate trees."""
    yield LabeledTree(name, family, labeled)
    for top in _list_largest_branches(labeled):
        yield LabeledTree(f"{name}: {top}", family, _take_branch(labeled, top))


def _with_narrow_collections(name: str, family: str, labeled: TopicSet) -> Iterator[LabeledTree]:
    """The whole tree with the documents of one branch, for each of its largest: most leaves are empty."""
    for top in _list_largest_branches(labeled):
        narrow = _take_branch(labeled, top).texts
        leaf_of = {text.document: labeled.leaf_of[text.document] for text in narrow}
        yield LabeledTree(f"{name}, only {top}", family, TopicSet(narrow, labeled.topics, leaf_of))


def _list_largest_branches(labeled: TopicSet) -> list[str]:
    sizes = Counter(labeled.topics[leaf].path[0] for leaf in labeled.leaf_of.values())
    return [top for top, _ in sizes.most_common(_LARGEST_BRANCHES) if top != _TOO_NEAR]


def _take_branch(labeled: TopicSet, top: str) -> TopicSet:
    kept = [leaf for leaf, topic in enumerate(labeled.topics) if topic.path[0] == top]
    new = {leaf: place for place, leaf in enumerate(kept)}
    leaf_of = {document: new[leaf] for document, leaf in labeled.leaf_of.items() if leaf in new}
    texts = tuple(text for text in labeled.texts if text.document in leaf_of)
    return TopicSet(texts, tuple(labeled.topics[leaf] for leaf in kept), leaf_of)


def _drop_keywords(labeled: TopicSet, *, kept: int = 0) -> TopicSet:
    """The same tree with only the first keywords, or with none but its names."""
    return replace(
        labeled, topics=tuple(Topic(topic.path, topic.keywords[:kept]) for topic in labeled.topics)
    )


def _make_categories(data: Path, names: Mapping[str, str]) -> TopicSet:
    """A tree with one leaf per category of computer science, with no keywords but its name."""
    found = [(text, category) for category, text in read_categories(data) if category in names]
    topics = {category: _name_topic(names[category]) for _, category in found}
    return _make_set(found, topics)


def _name_topic(name: str) -> Topic:
    """A topic with the parts of its name as keywords: both parts of "Vision and Pattern Recognition"."""
    parts = re.split(r"\s*(?:,| and |;)\s*", name)
    return Topic((name,), tuple(filter(None, parts)))


def _read_names(archive: Path) -> dict[str, str]:
    """The names of arXiv's categories of computer science."""
    with tarfile.open(archive) as files:
        member = files.extractfile(_CATEGORIES)
        text = member.read().decode() if member else ""
    return dict(re.findall(r"^(cs\.\w\w) \((.*)\)", text, re.MULTILINE))


def _make_fields(rows: Sequence[FieldRow], sciences: Sequence[Topic]) -> TopicSet:
    """One leaf per field, with the first keywords of its branches; abstracts labeled by people."""
    keywords: dict[str, list[str]] = {}
    for depth in (0, 1):
        for topic in sciences:
            keywords.setdefault(topic.path[0].casefold(), []).extend(topic.keywords[depth : depth + 1])
    # "Studies" prevents names from being recognized as fields: only keywords should decide here.
    topics = {
        field: Topic((f"{field} studies",), tuple(words[:_FIELD_KEYWORDS]))
        for field, words in keywords.items()
    }
    found = [
        (row.text, row.field)
        for row in rows
        if not row.source.startswith(("finna", "arxiv")) and is_for_measuring(row.text)
    ]
    return _make_set(found, topics)


def _make_subfields(data: Path, rows: Sequence[FieldRow]) -> TopicSet:
    """One leaf per subfield that journals are assigned to, with OpenAlex's keywords for its topics."""
    keywords: dict[str, Counter[str]] = defaultdict(Counter)
    paths: dict[str, tuple[str, str]] = {}
    for field, subfield, words in read_subfields(data):
        keywords[_fold(subfield)].update(words)
        paths[_fold(subfield)] = (field, subfield)
    topics = {
        key: Topic(path, (path[1], *(word for word, _ in keywords[key].most_common(_SUBFIELD_KEYWORDS))))
        for key, path in paths.items()
    }
    found = [
        (row.text, _fold(row.subfield))
        for row in rows
        if not row.source.startswith(("finna", "arxiv", "wos46985", "pubmed")) and is_for_measuring(row.text)
    ]
    return _make_set(found, topics)


def _make_named(rows: Sequence[FieldRow], source: str, name: Callable[[str], tuple[str, ...]]) -> TopicSet:
    """A tree whose leaves have only names, no keywords."""
    found = [(row.text, name(row.subfield)) for row in rows if row.source.startswith(source) and row.subfield]
    topics = {path: Topic(tuple(re.sub(r"\s*\(.*\)", "", part) for part in path), ()) for _, path in found}
    return _make_set(found, topics, least=_LEAST_OF_NAMED)


def _make_plain(rows: Sequence[FieldRow], source: str) -> TopicSet:
    """A tree of one level, with a leaf per first category of a source."""
    named = [(row.text, row.subfield.split(";")[0]) for row in rows if row.source.startswith(source)]
    found = [(text, name) for text, name in named if name]
    return _make_set(found, {name: _name_topic(name) for _, name in found}, least=_LEAST_OF_NAMED)


def _split_area(subfield: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in subfield.split(":", 1))


def _name_drug(subfield: str) -> tuple[str, ...]:
    area, name = _split_area(subfield)
    return area, _DRUGS.get(name, name)


def _make_set(
    found: Sequence[tuple[TopicText, _Key]], topics: Mapping[_Key, Topic], *, least: int = _LEAST_DOCUMENTS
) -> TopicSet:
    """The set of these documents, without leaves that have too few."""
    sizes = Counter(key for _, key in found if key in topics)
    kept = [key for key in topics if sizes[key] >= least]
    leaves = {key: leaf for leaf, key in enumerate(kept)}
    texts = [
        (replace(text, document=DocumentId(str(number))), leaves[key])
        for number, (text, key) in enumerate(found)
        if key in leaves
    ]
    return TopicSet(
        tuple(text for text, _ in texts),
        tuple(topics[key] for key in kept),
        {text.document: leaf for text, leaf in texts},
    )


def _fold(name: str) -> str:
    """A name normalized across lists, such as "Geosciences, Multidisciplinary" and "Arts & Humanities"."""
    plain = re.sub(r", multidisciplinary", "", name.casefold()).replace("&", "and")
    return re.sub(r"[^a-z ]", "", plain).strip()
