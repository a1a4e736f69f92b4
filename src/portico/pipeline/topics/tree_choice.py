"""Chooses a portal's topic tree: the builder's, one that ships, or one induced from its documents.

Unless the builder names a tree, the choice depends on the documents. It is made again when their number has
changed much, but a tree is abandoned only if it clearly no longer fits, so that topics are stable.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from portico.config.editing import format_topic, name_topic_tree
from portico.config.settings import AUTO_TREE, INDUCED_TREE
from portico.config.topics import read_topics
from portico.errors import ConfigError
from portico.files import write_whole
from portico.pipeline.portal import Portal
from portico.store.meta import keep_tree_choice, read_tree_choice
from portico.types.domain import ShippedTree
from portico.types.stages import StageName
from portico.types.topic import TreeChoice

if TYPE_CHECKING:
    from portico.pipeline.topics.tree_fit import Division, TreeFit

OWN = "own"  # stands for a builder's own file
INDUCED_FILE = "topics-induced.toml"  # in the portal's folder

_INDUCED_HEAD = "# Made from the portal's own documents; topics in here stay when documents are added.\n"

# Share of the documents inside a single-field tree from which it is chosen, and below which it is abandoned.
FITS, STILL_FITS = 0.6, 0.45
# Share of the documents clearly of some field from which the tree of all sciences fits; wild_pdf has .9.
SCIENCES_FIT = 0.5
# Documents (at least this many) are too similar for that tree if this share of those clearly of a field share
# one field, and this share of those in a leaf share one leaf; an induced tree is abandoned below the last
# share. Philosophy of mind and intercropping are too similar, medicine is not.
FEWEST_NARROW, ONE_FIELD, NARROW, STILL_NARROW = 50, 0.7, 0.5, 0.35
# They are too similar too if fewer than this share have a leaf in that tree. An induced tree is abandoned
# above the second share. In law a quarter has a leaf, in medicine half.
DIVIDED, WELL_DIVIDED = 0.4, 0.55
GROWTH = 1.2  # factor of growth (or shrinkage) since the last choice


def choose_tree(portal: Portal) -> TreeChoice:
    """Choose the portal's tree, again if that is due; the reason is recorded in the store."""
    store, settings = portal.store, portal.settings.topics
    earlier = read_tree_choice(store.meta)
    n_documents = store.documents.results.n_done(StageName.EXTRACT)
    trees = portal.domain.trees
    if settings.file:
        choice = TreeChoice(OWN, "the builder's own tree", f"portal.toml names {settings.file}", n_documents)
    elif not trees:
        choice = TreeChoice(OWN, "the declared tree", "it comes with the kind of portal", n_documents)
    elif settings.tree == INDUCED_TREE and not _induce(portal, n_documents, earlier):
        raise ConfigError("too few documents to induce a tree from; `portico topics use auto` goes without")
    elif settings.tree != AUTO_TREE:
        reason = f'portal.toml says tree = "{settings.tree}"'
        choice = TreeChoice(settings.tree, _about(settings.tree, trees), reason, n_documents)
    elif earlier and _is_settled(earlier, n_documents, trees):
        return earlier
    else:
        choice = _look(portal, earlier, n_documents)
    if choice != earlier and n_documents:
        keep_tree_choice(store.meta, choice)
    return choice


def find_tree(portal: Portal) -> Path:
    """The file of the portal's tree."""
    settings, domain = portal.settings.topics, portal.domain
    if settings.file:
        return portal.places.folder / settings.file
    name = settings.tree
    if name == AUTO_TREE:
        choice = read_tree_choice(portal.store.meta)
        name = choice.name if choice else ""
    if name == INDUCED_TREE and domain.trees:
        return portal.places.folder / INDUCED_FILE
    tree = next((tree for tree in domain.trees if tree.name == name), None)
    return tree.file if tree else domain.topics


def read_tree_words(portal: Portal) -> tuple[bytes, ...]:
    """Word statistics of the leaves of shipped trees; a builder's tree may use any of them."""
    files = [tree.words for tree in portal.domain.trees] or [portal.domain.topic_words]
    return tuple(file.read_bytes() for file in files if file.is_file())


def describe_choice(portal: Portal) -> str:
    """Which tree is used, why, and how to change it; empty if there are no topics yet."""
    choice = read_tree_choice(portal.store.meta)
    if choice is None:
        return ""
    change = "; `portico topics use TREE PORTAL` chooses another" if portal.domain.trees else ""
    return choice.describe() + change


