"""Induces a topic tree from the documents of a collection: two levels, with names and keywords.

Documents with similar words are grouped, and then the groups; both are named with phrases that occur in them
more often than elsewhere. The result does not depend on the order of the documents. If there is an earlier
tree, it is left unchanged, and new topics are made only from documents without any of its keywords.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from portico.classify.expected_words import WordCompany
from portico.classify.features import AUTHOR_SIGN, Vocabulary, build_vocabulary
from portico.classify.keywords import compile_keywords
from portico.classify.phrases import Phrase, find_phrases, tell_groups_apart
from portico.learn.clusters import average_groups, group_rows, join_spaces, reduce_rows, weigh_rows
from portico.learn.counts import Table
from portico.text.function_words import ALWAYS_SAID, FUNCTION_WORDS
from portico.text.stemming import stem_tokens
from portico.types.topic import Topic, TopicSuggestion, TopicText

N_KEYWORDS = 10
N_EXAMPLES = 4
LEAST_DOCUMENTS = 3  # of a leaf
MOST_DOCUMENTS = 3000  # that a tree is made from: enough to see its groups, in some seconds
N_DIMENSIONS = 60  # of the space in which documents are compared
LEAST_LEAVES, MOST_LEAVES = 4, 40
LEAST_BRANCHES, MOST_BRANCHES = 2, 8
# The least share of the documents of a branch that contain its name. Judged on papers of law, medicine and
# economics: with less, names are random ("Climate Change › Anxiety Disorders"), with .2 half get none.
LEAST_SAID = 0.2
# A phrase is a better name the nearer it is to the subject of the documents. The first is the weight of a
# phrase with no nearness, the second the least nearness of a branch name. Judged on the same papers.
FAR, LEAST_NEAR = 0.2, 0.3


def induce(
    texts: Sequence[TopicText],
    *,
    n_leaves: int | None = None,
    earlier: Sequence[Topic] = (),
    company: WordCompany | None = None,
) -> tuple[TopicSuggestion, ...]:
    """The leaves of a tree for these documents, branch by branch, the largest branch first.

    Empty if there are too few documents. There are at most `n_leaves`, by default a little more than the
    square root of the number of documents. Leaves of an `earlier` tree come first, unchanged. With `company`,
    documents are also similar if their words often occur together elsewhere.
    """
    sample = sorted(texts, key=lambda text: text.document)[:MOST_DOCUMENTS]
    if earlier:
        return _grown(sample, earlier, company)
    space = _compare(sample, company)
    if space is None or len(sample) < 2 * LEAST_DOCUMENTS:
        return ()
    leaves = _without_small(space.rows, group_rows(space.rows, n_leaves or choose_n_leaves(len(sample))))
    n_found = len(set(leaves))
    n_branches = min(MOST_BRANCHES, max(LEAST_BRANCHES, round(math.sqrt(n_found))))
    branch_of = group_rows(average_groups(space.rows, leaves, n_found), n_branches)
    return _tree(_Grouped(sample, leaves, branch_of, space))


def choose_n_leaves(n_documents: int) -> int:
    """How many leaves to make from this many documents: 10 for 60, 23 for 300, at most 40."""
    return min(MOST_LEAVES, max(LEAST_LEAVES, round(1.3 * math.sqrt(n_documents))))


def suggest_leaves(
    texts: Sequence[TopicText],
    *,
    n_topics: int,
    above: tuple[str, ...] = (),
    company: WordCompany | None = None,
) -> tuple[TopicSuggestion, ...]:
    """At most `n_topics` leaves under the node `above`, each a group of the documents, the largest first.

    Empty if there are too few documents.
    """
    space = _compare(texts, company) if len(texts) >= LEAST_DOCUMENTS else None
    if space is None:
        return ()
    groups = _without_small(space.rows, group_rows(space.rows, n_topics))
    return _tree(_Grouped(texts, groups, list(range(len(groups))), space), above)


@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """Vectors of the documents, one row each: documents with similar words are near each other.

    `vectors` are the positions of the documents among the word vectors of `company`; they help to choose
    names.
    """

    rows: Table
    company: WordCompany | None = None
    vectors: "Table | None" = None

    def measure_nearness(self, rows: Sequence[int], phrases: Sequence[Phrase]) -> list[float]:
        """How near every phrase is to the mean of these documents; 1 for all if there are no word
        vectors.
        """
        if self.company is None or self.vectors is None:
            return [1.0] * len(phrases)
        return self.company.measure_nearness(self.vectors[rows], [phrase.key.split() for phrase in phrases])


@dataclass(frozen=True, slots=True, eq=False)
class _Grouped:
    """Documents, the leaf of each, the branch of every leaf, and the vectors of the documents."""

    texts: Sequence[TopicText]
    leaves: Sequence[int]
    branch_of: Sequence[int]
    space: _Space

    def members(self, leaf: int) -> list[int]:
        return [row for row, group in enumerate(self.leaves) if group == leaf]

    def list_telling(self, leaf: int, found: Sequence[tuple[float, Phrase]]) -> list[Phrase]:
        """The typical phrases of a leaf, those closest to its subject first."""
        phrases, members = [phrase for _, phrase in found], self.members(leaf)
        near = self.space.measure_nearness(members, phrases)
        worth = {
            phrase.key: score * (FAR + max(nearness, 0.0)) * math.sqrt(len(phrase.rows.keys() & members))
            for (score, phrase), nearness in zip(found, near, strict=True)
        }
        return sorted(phrases, key=lambda phrase: (-worth[phrase.key], phrase.key))

    def examples(self, leaf: int) -> tuple[str, ...]:
        """Titles of the most central documents of a leaf."""
        rows = self.members(leaf)
        middle = self.space.rows[rows].mean(axis=0)
        nearest = sorted(rows, key=lambda row: (-float(self.space.rows[row] @ middle), row))
        titles = dict.fromkeys(" ".join(self.texts[row].title.split()) for row in nearest)
        return tuple(filter(None, titles))[:N_EXAMPLES]


def _compare(texts: Sequence[TopicText], company: WordCompany | None) -> _Space | None:
    """The vectors of the documents; None if no word in them is usable.

    Similarity comes from the documents themselves and from the vectors of `company`. On samples of 100
    documents from five labeled sets, using both finds .05 to .1 more of the labels (normalized mutual
    information).
    """
    told = Vocabulary(tuple(word for word in build_vocabulary(texts).words if _tells(word)))
    if not told.words:
        return None
    counts = told.count(texts)
    space = reduce_rows(weigh_rows(counts), N_DIMENSIONS)
    if company is None:
        return _Space(space)
    vectors = company.describe_texts(counts, told)
    return _Space(join_spaces(space, vectors), company, vectors)


def _tells(word: str) -> bool:
    """Whether a word may make documents similar: not author names, nor words that any paper may contain."""
    return not word.startswith(AUTHOR_SIGN) and word not in _list_empty_words()


@cache
def _list_empty_words() -> frozenset[str]:
    """Function words and common academic words, with their stems in every language."""
    stems = (stem for language in FUNCTION_WORDS for stem in stem_tokens(ALWAYS_SAID, language))
    return ALWAYS_SAID.union(*FUNCTION_WORDS.values(), stems)


def _without_small(space: Table, groups: Sequence[int]) -> list[int]:
    """The groups renumbered, with documents of groups that are too small moved to the nearest other
    group.
    """
    sizes = Counter(groups)
    kept = [group for group, size in sorted(sizes.items()) if size >= LEAST_DOCUMENTS] or [groups[0]]
    numbers = {group: number for number, group in enumerate(kept)}
    means = average_groups(space, [numbers.get(group, -1) for group in groups], len(kept))
    nearest = (space @ means.T).argmax(axis=1).tolist()
    return [numbers.get(group, near) for group, near in zip(groups, nearest, strict=True)]


def _tree(grouped: _Grouped, above: tuple[str, ...] = ()) -> tuple[TopicSuggestion, ...]:
    """The leaves with names and keywords; a branch with a single leaf gets no level of its own."""
    phrases = find_phrases(grouped.texts)
    sizes = Counter(grouped.leaves)
    names = _Names({name.casefold() for name in above})
    tops = _branches(grouped, phrases, names)
    found: dict[int, TopicSuggestion] = {}
    telling = tell_groups_apart(phrases, grouped.leaves)
    owners = _find_owners(telling)
    for leaf, size in sorted(sizes.items(), key=lambda each: (-each[1], each[0])):
        own = grouped.list_telling(leaf, telling.get(leaf, ()))
        name = names.take(own)
        if name:
            top = tops.get(grouped.branch_of[leaf])
            path = (*above, top, name) if top else (*above, name)
            found[leaf] = TopicSuggestion(
                Topic(path, _keywords([phrase for phrase in own if owners[phrase.key] == leaf] or own)),
                size,
                grouped.examples(leaf),
            )
    weight: Counter[tuple[str, ...]] = Counter()
    for each in found.values():
        weight[each.topic.path[: len(above) + 1]] += each.n_documents
    heads = {leaf: each.topic.path[: len(above) + 1] for leaf, each in found.items()}
    order = sorted(
        found, key=lambda leaf: (-weight[heads[leaf]], heads[leaf], -found[leaf].n_documents, leaf)
    )
    return tuple(found[leaf] for leaf in order)


def _branches(grouped: _Grouped, phrases: Sequence[Phrase], names: "_Names") -> dict[int, str]:
    """The names of branches with several leaves: phrases that occur in most of these. Some branches have
    none.
    """
    leaves_of: dict[int, set[int]] = defaultdict(set)
    for leaf in set(grouped.leaves):
        leaves_of[grouped.branch_of[leaf]].add(leaf)
    telling = tell_groups_apart(phrases, [grouped.branch_of[leaf] for leaf in grouped.leaves])
    sizes = Counter(grouped.branch_of[leaf] for leaf in grouped.leaves)
    tops: dict[int, str] = {}
    for branch, _ in sorted(sizes.items(), key=lambda each: (-each[1], each[0])):
        if len(leaves_of[branch]) > 1:
            scored = [
                (score * share**2, phrase)
                for score, phrase in telling.get(branch, ())
                if (share := _spread(phrase, grouped.leaves, leaves_of[branch]))
            ]
            rows = [row for row, leaf in enumerate(grouped.leaves) if leaf in leaves_of[branch]]
            near = grouped.space.measure_nearness(rows, [phrase for _, phrase in scored])
            worth = [
                (score * (FAR + nearness), phrase)
                for (score, phrase), nearness in zip(scored, near, strict=True)
                if nearness >= LEAST_NEAR
            ]
            broad = sorted(worth, key=lambda each: (each[1].is_weak, -each[0], each[1].key))
            name = names.take([phrase for _, phrase in broad])
            if name:
                tops[branch] = name
    return tops


def _spread(phrase: Phrase, leaves: Sequence[int], wanted: set[int]) -> float:
    """The share of these leaves with documents that contain the phrase; 0 if too few leaves or documents
    do.
    """
    said = [leaves[row] for row, weight in phrase.rows.items() if weight == 1.0 and leaves[row] in wanted]
    n_documents = sum(leaf in wanted for leaf in leaves)
    if len(set(said)) < max(2, len(wanted) / 2) or len(said) < LEAST_SAID * n_documents:
        return 0.0
    return len(set(said)) / len(wanted)


class _Names:
    """The names given so far, because no two topics of a tree may have the same name."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def take(self, candidates: Sequence[Phrase]) -> str:
        """The first phrase that is not yet the name of a topic, or "" if all are taken."""
        for phrase in candidates:
            if phrase.key not in self._taken:
                self._taken.add(phrase.key)
                return phrase.name
        return ""


