"""What a builder should know about the keywords of a topic tree, said in sentences."""

from collections.abc import Sequence

from portico.classify.keywords import Keywords
from portico.text.words import split_words
from portico.types.topic import Topic

# A keyword in more than this share of the documents tells little about any of them.
EVERYWHERE_SHARE = 0.5
EVERYWHERE_DOCUMENTS = 20  # in fewer documents, half of them may well be about one thing


def notices_about(
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
