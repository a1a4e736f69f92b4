"""Keywords of the topic tree: which ones a document contains, and which ones need a warning."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from portico.text.function_words import FUNCTION_WORDS
from portico.text.stemming import split_stems
from portico.text.words import split_words
from portico.types.topic import Topic, TopicText


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word or phrase as the builder wrote it, its English stems, and the leaves it belongs to."""

    written: str
    stems: tuple[str, ...]
    leaves: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeywordForms:
    """The keywords as they appear in documents of one language, and an index of them by their first word."""

    stems: dict[int, tuple[str, ...]]  # by number of the keyword; some have none
    by_first: dict[str, tuple[int, ...]]

    def in_title(self, title: Sequence[str]) -> Iterator[int]:
        """Numbers of the keywords whose words are all in the title, in any order, since titles are short."""
        present = set(title)
        for word in present:
            for number in self.by_first.get(word, ()):
                if present.issuperset(self.stems[number]):
                    yield number

    def in_prose(self, prose: Sequence[str]) -> Iterator[int]:
        """Numbers of the keywords whose words occur next to each other in the text; one may occur
        repeatedly.
        """
        by_first = self.by_first
        for place in [place for place, word in enumerate(prose) if word in by_first]:
            for number in by_first[prose[place]]:
                stems = self.stems[number]
                if len(stems) == 1 or tuple(prose[place : place + len(stems)]) == stems:
                    yield number


@dataclass(frozen=True, slots=True)
class Keywords:
    """All keywords in the order of the tree, and their forms by language.

    A tree may be in any language: a document contains a keyword if both have the same stems by the rules of
    the document's language.
    """

    all: tuple[Keyword, ...]
    forms: dict[str, KeywordForms]

    def in_title(self, text: TopicText) -> set[int]:
        """Numbers of the keywords in the document's title."""
        return set(self._forms_for(text).in_title(split_stems(text.title, text.language)))

    def own(self, text: TopicText) -> list[int]:
        """Numbers of the keywords in the document's title or abstract, each once."""
        prose = split_stems(text.abstract, text.language)
        return sorted(self.in_title(text).union(self._forms_for(text).in_prose(prose)))

    def near(self, text: TopicText) -> list[int]:
        """Numbers of the keywords in the titles a document cites or is cited by, once per title."""
        forms = self._forms_for(text)
        return [
            number
            for title in list_neighbor_titles(text)
            for number in forms.in_title(split_stems(title, text.language))
        ]

    def list_stems(self, languages: Sequence[str] = ()) -> Iterator[tuple[Keyword, tuple[str, ...]]]:
        """Every keyword with its stems in English and in each of these languages, without duplicates."""
        for number, keyword in enumerate(self.all):
            forms = [self.forms[language].stems.get(number, ()) for language in languages]
            yield from ((keyword, stems) for stems in dict.fromkeys([keyword.stems, *forms]) if stems)

    def _forms_for(self, text: TopicText) -> KeywordForms:
        return self.forms.get(text.language, self.forms[_ENGLISH])


_ENGLISH = "en"


def list_neighbor_titles(text: TopicText) -> tuple[str, ...]:
    return text.cited_titles + text.citing_titles


def compile_keywords(topics: Sequence[Topic]) -> Keywords:
    """The keywords of the tree; for a leaf without usable keywords, its name."""
    leaves: dict[tuple[str, ...], list[int]] = {}
    written: dict[tuple[str, ...], str] = {}
    for leaf, topic in enumerate(topics):
        for stems, as_written in _usable(topic):
            written.setdefault(stems, as_written)
            if leaf not in leaves.setdefault(stems, []):
                leaves[stems].append(leaf)
    keywords = tuple(Keyword(written[stems], stems, tuple(owners)) for stems, owners in leaves.items())
    return Keywords(keywords, {language: _make_forms(keywords, language) for language in FUNCTION_WORDS})


def _make_forms(keywords: Sequence[Keyword], language: str) -> KeywordForms:
    """The keywords in the form of a language; keywords with the same leaves and the same form are kept
    once.
    """
    found: dict[int, tuple[str, ...]] = {}
    by_first: dict[str, tuple[int, ...]] = {}
    seen: set[tuple[tuple[str, ...], tuple[int, ...]]] = set()
    for number, keyword in enumerate(keywords):
        stems = tuple(split_stems(keyword.written, language))
        if stems and (stems, keyword.leaves) not in seen:
            seen.add((stems, keyword.leaves))
            found[number] = stems
            by_first[stems[0]] = (*by_first.get(stems[0], ()), number)
    return KeywordForms(found, by_first)


def _usable(topic: Topic) -> list[tuple[tuple[str, ...], str]]:
    """The keywords of a topic that are more than stop words, as stems and as written; its name if there
    are none.
    """
    for candidates in (topic.keywords, (topic.name,)):
        usable = [(stems, keyword) for keyword in candidates if (stems := tuple(split_words(keyword)))]
        if usable:
            return usable
    return []


# A keyword in more than this share of the documents says little about any of them.
EVERYWHERE_SHARE = 0.5
MOST_NAMED = 3  # shared keywords that get a sentence each
EVERYWHERE_DOCUMENTS = 20  # with fewer documents, half of them may well be about the same thing


def write_notices(
    topics: Sequence[Topic], keywords: Keywords, frequency: Sequence[float], n_documents: int
) -> tuple[str, ...]:
    """One sentence per problematic leaf or keyword; `frequency` is the number of documents with each
    keyword.
    """
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
    shared = [keyword.written for keyword in keywords.all if len(keyword.leaves) > 1]
    if len(shared) > MOST_NAMED:
        some = ", ".join(f'"{word}"' for word in shared[:MOST_NAMED])
        return [
            (
                f"{len(shared)} keywords stand in several topics and count in equal parts for each, "
                f"among them {some}"
            )
        ]
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
        f'the keyword "{keyword.written}" is in {n_seen:.0f} of {n_documents} documents and says little'
        for keyword, n_seen in zip(keywords.all, frequency, strict=True)
        if n_seen > EVERYWHERE_SHARE * n_documents
    ]
    unseen = [keyword.written for keyword, n_seen in zip(keywords.all, frequency, strict=True) if not n_seen]
    if unseen:
        found.append(f"{len(unseen)} keywords are in no document, among them {', '.join(unseen[:5])}")
    return found
