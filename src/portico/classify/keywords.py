"""Keywords of the topic tree: which a document shows, and what a builder should know about them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from portico.text.words import split_words
from portico.types.topic import Topic, TopicText


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word or phrase as the builder wrote it, as it is compared, and the leaves it speaks for."""

    written: str
    stems: tuple[str, ...]
    leaves: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Keywords:
    """All keywords in the order of the tree, and where to look them up by their first word."""

    all: tuple[Keyword, ...]
    by_first: dict[str, tuple[int, ...]]

    def in_title(self, title: Sequence[str]) -> Iterable[int]:
        """Keywords all of whose words the title has, in any order: titles are short enough for that."""
        present = set(title)
        for word in present:
            for number in self.by_first.get(word, ()):
                if present.issuperset(self.all[number].stems):
                    yield number

    def in_prose(self, prose: Sequence[str]) -> Iterable[int]:
        """Keywords whose words stand side by side somewhere in the text."""
        for place, word in enumerate(prose):
            for number in self.by_first.get(word, ()):
                stems = self.all[number].stems
                if len(stems) == 1 or tuple(prose[place : place + len(stems)]) == stems:
                    yield number

    def own(self, text: TopicText) -> list[int]:
        """Numbers of the keywords the document's title or abstract shows, each once."""
        found = {*self.in_title(split_words(text.title)), *self.in_prose(split_words(text.abstract))}
        return sorted(found)

    def near(self, text: TopicText) -> list[int]:
        """Numbers of the keywords the titles around it show, once a title."""
        return [
            number for title in list_neighbor_titles(text) for number in self.in_title(split_words(title))
        ]


def list_neighbor_titles(text: TopicText) -> tuple[str, ...]:
    return text.cited_titles + text.citing_titles


def compile_keywords(topics: Sequence[Topic]) -> Keywords:
    """The keywords of the tree; a leaf without any that can be looked for is looked for by its name."""
    leaves: dict[tuple[str, ...], list[int]] = {}
    written: dict[tuple[str, ...], str] = {}
    for leaf, topic in enumerate(topics):
        for stems, as_written in _usable(topic):
            written.setdefault(stems, as_written)
            if leaf not in leaves.setdefault(stems, []):
                leaves[stems].append(leaf)
    keywords = tuple(Keyword(written[stems], stems, tuple(owners)) for stems, owners in leaves.items())
    by_first: dict[str, tuple[int, ...]] = {}
    for number, keyword in enumerate(keywords):
        by_first[keyword.stems[0]] = (*by_first.get(keyword.stems[0], ()), number)
    return Keywords(keywords, by_first)


def _usable(topic: Topic) -> list[tuple[tuple[str, ...], str]]:
    """Keywords with a word that is no stop word, in both forms; the leaf's name where there is none."""
    for candidates in (topic.keywords, (topic.name,)):
        usable = [(stems, keyword) for keyword in candidates if (stems := tuple(split_words(keyword)))]
        if usable:
            return usable
    return []


# A keyword in more than this share of the documents tells little about any of them.
EVERYWHERE_SHARE = 0.5
EVERYWHERE_DOCUMENTS = 20  # in fewer documents, half of them may well be about one thing


def write_notices(
    topics: Sequence[Topic], keywords: Keywords, frequency: Sequence[float], n_documents: int
) -> tuple[str, ...]:
    """One sentence a doubtful leaf or keyword; `frequency` says in how many documents each was seen."""
    return (
        *_about_leaves(topics),
        *_about_shared(topics, keywords),
        *_about_frequency(keywords, frequency, n_documents),
    )


def _about_leaves(topics: Sequence[Topic]) -> list[str]:
    found = []
    for topic in topics:
        useless = [keyword for keyword in topic.keywords if not split_words(keyword)]
        found += [
            f'topic "{topic}": the keyword "{keyword}" is a stop word and was left out' for keyword in useless
        ]
        if len(useless) == len(topic.keywords):
            found.append(f'topic "{topic}" has no keywords; its name is used instead')
    return found


def _about_shared(topics: Sequence[Topic], keywords: Keywords) -> list[str]:
    return [
        f'the keyword "{keyword.written}" stands in {len(keyword.leaves)} topics '
        f"({', '.join(str(topics[leaf]) for leaf in keyword.leaves)}) and counts in equal parts for each"
        for keyword in keywords.all
        if len(keyword.leaves) > 1
    ]


def _about_frequency(keywords: Keywords, frequency: Sequence[float], n_documents: int) -> list[str]:
    if n_documents < EVERYWHERE_DOCUMENTS:
        return []
    found = [
        f'the keyword "{keyword.written}" is in {n_seen:.0f} of {n_documents} documents and tells little'
        for keyword, n_seen in zip(keywords.all, frequency, strict=True)
        if n_seen > EVERYWHERE_SHARE * n_documents
    ]
    unseen = [keyword.written for keyword, n_seen in zip(keywords.all, frequency, strict=True) if not n_seen]
    if unseen:
        found.append(f"{len(unseen)} keywords are in no document, among them {', '.join(unseen[:5])}")
    return found
