"""New leaves for a topic tree: groups of documents with names, keywords and examples."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from portico.classify.features import AUTHOR_SIGN, build_vocabulary
from portico.learn.clusters import cluster_rows, find_telling_columns, weigh_rows
from portico.text.words import split_tokens, split_words
from portico.types.topic import Topic, TopicSuggestion, TopicText

N_KEYWORDS = 8
N_EXAMPLES = 4
LEAST_DOCUMENTS = 3  # a group of fewer is no topic


def suggest_leaves(
    texts: Sequence[TopicText], *, n_topics: int, above: tuple[str, ...] = ()
) -> tuple[TopicSuggestion, ...]:
    """At most so many leaves under the node `above`, each a group of the documents, the largest first.

    None where there are too few documents.
    """
    if len(texts) < LEAST_DOCUMENTS:
        return ()
    known = build_vocabulary(texts)
    groups = cluster_rows(weigh_rows(known.count(texts)), n_topics)
    members: dict[int, list[int]] = {}
    for row, number in enumerate(groups.hard()):
        members.setdefault(number, []).append(row)
    found = []
    for number, rows in members.items():
        if len(rows) < LEAST_DOCUMENTS:
            continue
        columns = find_telling_columns(groups, number, least=3 * N_KEYWORDS)
        telling = [word for column in columns if not (word := known.words[column]).startswith(AUTHOR_SIGN)]
        if not telling:
            continue
        phrase = find_phrases([texts[row].title for row in rows], telling[:N_KEYWORDS], most=1)
        keywords = tuple(dict.fromkeys([*phrase, *telling]))[:N_KEYWORDS]
        name = phrase[0] if phrase else " ".join(telling[:2])
        middle = sorted(rows, key=lambda row: (-float(groups.similarity[row, number]), row))
        titles = dict.fromkeys(" ".join(texts[row].title.split()) for row in middle)
        leaf = Topic((*above, name.title()), keywords)
        found.append(TopicSuggestion(leaf, len(rows), tuple(filter(None, titles))[:N_EXAMPLES]))
    return _told_apart(sorted(found, key=lambda each: (-each.n_documents, each.topic.path)))


def find_phrases(titles: Sequence[str], telling: Collection[str], *, most: int) -> list[str]:
    """Two words, one of them telling, that stand side by side in most titles; in more than one at least."""
    pairs = Counter[str]()
    for title in titles:
        spoken = [token for token in split_tokens(title) if split_words(token)]
        pairs.update(
            {f"{a} {b}" for a, b in pairwise(spoken) if not set(split_words(f"{a} {b}")).isdisjoint(telling)}
        )
    best = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    return [pair for pair, n_titles in best if n_titles >= 2]


def _told_apart(found: Sequence[TopicSuggestion]) -> tuple[TopicSuggestion, ...]:
    """Of suggestions with the same name the first keeps it, others add a keyword to it."""
    named: dict[str, TopicSuggestion] = {}
    for each in found:
        leaf = each.topic
        names = (leaf.name, *(f"{leaf.name} ({word})" for word in leaf.keywords))
        name = next((name for name in names if name not in named), None)
        if name:
            named[name] = replace(each, topic=replace(leaf, path=(*leaf.path[:-1], name)))
    return tuple(named.values())
