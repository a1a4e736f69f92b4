"""The words behind every leaf of the topic tree: the builder's keywords, and learned words."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from portico.classify.classifier import TopicModel
from portico.classify.keywords import Keywords, compile_keywords
from portico.classify.phrases import find_pairs
from portico.errors import ConfigError
from portico.pipeline.portal import Portal
from portico.pipeline.topics.topic_model import load_topic_model
from portico.pipeline.topics.topic_texts import read_topic_texts
from portico.pipeline.topics.topic_tree import read_tree
from portico.text.words import find_nearest, split_words
from portico.types.topic import Topic, TopicText

N_PHRASES = 4


def describe_keywords(portal: Portal, node: str, n_words: int) -> Iterator[str]:
    """Yield a few lines per leaf at or under the node (all leaves if it is empty)."""
    topics = read_tree(portal)
    model = load_topic_model(portal, topics)
    if model is None:
        raise ConfigError("this tree is not learned yet; run `portico build` for this portal first")
    wanted = [leaf for leaf, topic in enumerate(topics) if f"{topic}/".startswith(f"{node}/" if node else "")]
    if not wanted:
        nodes = {"/".join(topic.path[:depth]) for topic in topics for depth in range(1, len(topic.path) + 1)}
        hint = find_nearest(node, sorted(nodes))
        raise ConfigError(f'there is no topic "{node}"{f"; did you mean {hint}?" if hint else ""}')
    texts = read_topic_texts(portal.store)
    keywords = compile_keywords(topics)
    seen = Counter(number for text in texts for number in keywords.own(text))
    titles = _group_titles(portal, texts)
    for leaf in wanted:
        yield from _describe_leaf(
            topics[leaf], _format_keywords(keywords, leaf, seen), n_words, model, titles
        )
    yield 'A word that should not speak for a topic: write not = ["word"] below its keywords and build again.'


def _describe_leaf(
    topic: Topic,
    shown: Sequence[str],
    n_words: int,
    model: TopicModel,
    titles: dict[tuple[str, ...], list[str]],
) -> Iterator[str]:
    leaf = next(number for number, each in enumerate(model.topics) if each.path == topic.path)
    own = set(split_words("\n".join(topic.keywords)))
    learned = [word for word in model.learned(leaf, n_words=n_words + len(own)) if word not in own][:n_words]
    yield str(topic)
    yield f"  keywords  {', '.join(shown)}"
    yield f"  learned   {', '.join(learned) or '(nothing yet)'}"
    found = find_pairs(titles.get(topic.path, ()), {*own, *learned}, most=N_PHRASES)
    if found:
        yield f"  phrases   {', '.join(found)}"
    if topic.vetoed:
        yield f"  not       {', '.join(topic.vetoed)}"
    yield ""


def _format_keywords(keywords: Keywords, leaf: int, seen: Counter[int]) -> list[str]:
    return [
        f"{keyword.written} ({seen[number]})"
        for number, keyword in enumerate(keywords.all)
        if leaf in keyword.leaves
    ]


def _group_titles(portal: Portal, texts: Sequence[TopicText]) -> dict[tuple[str, ...], list[str]]:
    """Group the titles of documents by topic."""
    title_of = {text.document: text.title for text in texts}
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for place in portal.store.catalog.topics.assignments():
        found[place.path].append(title_of.get(place.document, ""))
    return found
