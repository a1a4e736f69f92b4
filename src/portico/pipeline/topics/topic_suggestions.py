"""The topic tree with its counts, suggested topics, and how they are written into its file."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from portico.config.editing import GENERAL, add_topic, format_topic, name_tree_file
from portico.config.reading import read_settings
from portico.config.topics import read_topics
from portico.config.tree_editing import change_tree, drop_keywords
from portico.errors import ConfigError, PortalError
from portico.files import write_whole
from portico.pipeline.portal import Portal
from portico.pipeline.topics.topic_texts import read_topic_texts
from portico.pipeline.topics.tree_choice import find_tree
from portico.store.meta import keep_suggested, settle_suggested
from portico.text.words import find_nearest
from portico.types.document import DocumentId
from portico.types.stages import StageName
from portico.types.topic import Topic, TopicSuggestion, TopicText, TreeChange

OTHER = "other"
"""The node of all documents without a place in the tree."""

TREE_FILE = "topics.toml"
"""The portal's own tree, created when the first topic is added to the shipped one."""

INDUCED = "# Made from the portal's own papers by `portico topics induce`. Edit it as you like.\n"
"""The beginning of a topics file that was generated."""

# Limits for suggestions made by builds: leaves for documents without a topic, and under the fullest leaves.
FEW = 30  # documents; fewer need no topic of their own
OVERFULL = 5.0  # times the mean of the leaves that have documents
MOST_NODES, TOPICS_A_NODE = 3, 4
SPLIT_LEAVES = 3  # that a topic is split into at most
MOST_TEXTS = 3000  # of a node; enough to see its groups, and clustered in two seconds


def describe_tree(portal: Portal, *, with_empty: bool = True) -> Iterator[str]:
    """Yield every node, with the number of documents whose most likely topic is at or below it.

    Without the empty nodes, the last line says how many were left out.
    """
    places = _read_places(portal)
    if not places and not portal.store.catalog.topics.all():
        raise ConfigError("nothing is classified yet; run `portico build` for this portal first")
    below = Counter(path[:depth] for path in places.values() for depth in range(1, len(path) + 1))
    topics = _sort_as_tree(portal.store.catalog.topics.all())
    for topic in topics:
        if with_empty or below[topic.path]:
            indent = "  " * (len(topic.path) - 1)
            yield f"{indent}{topic.name:<{max(60 - len(indent), 1)}}{below[topic.path]:>7}"
    n_documents = portal.store.documents.results.n_done(StageName.EXTRACT)
    yield f"{'(in no topic)':<60}{n_documents - len(places):>7}"
    n_empty = 0 if with_empty else sum(not below[topic.path] for topic in topics)
    if n_empty:
        yield f"{n_empty} topics without documents are not shown; --all shows them"


def _sort_as_tree(topics: Sequence[Topic]) -> list[Topic]:
    """Sort every topic below its branch, even if the file lists it later."""
    places = {topic.path: place for place, topic in enumerate(topics)}
    return sorted(
        topics, key=lambda topic: [places[topic.path[:depth]] for depth in range(1, len(topic.path) + 1)]
    )


def suggest_topics(portal: Portal, node: str, n_topics: int) -> tuple[TopicSuggestion, ...]:
    """Suggest new leaves under a node; `other` is the node of documents without a topic."""
    # Imported here: arrays take a quarter of a second to load.
    from portico.classify.inducing import suggest_leaves
    from portico.pipeline.topics.tree_fit import read_shipped_company

    above, texts = _read_documents_at(portal, node)
    company = read_shipped_company(portal.domain)
    found = suggest_leaves(texts, n_topics=n_topics, above=above, company=company)
    if not found:
        where = "in no topic" if node == OTHER else f'in "{node}"'
        documents = "1 document is" if len(texts) == 1 else f"{len(texts)} documents are"
        raise ConfigError(f"{documents} {where}: too few to suggest topics")
    return found


def induce_tree(
    portal: Portal, n_leaves: int | None = None, *, fresh: bool = False
) -> tuple[TopicSuggestion, ...]:
    """Induce a whole tree from the portal's own documents.

    Unless it is to be `fresh`, topics in the portal's own file stay as they are and new ones are added.
    """
    from portico.classify.inducing import induce
    from portico.pipeline.topics.tree_fit import read_shipped_company

    named = "" if fresh else _tree_name(portal)
    texts = read_topic_texts(portal.store)
    found = induce(
        texts,
        n_leaves=n_leaves,
        earlier=read_topics(portal.places.folder / named) if named else (),
        company=read_shipped_company(portal.domain),
    )
    if not found:
        raise ConfigError(
            f"there are {len(texts)} documents: too few for a tree; run `portico build` first, or add papers"
        )
    return found


def write_tree(portal: Portal, found: Sequence[TopicSuggestion], *, fresh: bool = False) -> Path:
    """Write the portal's tree to the file named in portal.toml, or to a new file that it then names.

    Unless it is to be `fresh`, only new topics are added to an existing file. A file that is replaced is kept
    beside the new one.
    """
    named = _tree_name(portal)
    path = portal.places.folder / (named or TREE_FILE)
    kept = {topic.path for topic in read_topics(path)} if named and not fresh else set()
    if path.exists() and not kept:
        _write(path.with_name(f"{path.name}.before"), path.read_text(encoding="utf-8-sig"))
    text = path.read_text(encoding="utf-8-sig") if kept else INDUCED
    for each in found:
        if each.topic.path not in kept:
            text = add_topic(text, each.topic, remarks=each.remarks())
    _write(path, text)
    if not named:
        settings = portal.places.settings
        _write(settings, name_tree_file(settings.read_text(encoding="utf-8"), TREE_FILE))
    return path


