"""The papers' words and phrases: nothing stemmed, phrases in order, nothing of papers that cite a text."""

from portico.lab.faithful.printed_topics import count_printed_words, label_by_phrases
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

TOPICS = (Topic(("Learning",), ("neural networks", "learning")), Topic(("Networks",), ("networks",)))


def make_text(title: str, *, cited: tuple[str, ...] = (), citing: tuple[str, ...] = ()) -> TopicText:
    return TopicText(DocumentId(title), title, cited_titles=cited, citing_titles=citing)


def test_a_phrase_must_stand_as_it_is_written() -> None:
    texts = [
        make_text("Neural networks"),
        make_text("Networks of neural tissue"),
        make_text("A neural network"),
        make_text("Nothing", cited=("Learning to read",)),
        make_text("Nothing", citing=("Learning to read",)),
    ]
    assert label_by_phrases(texts, TOPICS).tolist() == [[1, 0], [0, 1], [0, 0], [1, 0], [0, 0]]


def test_words_are_not_stemmed_and_stop_words_are_left_out() -> None:
    counts = count_printed_words([make_text("The network of networks"), make_text("network")])
    assert counts.toarray().tolist() == [[1, 1], [1, 0]]
