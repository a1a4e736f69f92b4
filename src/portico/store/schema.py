"""The tables, and nothing else. A change here needs a migration in `migrations.py`."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
)

from portico.store.safe_text import PLAIN_TEXT, SafeText

VERSION = 15
"""Raised with every change of the tables; a store of a higher version is refused."""

metadata = MetaData()
_BigId = BigInteger().with_variant(Integer, "sqlite")  # in SQLite, only INTEGER auto-increments

# Small facts about the portal: schema version, fingerprints of finished whole-collection stages, the index
# generation that is being served.
meta = Table(
    "meta", metadata, Column("key", PLAIN_TEXT, primary_key=True), Column("value", SafeText, nullable=False)
)

# The frontier: every URL ever seen, and its outcome. There is no state for "being fetched": after a crash
# such a link is simply still queued.
link = Table(
    "link",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("url", SafeText, nullable=False, unique=True),
    Column("host", SafeText, nullable=False),
    Column("state", PLAIN_TEXT, nullable=False),  # queued, done, failed, skipped
    Column("priority", Float, nullable=False, default=0.0),  # higher is fetched earlier
    Column("depth", Integer, nullable=False, default=0),
    Column("chain", Integer, nullable=False, default=0),  # consecutive ancestors with the same URL shape
    Column("via", SafeText),  # the page it was found on
    Column("anchor", SafeText, nullable=False, default=""),
    Column("context", SafeText, nullable=False, default=""),
    Column("attempts", Integer, nullable=False, default=0),
    Column("not_before", Float, nullable=False, default=0.0),  # unused; older stores require a value
    Column("reason", SafeText),  # why it was skipped or failed
    Column("odds", Float),  # the spider's prediction, as log odds; NULL if there is none
    Column("families", LargeBinary),  # ids of the groups of similar links it belongs to
    Index("link_next", "state", "host", "priority", "depth", "id"),
)

# For crawls by learned paths: the probability that a link leads to a page of each label, given all
# observations on the most promising path to it. The worth of its page's links is computed from it.
prefix = Table(
    "prefix",
    metadata,
    Column("url", SafeText, primary_key=True),
    Column("chances", LargeBinary, nullable=False),  # packed floats of eight bytes
    sqlite_with_rowid=False,
)

# Results of groups of similar links: rewards observed, and rewards predicted. `applied` is the correction by
# which the waiting links were last ordered.
family = Table(
    "family",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # hash of the family's name
    Column("observed", Float, nullable=False),
    Column("foreseen", Float, nullable=False),
    Column("applied", Float, nullable=False),
)

# The waiting links of each family, the most promising last; those no longer waiting are removed when they are
# read.
kinship = Table(
    "kinship",
    metadata,
    Column("family", BigInteger, primary_key=True, autoincrement=False),
    Column("odds", Float, primary_key=True),
    Column("link", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

# The targets found after each number of requests, and how many breadth-first would have found.
harvest = Table(
    "harvest",
    metadata,
    Column("policy", PLAIN_TEXT, primary_key=True),
    Column("n_requests", Integer, primary_key=True),
    Column("n_targets", Float, nullable=False),
)

# Facts about a host: its robots.txt, and when it may get the next request.
host = Table(
    "host",
    metadata,
    Column("name", SafeText, primary_key=True),
    Column("robots", SafeText),
    Column("robots_status", Integer),
    Column("robots_at", Float),
    Column("asked_at", Float, nullable=False, default=0.0),
)

# Everything obtained: a fetched URL or a file of a folder source. Several may share one body.
page = Table(
    "page",
    metadata,
    Column("source", SafeText, primary_key=True),  # the URL, or the path relative to the portal
    Column("kind", PLAIN_TEXT, nullable=False),  # web, file
    Column("origin", SafeText, nullable=False, default=""),  # file: the folder; web: the final URL
    Column("body", PLAIN_TEXT),  # SHA-256; NULL if the response was not usable
    Column("media_type", SafeText, nullable=False, default=""),
    Column("n_bytes", BigInteger, nullable=False, default=0),
    Column("status", Integer, nullable=False, default=200),
    Column("etag", SafeText),
    Column("last_modified", SafeText),
    Column("mtime_ns", BigInteger),
    Column("depth", Integer, nullable=False, default=0),
    Column("fetched_at", Float, nullable=False),
    Column("page_kind", PLAIN_TEXT, nullable=False, server_default=""),  # which of the wanted kinds of pages
    Index("page_body", "body"),
)

# Pages revisited or waiting for it: how often each changed. Changes are dated by the host (Last-Modified), or
# else between two visits: types/frontier.py.
revisit = Table(
    "revisit",
    metadata,
    Column("source", SafeText, primary_key=True),
    Column("host", SafeText, nullable=False),
    Column("urgency", Float),  # probability that it has changed, while it waits; else NULL
    Column("first_at", Float, nullable=False),
    Column("checked_at", Float, nullable=False),
    Column("n_visits", Integer, nullable=False),
    Column("n_changes", Integer, nullable=False),
    Column("n_dated", Integer, nullable=False),
    Column("quiet_s", Float, nullable=False),
    Column("n_undated", Integer, nullable=False),
    Column("undated_s", Float, nullable=False),
    Column("gone_since", Float),
    Index("revisit_next", "host", "urgency"),
)

# The output of a one-document stage. `key` fingerprints input, stage version and model: a row with the right
# key is finished work, any other key means "do it again". The payload is the last column and an index covers
# the others, so that finding out what is done never reads a payload.
result = Table(
    "result",
    metadata,
    Column("stage", PLAIN_TEXT, primary_key=True),
    Column("subject", PLAIN_TEXT, primary_key=True),  # the body's sha256
    Column("key", PLAIN_TEXT, nullable=False),
    Column("outcome", PLAIN_TEXT, nullable=False),  # done, failed
    Column("digest", PLAIN_TEXT),  # of the payload: part of the next stage's key; NULL if it failed
    Column("seconds", Float, nullable=False, default=0.0),
    Column("at", Float, nullable=False),
    Column("payload", LargeBinary),  # compressed value; NULL if it failed
    Index("result_done", "stage", "subject", "key", "digest"),
)

# One row per failed input. `subject` is the input of the stage, `source` the name people know it by.
failure = Table(
    "failure",
    metadata,
    Column("stage", PLAIN_TEXT, primary_key=True),
    Column("subject", SafeText, primary_key=True),
    Column("source", SafeText, nullable=False),
    Column("kind", PLAIN_TEXT, nullable=False),  # the error's class, by which `status` groups failures
    Column("reason", SafeText, nullable=False),
    Column("detail", SafeText, nullable=False, default=""),  # traceback, for unexpected errors
    Column("passing", Boolean, nullable=False, default=False),
    Column("attempts", Integer, nullable=False, default=1),
    Column("at", Float, nullable=False),
)

# The topic tree at the last classification, in the builder's order, including inner nodes.
topic = Table(
    "topic",
    metadata,
    Column("path", SafeText, primary_key=True),  # names joined with "/"
    Column("position", Integer, nullable=False),
    Column("keywords", SafeText, nullable=False, default=""),  # one per line
)

assignment = Table(
    "assignment",
    metadata,
    Column("document", PLAIN_TEXT, primary_key=True),
    Column("topic", SafeText, primary_key=True),
    Column("probability", Float, nullable=False),
    Index("assignment_topic", "topic"),
)

entity = Table(
    "entity",
    metadata,
    Column("id", PLAIN_TEXT, primary_key=True),
    Column("kind", PLAIN_TEXT, nullable=False),
    Column("held", Boolean, nullable=False),  # false: only known from citations
    Column("title", SafeText, nullable=False, default=""),
    Column("year", Integer),
    Column("n_citations", Integer, nullable=False, default=0),
    Column("authority", Float, nullable=False, default=0.0),
    Column("hub", Float, nullable=False, default=0.0),
    Column("value", LargeBinary, nullable=False),  # the whole Entity, encoded
    Column("digest", PLAIN_TEXT, nullable=False),
    Column("pagerank", Float, nullable=False, server_default="0"),
    Column("published", Integer),  # such as 19990704: sorts papers of one year, if the day is known
    Index("entity_cited", "held", "n_citations"),
)

# A document is one paper, but a page of a directory describes many people.
entity_document = Table(
    "entity_document",
    metadata,
    Column("document", PLAIN_TEXT, primary_key=True),
    Column("entity", PLAIN_TEXT, ForeignKey("entity.id", ondelete="CASCADE"), primary_key=True),
    Index("entity_document_entity", "entity"),
)

# Parts and their wholes, in domains that declare them: an officer of an organization.
belonging = Table(
    "belonging",
    metadata,
    Column("part", PLAIN_TEXT, primary_key=True),
    Column("whole", PLAIN_TEXT, nullable=False),
    Index("belonging_whole", "whole"),
)

# Edges of the citation graph; every reference record has exactly one row.
citation = Table(
    "citation",
    metadata,
    Column("record", PLAIN_TEXT, primary_key=True),
    Column("citing", PLAIN_TEXT, nullable=False),
    Column("cited", PLAIN_TEXT, nullable=False),
    Column("confidence", Float, nullable=False),
    Index("citation_citing", "citing"),
    Index("citation_cited", "cited"),
)

# Former ids: they redirect to the current ones.
alias = Table(
    "alias",
    metadata,
    Column("old", PLAIN_TEXT, primary_key=True),
    Column("entity", PLAIN_TEXT, nullable=False),
)

# Decisions of the builder: two records (the smaller id first) are one paper, or are not.
verdict = Table(
    "verdict",
    metadata,
    Column("one", PLAIN_TEXT, primary_key=True),
    Column("other", PLAIN_TEXT, primary_key=True),
    Column("same", Boolean, nullable=False),
    Column("who", SafeText, nullable=False, default=""),
    Column("at", Float, nullable=False, default=0.0),
)

# Corrections proposed by people, and the builder's decisions. Accepted ones override extraction.
correction = Table(
    "correction",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("wrong", PLAIN_TEXT, nullable=False),  # field, topic, same, different, not-a-paper
    Column("entity", PLAIN_TEXT, nullable=False),  # the paper's id when it was proposed
    Column("record", PLAIN_TEXT, nullable=False),  # finds the paper again after rebuilds
    Column("field", PLAIN_TEXT, nullable=False),
    Column("value", SafeText, nullable=False),
    Column("before", SafeText, nullable=False),
    Column("note", SafeText, nullable=False),
    Column("who", PLAIN_TEXT, nullable=False),  # visitor, builder
    Column("at", Float, nullable=False),
    Column("standing", PLAIN_TEXT, nullable=False),  # proposed, accepted, rejected
    Column("decided_at", Float, nullable=False),
    Index("correction_standing", "standing", "id"),
)

# Papers and sites suggested by visitors. Accepted ones are fetched like any other seed.
submission = Table(
    "submission",
    metadata,
    Column("url", SafeText, primary_key=True),
    Column("whole_site", Boolean, nullable=False),
    Column("note", SafeText, nullable=False),
    Column("at", Float, nullable=False),
    Column("standing", PLAIN_TEXT, nullable=False),  # proposed, accepted, rejected
    Column("decided_at", Float, nullable=False),
)

# Passages of pages that the builder has marked, from which extractors of declared domains are trained.
mark = Table(
    "mark",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("page", SafeText, nullable=False),
    Column("body", PLAIN_TEXT, nullable=False),  # sha256 of the page when it was marked
    Column("label", PLAIN_TEXT, nullable=False),
    Column("start", Integer, nullable=False),  # in characters of the document converted from the body
    Column("end", Integer, nullable=False),
    Column("text", SafeText, nullable=False),
    Column("at", Float, nullable=False),
    Index("mark_body", "body", "start"),
)

# The builder's clicks while teaching paths, in order. A click that was undone keeps its number.
lesson_act = Table(
    "lesson_act",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("kind", PLAIN_TEXT, nullable=False),  # opened, followed, named, ended
    Column("stop", BigInteger, nullable=False),  # the click that led to the page it is about; 0: none
    Column("url", SafeText, nullable=False),
    Column("link", LargeBinary),  # followed: the Sighting, encoded
    Column("words", SafeText, nullable=False),
    Column("at", Float, nullable=False),
    Column("undone", Boolean, nullable=False),
)

# Searches, and how often they find nothing: words and counts, nothing about who searched.
query_log = Table(
    "query_log",
    metadata,
    Column("words", SafeText, primary_key=True),
    Column("n_asked", Integer, nullable=False),
    Column("n_empty", Integer, nullable=False),
    Column("last_at", Float, nullable=False),
)

# The people behind the names on held papers.
author = Table(
    "author",
    metadata,
    Column("id", PLAIN_TEXT, primary_key=True),
    Column("name", SafeText, nullable=False),  # the most complete printed form
    Column("surname", SafeText, nullable=False),  # normalized letters
    Column("n_papers", Integer, nullable=False),
    Column("first_year", Integer),
    Column("last_year", Integer),
    Index("author_surname", "surname", "n_papers"),
)

# Every name on a held paper, with its author.
authorship = Table(
    "authorship",
    metadata,
    Column("entity", PLAIN_TEXT, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("author", PLAIN_TEXT, nullable=False),
    Column("printed", SafeText, nullable=False),
    Index("authorship_author", "author", "entity"),
)

# Former ids of authors: they redirect to the current ones.
author_alias = Table(
    "author_alias",
    metadata,
    Column("old", PLAIN_TEXT, primary_key=True),
    Column("author", PLAIN_TEXT, nullable=False),
)

# The digest of each indexed entity; compared with `entity.digest` to find changed ones.
indexed = Table(
    "indexed",
    metadata,
    Column("generation", PLAIN_TEXT, primary_key=True),
    Column("entity", PLAIN_TEXT, primary_key=True),
    Column("digest", PLAIN_TEXT, nullable=False),
)

# The digest of what visitors see of each held entity, and since when: used by feeds and harvesters.
entity_change = Table(
    "entity_change",
    metadata,
    Column("entity", PLAIN_TEXT, primary_key=True),
    Column("digest", PLAIN_TEXT, nullable=False),  # of everything shown of it; "" if it is gone
    Column("added_at", Float, nullable=False),
    Column("changed_at", Float, nullable=False),
    Column("removed", Boolean, nullable=False),
    Index("entity_change_date", "changed_at", "entity"),
)

# The duration of each run of a stage, for speeds in `status` and estimates in progress bars.
run = Table(
    "run",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("stage", PLAIN_TEXT, nullable=False),
    Column("started_at", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("n_done", Integer, nullable=False),
    Column("n_failed", Integer, nullable=False),
    UniqueConstraint("stage", "started_at"),
)
