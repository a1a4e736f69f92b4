"""Words are the same to visitors as to the engine."""

import tantivy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from portico.index.schema import LONGEST_WORD, WORDS, register_tokenizer, split_words, to_indexable

# The longest word that is kept, and one that is too long.
EDGES = f"{'a' * (LONGEST_WORD - 1)} {'b' * LONGEST_WORD}"


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="aZ09_-.' \t\n\x00\x7f\x1c", max_size=60))
@example(EDGES)
@example("Sólo café: state-of-the-art, X_2\x1d(½)")
def test_words_are_those_that_the_engine_writes(text: str) -> None:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name=WORDS)
    index = register_tokenizer(tantivy.Index(builder.build()))
    writer = index.writer(15_000_000, 1)
    document = tantivy.Document()
    document.add_text("text", to_indexable(text))
    writer.add_document(document)
    writer.commit()
    index.reload()
    written = index.searcher().terms_with_prefix("text", "")
    assert {word for word, _ in written} == set(split_words(text))
