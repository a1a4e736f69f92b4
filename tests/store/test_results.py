"""Finished work is known by its key; what failed is a row with its reason; both are written together."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from sqlalchemy import event

from portico.store.codec import digest, encode
from portico.store.documents.failures import FailureCounts, FailureGroup, NewFailure
from portico.store.documents.pages import WEB, PageRow
from portico.store.documents.results import Done, Failed, StageCounts
from portico.store.opening import Store
from portico.types.page import BodyHash


def done(subject: str, *, key: str = "k1", value: str = "v") -> Done:
    return Done(subject, key, encode((subject, value)), 0.5, 10.0)


def failed(subject: str, *, key: str = "k1", reason: str = "no text", passing: bool = False) -> Failed:
    return Failed(subject, key, f"http://{subject}/", "Unreadable", reason, 0.25, 11.0, "trace", passing)


def test_done_and_failed_in_one_batch(store: Store) -> None:
    store.documents.results.put_many("convert", [done("a"), failed("b")])
    assert store.documents.results.keys("convert") == {"a": "k1", "b": "k1"}
    assert store.documents.results.get("convert", "a") == encode(("a", "v"))
    assert store.documents.results.get("convert", "b") is None
    assert store.documents.results.get("extract", "a") is None
    assert store.documents.results.digests("convert") == {"a": digest(encode(("a", "v")))}
    assert store.documents.results.counts() == {"convert": StageCounts(1, 1, 0.75)}
    (failure,) = store.documents.failures.all()
    assert (failure.source, failure.reason, failure.detail, failure.attempts) == (
        "http://b/",
        "no text",
        "trace",
        1,
    )


def test_success_removes_the_failure_and_failure_the_success(store: Store) -> None:
    store.documents.results.put_many("convert", [done("a"), failed("b")])
    store.documents.results.put_many("convert", [failed("a"), done("b")])
    assert [failure.subject for failure in store.documents.failures.all()] == ["a"]
    assert store.documents.results.get("convert", "a") is None
    assert store.documents.results.get("convert", "b") is not None


def test_stages_do_not_touch_each_other(store: Store) -> None:
    store.documents.results.put_many("convert", [failed("a")])
    store.documents.results.put_many("extract", [done("a")])
    assert [failure.stage for failure in store.documents.failures.all()] == ["convert"]


def test_attempts_count_only_what_was_tried_the_same_way(store: Store) -> None:
    for key, attempts in (("k1", 1), ("k1", 2), ("k2", 1), ("k2", 2), ("k2", 3)):
        store.documents.results.put_many(
            "convert", [failed("a", key=key, passing=True), failed("b", key=key)]
        )
        assert {failure.attempts for failure in store.documents.failures.all()} == {attempts}
    assert {failure.subject: failure.passing for failure in store.documents.failures.all()} == {
        "a": True,
        "b": False,
    }


@pytest.mark.parametrize("n_rows", [0, 1, 64, 65, 700])
def test_payloads_come_in_order_of_subject(store: Store, n_rows: int) -> None:
    subjects = [sha256(str(n).encode()).hexdigest() for n in range(n_rows)]
    store.documents.results.put_many("convert", [*(done(subject) for subject in subjects), failed("zz")])
    rows = list(store.documents.results.payloads("convert"))
    assert [row[0] for row in rows] == sorted(subjects)
    assert all(found == digest(payload) for _, found, payload in rows)
    some = subjects[: n_rows // 2]
    assert [row[0] for row in store.documents.results.payloads("convert", [*some, "zz", "absent"])] == sorted(
        some
    )


def test_payloads_may_be_rewritten_while_they_are_read(store: Store) -> None:
    store.documents.results.put_many("convert", [done(f"{n:03}") for n in range(200)])
    for subject, _, _ in store.documents.results.payloads("convert"):
        store.documents.results.put_many("convert", [done(subject, value="new")])
    assert {payload for _, _, payload in store.documents.results.payloads("convert")} == {
        encode((f"{n:03}", "new")) for n in range(200)
    }


@pytest.mark.parametrize("store_url", ["sqlite:///portico.db"])
@pytest.mark.parametrize(
    ("ask", "columns"),
    [
        (lambda store: store.documents.results.keys("convert"), "key"),
        (lambda store: store.documents.results.digests("convert"), "digest"),
    ],
)
def test_asking_what_is_done_reads_no_payload(
    store: Store, ask: Callable[[Store], object], columns: str
) -> None:
    """On a large portal the payloads are gigabytes: the answer must come out of the index alone."""
    asked: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    event.listen(store.engine, "before_cursor_execute", listen)
    ask(store)
    query = next(statement for statement in asked if columns in statement)
    with store.engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", ("convert",)).all()
    assert [step for step in plan if "USING COVERING INDEX result_done" in step[3]] == plan


def test_drop_forgets_results_and_failures(store: Store) -> None:
    store.documents.results.put_many("convert", [done("a"), done("b"), failed("c")])
    store.documents.results.put_many("extract", [done("a")])
    store.documents.results.drop("convert", ["a", "c", "absent"])
    assert store.documents.results.keys("convert") == {"b": "k1"}
    assert store.documents.results.keys("extract") == {"a": "k1"}
    assert list(store.documents.failures.all()) == []


def test_the_digest_of_a_stage_is_of_its_content_alone(store: Store) -> None:
    empty = store.documents.results.digest_of("convert")
    store.documents.results.put_many("convert", [done("a"), done("b")])
    both = store.documents.results.digest_of("convert")
    assert both != empty
    store.documents.results.put_many("convert", [done("b", key="k2"), failed("c")])
    assert store.documents.results.digest_of("convert") == both
    store.documents.results.put_many("convert", [done("b", value="other")])
    assert store.documents.results.digest_of("convert") != both


def test_a_body_with_two_sources_fails_at_both(store: Store) -> None:
    body = BodyHash("b" * 64)
    store.documents.pages.put(
        [PageRow(source, WEB, 1.0, body=body) for source in ("http://two/", "http://one/")]
    )
    store.documents.results.put_many("convert", [failed(body), failed("x"), failed("y", reason="encrypted")])
    store.documents.failures.put(
        NewFailure("crawl", "http://three/", "http://three/", "FetchError", "no answer", 2.0)
    )
    assert [(row.stage, row.source) for row in store.documents.failures.all()] == [
        ("convert", "http://one/"),
        ("convert", "http://two/"),
        ("convert", "http://x/"),
        ("convert", "http://y/"),
        ("crawl", "http://three/"),
    ]
    assert store.documents.failures.groups(n_examples=2) == (
        FailureGroup("convert", "Unreadable", "no text", 2, ("http://one/", "http://x/"), n_copies=1),
        FailureGroup("convert", "Unreadable", "encrypted", 1, ("http://y/",)),
        FailureGroup("crawl", "FetchError", "no answer", 1, ("http://three/",)),
    )
    store.documents.failures.put(NewFailure("extract", "z", "http://z/", "NotAPaper", "slides", 2.0))
    assert store.documents.failures.counts() == {
        "convert": FailureCounts(n_failed=3),
        "crawl": FailureCounts(n_failed=1),
        "extract": FailureCounts(n_set_aside=1),
    }
    assert [row.subject for row in store.documents.failures.of_source("http://two/")] == [body]
    store.documents.failures.clear("crawl", ["http://three/"])
    assert "crawl" not in {row.stage for row in store.documents.failures.all()}