def _tree_name(portal: Portal) -> str:
    """The file of topics currently named in portal.toml, or ""."""
    return read_settings(portal.places.folder, for_building=False).topics.file or ""


def describe_suggestions(found: Sequence[TopicSuggestion]) -> Iterator[str]:
    """Format the suggestions as topics to paste, with the numbers by which they can be accepted."""
    for number, each in enumerate(found, start=1):
        yield format_topic(each.topic, remarks=[f"{number}:", *each.remarks()])


def accept_suggestion(portal: Portal, suggestion: TopicSuggestion) -> Path:
    """Add a suggested topic to the builder's tree, leaving everything else there as it is.

    A portal with a shipped tree gets its own copy of it. The next build learns the new topic.
    """
    tree = _read_own_tree(portal)
    _write_own_tree(portal, add_topic(tree, suggestion.topic, remarks=suggestion.remarks()))
    settle_suggested(portal.store.meta, suggestion.topic.path, turned_down=False)
    return _find_own_tree(portal)


def edit_tree(portal: Portal, change: TreeChange) -> Path:
    """Change the builder's tree file; papers are reassigned at the next build.

    A portal with a shipped tree gets its own copy of it.
    """
    text = _read_own_tree(portal)
    if change.kind == "split":
        found = suggest_topics(portal, "/".join(change.path), SPLIT_LEAVES)
        for each in found:
            text = add_topic(text, each.topic, remarks=each.remarks())
        if found:
            words = {word for each in found for word in each.topic.keywords}
            text = drop_keywords(text, (*change.path, GENERAL), words)
    else:
        text = change_tree(text, change)
    _write_own_tree(portal, text)
    return _find_own_tree(portal)


def read_current_tree(portal: Portal) -> tuple[Topic, ...]:
    """Read the tree as currently written, the portal's own or the shipped one, including hidden topics."""
    path = _find_own_tree(portal) if _tree_name(portal) else find_tree(portal)
    return read_topics(path) if path.is_file() else ()


def _find_own_tree(portal: Portal) -> Path:
    # The name is read again, because a recent change may have given the portal its own tree.
    return portal.places.folder / (_tree_name(portal) or TREE_FILE)


def _read_own_tree(portal: Portal) -> str:
    """The text of the portal's own tree, or of the shipped one."""
    path = _find_own_tree(portal)
    if _tree_name(portal):
        read_topics(path)  # reports mistakes before anything is written
        return path.read_text(encoding="utf-8-sig")
    if path.exists():
        raise ConfigError(
            f"{path} is there, but portal.toml does not name it; "
            f'write file = "{TREE_FILE}" under [topics], or move it away'
        )
    tree = find_tree(portal)
    return tree.read_text(encoding="utf-8") if tree.is_file() else ""


def _write_own_tree(portal: Portal, text: str) -> None:
    _write(_find_own_tree(portal), text)
    if not _tree_name(portal):
        settings = portal.places.settings
        _write(settings, name_tree_file(settings.read_text(encoding="utf-8"), TREE_FILE))


ReadTexts = Callable[[Sequence[DocumentId]], Sequence[TopicText]]
"""Returns the texts of documents, in the same order."""


def save_suggestions(portal: Portal, documents: Sequence[DocumentId], read_texts: ReadTexts) -> None:
    """Store suggested topics, for the fullest leaves and for documents without one, for the builder."""
    # Imported here, as above.
    from portico.classify.inducing import suggest_leaves
    from portico.pipeline.topics.tree_fit import read_shipped_company

    places = _read_places(portal)
    found: list[TopicSuggestion] = []
    crowded = [*_find_crowded(documents, places)]
    company = read_shipped_company(portal.domain) if crowded else None
    for above in crowded:
        inside = (document for document in documents if places.get(document, ()) == above)
        texts = read_texts([*islice(inside, MOST_TEXTS)])
        found += suggest_leaves(texts, n_topics=TOPICS_A_NODE, above=above, company=company)
    keep_suggested(portal.store.meta, found)


def _find_crowded(
    documents: Sequence[DocumentId], places: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, ...]]:
    """Yield nodes that need new leaves: the empty path for documents without a topic, then the fullest."""
    sizes = Counter(places.get(document, ()) for document in documents)
    if sizes.pop((), 0) >= FEW:
        yield ()
    mean = sum(sizes.values()) / max(len(sizes), 1)
    fullest = [path for path, size in sizes.most_common(MOST_NODES) if size >= max(FEW, OVERFULL * mean)]
    yield from sorted(fullest)


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode())
    except OSError as fault:
        raise PortalError(f"{path}: cannot be written ({fault.strerror}); make it writable") from fault


def _read_documents_at(portal: Portal, node: str) -> tuple[tuple[str, ...], list[TopicText]]:
    texts, places = read_topic_texts(portal.store), _read_places(portal)
    if node == OTHER:
        return (), [text for text in texts if text.document not in places]
    path = tuple(node.split("/"))
    names = {"/".join(topic.path) for topic in portal.store.catalog.topics.all()}
    if node not in names:
        hint = find_nearest(node, sorted(names))
        raise ConfigError(f'there is no topic "{node}"{f"; did you mean {hint}?" if hint else ""}')
    return path, [text for text in texts if places.get(text.document, ())[: len(path)] == path]


def _read_places(portal: Portal) -> dict[str, tuple[str, ...]]:
    """The most likely topic of every document that has any."""
    places: dict[str, tuple[str, ...]] = {}
    for assignment in portal.store.catalog.topics.assignments():
        places.setdefault(assignment.document, assignment.path)
    return places
