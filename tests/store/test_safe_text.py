"""Text from outside is kept whatever it contains, and found again by the same text."""

from hypothesis import given
from hypothesis import strategies as st

from portico.store.documents.failures import NewFailure
from portico.store.documents.pages import FILE, FileState, PageRow
from portico.store.opening import Store
from portico.store.safe_text import make_storable


@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_stored(words: str) -> None:
    kept = make_storable(words)
    assert "\0" not in kept
    assert kept.encode("utf-8").decode("utf-8") == kept
    assert make_storable(kept) == kept


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_good_text_is_stored_as_it_is(words: str) -> None:
    assert make_storable(words) == words


def test_odd_names_and_headers_are_stored_and_found_again(store: Store) -> None:
    name = "caf\udce9.pdf"  # a file name in Latin-1, as the file system gives it
    store.documents.pages.put([PageRow(name, FILE, 1.0, origin="..", etag="\udcff", n_bytes=3, mtime_ns=4)])
    store.documents.failures.put(NewFailure("read", name, name, "InputError", "half \ud83d and \0", 1.0))
    row = store.documents.pages.get(name)
    assert row is not None
    assert (row.source, row.etag) == ("caf\ufffd.pdf", "\ufffd")
    assert store.documents.pages.files("..") == {"caf\ufffd.pdf": FileState(3, 4)}
    assert [failure.reason for failure in store.documents.failures.all()] == ["half \ufffd and \ufffd"]
    store.documents.failures.clear("read", [name])
    store.documents.pages.remove([name])
    assert store.documents.pages.get(name) is None
    assert list(store.documents.failures.all()) == []