def use_tree(portal: Portal, name: str) -> None:
    """Write the name of a tree into portal.toml; it is used from the next build on."""
    settings = portal.places.settings
    write_whole(settings, name_topic_tree(settings.read_text(encoding="utf-8"), name).encode())


def _about(name: str, trees: tuple[ShippedTree, ...]) -> str:
    return next((tree.about for tree in trees if tree.name == name), "a tree made from the documents")


def _is_settled(earlier: TreeChoice, n_documents: int, trees: tuple[ShippedTree, ...]) -> bool:
    """Whether a tree was chosen automatically for about the same number of documents."""
    grown = n_documents / max(earlier.n_documents, 1)
    return earlier.name in {INDUCED_TREE, *(tree.name for tree in trees)} and 1 / GROWTH <= grown <= GROWTH


def _look(portal: Portal, earlier: TreeChoice | None, n_documents: int) -> TreeChoice:
    # Imported here: arrays take half a second to load, which a run without work need not spend.
    from portico.pipeline.topics.tree_fit import measure_fit

    first, last = portal.domain.trees[0], portal.domain.trees[-1]
    fit = measure_fit(portal, first)
    if fit is None:
        return TreeChoice(first.name, first.about, "there are no documents yet", n_documents)
    if fit.n_judged == 0:
        return TreeChoice(last.name, last.about, "no document has enough text to tell its field", n_documents)
    enough = STILL_FITS if earlier and earlier.name == first.name else FITS
    found = f"{fit.n_inside} of the {fit.n_judged} documents with enough text fit {first.about}"
    if fit.n_inside >= enough * fit.n_judged:
        return TreeChoice(first.name, first.about, found, n_documents)
    reason = f"{found}, and {fit.n_sure} of {fit.n_documents} are clearly of a field of {last.about}"
    if fit.n_sure < SCIENCES_FIT * fit.n_documents and _induce(portal, n_documents, earlier):
        return TreeChoice(INDUCED_TREE, _about(INDUCED_TREE, ()), reason, n_documents)
    narrow = _find_narrowness(portal, last, fit, earlier)
    if narrow and _induce(portal, n_documents, earlier):
        return TreeChoice(INDUCED_TREE, _about(INDUCED_TREE, ()), f"{found}, and {narrow}", n_documents)
    return TreeChoice(last.name, last.about, reason, n_documents)


def _find_narrowness(portal: Portal, tree: ShippedTree, fit: "TreeFit", earlier: TreeChoice | None) -> str:
    """Explain why the documents are too similar for a broad tree; "" if they are not."""
    from portico.pipeline.topics.tree_fit import measure_division  # imported here, as above

    if fit.n_documents < FEWEST_NARROW or fit.n_largest_field < ONE_FIELD * fit.n_sure:
        return ""
    is_induced = earlier is not None and earlier.name == INDUCED_TREE
    return describe_narrowness(fit, measure_division(portal, tree), tree.about, is_induced=is_induced)


def describe_narrowness(fit: "TreeFit", divided: "Division", about: str, *, is_induced: bool) -> str:
    """Explain why a broad tree does not divide documents of one field; "" if it does."""
    if divided.n_in_leaves < (WELL_DIVIDED if is_induced else DIVIDED) * divided.n_documents:
        alike = f"{fit.n_largest_field} of the {fit.n_sure} that are clearly of a field are of one"
        few = f"{divided.n_in_leaves} of {divided.n_documents} have a topic below it"
        return f"{alike}, and only {few} in {about}"
    if divided.n_in_largest < (STILL_NARROW if is_induced else NARROW) * max(divided.n_in_leaves, 1):
        return ""
    topic = " › ".join(divided.largest)
    there = f"{divided.n_in_largest} of the {divided.n_in_leaves} documents that have a topic in {about}"
    return f"{there} are in one, {topic}"


def _induce(portal: Portal, n_documents: int, earlier: TreeChoice | None) -> bool:
    """Induce a tree if there is none yet, or if there are many more documents than last time.

    Topics of an earlier tree stay. Returns False if there are too few documents for a tree.
    """
    path = portal.places.folder / INDUCED_FILE
    is_there = path.is_file()
    if is_there and earlier and earlier.name == INDUCED_TREE and n_documents <= GROWTH * earlier.n_documents:
        return True
    from portico.pipeline.topics.tree_fit import induce_leaves  # imported here, as above

    found = induce_leaves(portal, read_topics(path) if is_there else ())
    if found:
        topics = "\n".join(format_topic(each.topic, remarks=each.remarks()) for each in found)
        write_whole(path, f"{_INDUCED_HEAD}\n{topics}".encode())
    return bool(found)
