"""Repairs damaged rows: drops those that can be rebuilt, keeps those that only people know."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from portico.pipeline.indexing import GENERATION, SOURCES
from portico.pipeline.portal import Portal
from portico.pipeline.published_index import FILES
from portico.store.catalog.unseen import UNSEEN_KEYS
from portico.store.seals import SCHEMA, Bucket, accept_bucket, delete_bucket, read_bucket
from portico.types.stages import StageName

_MATCHED = (
    "entity",
    "entity_document",
    "belonging",
    "citation",
    "assignment",
    "topic",
    "author",
    "authorship",
    "indexed",
    "matched",
    "occurrence",
    "mention",
    "block",
    "likeness",
    "naming",
    "ranked_graph",
    "topic_rank",
)
"""Tables derived from the records of all documents together."""

_SPARE = ("host", "prefix", "family", "kinship", "harvest", "revisit", "query_log", "run", "deed")
"""Tables whose rows are fetched again, counted again, or not important."""

_SAID = ("verdict", "correction", "submission", "mark", "lesson_act")
"""Tables of people's input, which cannot be restored from anything else."""

_FOUND_OUT = frozenset(
    {
        *StageName,
        *UNSEEN_KEYS,
        GENERATION,
        FILES,
        SOURCES,
        "topic_model",
        "match_basis",
        "paper_changes",
        "paper_changes_indexed",
        "topic_suggestions",
        "crawl.rules",
        "crawl.policy",
        "pages.recognizer",
        "builder_sessions",
        "visitor_secret",
    }
)
"""Keys in `meta` of values that are determined again; the others are decisions of the builder."""


def mend_rows(portal: Portal, bucket: Bucket) -> Callable[[], None] | None:
    """Return a function that repairs damaged rows of a bucket; None if only a backup would help."""
    if bucket.table == SCHEMA or bucket.table in _SAID:
        return None
    if bucket.table == "meta":
        return _mend_meta(portal, bucket)
    return partial(_MENDS.get(bucket.table, _accept), portal, bucket)


def match_again(portal: Portal) -> None:
    """Make the next build redo everything that is derived from all records together."""
    store = portal.store
    for stage in (
        StageName.CLASSIFY,
        StageName.MATCH,
        StageName.PLACE,
        StageName.RANKS,
        StageName.AUTHORS,
        StageName.INDEX,
    ):
        store.meta.delete(stage)
    store.catalog.matches.forget()  # damaged results cannot be built upon
    store.catalog.unseen.forget()


def _mend_matched(portal: Portal, bucket: Bucket) -> None:
    delete_bucket(portal.store.engine, bucket)
    match_again(portal)


def _mend_spare(portal: Portal, bucket: Bucket) -> None:
    delete_bucket(portal.store.engine, bucket)


def _mend_failures(portal: Portal, bucket: Bucket) -> None:
    """Drop failures; they will be tried again and fail with the same message."""
    subjects = read_bucket(portal.store.engine, bucket, "subject")
    delete_bucket(portal.store.engine, bucket)
    for stage in (StageName.CONVERT, StageName.LIST, StageName.EXTRACT, StageName.ENRICH, StageName.PICTURE):
        portal.store.documents.results.drop(stage, subjects)
    portal.store.crawl.frontier.requeue_failed()


def _mend_pages(portal: Portal, bucket: Bucket) -> None:
    sources = read_bucket(portal.store.engine, bucket, "source")
    portal.store.crawl.frontier.forget(sources)
    _mend_links(portal, bucket)


def _mend_links(portal: Portal, bucket: Bucket) -> None:
    delete_bucket(portal.store.engine, bucket)
    portal.store.crawl.frontier.follow_anew()  # the linking pages are kept, and name the links again


def _mend_meta(portal: Portal, bucket: Bucket) -> Callable[[], None] | None:
    names = read_bucket(portal.store.engine, bucket, "key")
    if not names or not _FOUND_OUT.issuperset(names):
        return None

    def mend() -> None:
        delete_bucket(portal.store.engine, bucket)
        match_again(portal)

    return mend


def _accept(portal: Portal, bucket: Bucket) -> None:
    accept_bucket(portal.store.engine, bucket)


_MENDS: Mapping[str, Callable[[Portal, Bucket], None]] = MappingProxyType(
    dict.fromkeys(_MATCHED, _mend_matched)
    | dict.fromkeys((*_SPARE, "result"), _mend_spare)
    | {"page": _mend_pages, "link": _mend_links, "failure": _mend_failures}
)
"""Repairs by table. Damaged rows of other tables (former ids) are accepted: a wrong one leads nowhere."""