def _find_owners(telling: Mapping[int, Sequence[tuple[float, Phrase]]]) -> dict[str, int]:
    """For every phrase, the leaf it is most typical of, which is the only one to have it as a keyword."""
    best: dict[str, tuple[float, int]] = {}
    for leaf, found in sorted(telling.items()):
        for score, phrase in found:
            if phrase.key not in best or score > best[phrase.key][0]:
                best[phrase.key] = (score, leaf)
    return {key: leaf for key, (_, leaf) in best.items()}


def _keywords(telling: Sequence[Phrase]) -> tuple[str, ...]:
    """The keywords of a leaf, in lower case, as they are printed in the documents."""
    return tuple(dict.fromkeys(phrase.name.casefold() for phrase in telling))[:N_KEYWORDS]


def _grown(
    texts: Sequence[TopicText], earlier: Sequence[Topic], company: WordCompany | None
) -> tuple[TopicSuggestion, ...]:
    """The earlier tree, with new topics for documents without any of its keywords if there are enough of
    them.
    """
    keywords = compile_keywords(earlier)
    n_at: Counter[int] = Counter()
    strangers: list[TopicText] = []
    for text in texts:
        shown = Counter(leaf for number in keywords.own(text) for leaf in keywords.all[number].leaves)
        if not shown:
            shown = Counter(leaf for number in keywords.near(text) for leaf in keywords.all[number].leaves)
        if shown:
            n_at[min(shown, key=lambda leaf: (-shown[leaf], leaf))] += 1
        else:
            strangers.append(text)
    kept = tuple(TopicSuggestion(topic, n_at[leaf], ()) for leaf, topic in enumerate(earlier))
    size = max(LEAST_DOCUMENTS, n_at.total() / max(len(earlier), 1))
    if len(strangers) < 2 * size:
        return kept
    taken = {name for topic in earlier for name in topic.path}
    fresh = induce(strangers, n_leaves=max(1, round(len(strangers) / size)), company=company)
    return kept + tuple(each for each in fresh if taken.isdisjoint(each.topic.path))
