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
_BigId = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER counts up by itself in SQLite

# Small facts about the portal: schema version, fingerprints of finished global stages,
# the index generation that is being served.
meta = Table(
    "meta", metadata, Column("key", PLAIN_TEXT, primary_key=True), Column("value", SafeText, nullable=False)
)

# The frontier: every address ever seen, and what became of it. There is no state for "being
# fetched": after a crash such a link is simply still queued.
link = Table(
    "link",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("url", SafeText, nullable=False, unique=True),
    Column("host", SafeText, nullable=False),
    Column("state", PLAIN_TEXT, nullable=False),  # queued, done, failed, skipped
    Column("priority", Float, nullable=False, default=0.0),  # higher is fetched earlier
    Column("depth", Integer, nullable=False, default=0),
    Column("chain", Integer, nullable=False, default=0),  # ancestors in a row of the same URL shape
    Column("via", SafeText),  # the page it was found on
    Column("anchor", SafeText, nullable=False, default=""),
    Column("context", SafeText, nullable=False, default=""),
    Column("attempts", Integer, nullable=False, default=0),
    Column("not_before", Float, nullable=False, default=0.0),  # unused; older stores want a value
    Column("reason", SafeText),  # why it was skipped or failed
    Column("odds", Float),  # what the spider's model foresaw, as log odds; NULL where nobody asked it
    Column("families", LargeBinary),  # ids of the groups of like links it is one of
    Index("link_next", "state", "host", "priority", "depth", "id"),
)

# Where a crawl goes by learned paths: how likely a link leads to a page of each label, by all that was seen
# on the most promising way to it. What its page and the links there are worth depends on it.
prefix = Table(
    "prefix",
    metadata,
    Column("url", SafeText, primary_key=True),
    Column("chances", LargeBinary, nullable=False),  # packed floats of eight bytes
    sqlite_with_rowid=False,
)

# What groups of like links brought so far: rewards observed, and rewards that had been foreseen.
# `applied` is the record's correction when its waiting links were last ordered by it.
family = Table(
    "family",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # hash of the family's name
    Column("observed", Float, nullable=False),
    Column("foreseen", Float, nullable=False),
    Column("applied", Float, nullable=False),
)

# The waiting links of each family, the most promising at the end; those that wait no longer leave it when
# somebody asks for it.
kinship = Table(
    "kinship",
    metadata,
    Column("family", BigInteger, primary_key=True, autoincrement=False),
    Column("odds", Float, primary_key=True),
    Column("link", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

# How many targets the crawl had after so many requests, and how many breadth-first would have had.
harvest = Table(
    "harvest",
    metadata,
    Column("policy", PLAIN_TEXT, primary_key=True),
    Column("n_requests", Integer, primary_key=True),
    Column("n_targets", Float, nullable=False),
)

# What we know about a host: its robots.txt, and when we may ask again.
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
    Column("body", PLAIN_TEXT),  # sha256; NULL where nothing usable came
    Column("media_type", SafeText, nullable=False, default=""),
    Column("n_bytes", BigInteger, nullable=False, default=0),
    Column("status", Integer, nullable=False, default=200),
    Column("etag", SafeText),
    Column("last_modified", SafeText),
    Column("mtime_ns", BigInteger),
    Column("depth", Integer, nullable=False, default=0),
    Column("fetched_at", Float, nullable=False),
    Column("page_kind", PLAIN_TEXT, nullable=False, server_default=""),  # which of the sought kinds of pages
    Index("page_body", "body"),
)

# Pages that were asked for again, or wait to be: how often each changed. Times of change as its host dates
# them (Last-Modified) or, where it does not, somewhere between two visits: types/frontier.py.
revisit = Table(
    "revisit",
    metadata,
    Column("source", SafeText, primary_key=True),
    Column("host", SafeText, nullable=False),
    Column("urgency", Float),  # chance that it has changed, while it waits to be asked for; else NULL
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

# The output of a one-document stage. `key` fingerprints input, stage version and model: a row
# with the right key is finished work, any other key means "do it again". The payload stands last
# and the index holds the rest, so that asking "what is done?" never reads a payload.
result = Table(
    "result",
    metadata,
    Column("stage", PLAIN_TEXT, primary_key=True),
    Column("subject", PLAIN_TEXT, primary_key=True),  # the body's sha256
    Column("key", PLAIN_TEXT, nullable=False),
    Column("outcome", PLAIN_TEXT, nullable=False),  # done, failed
    Column("digest", PLAIN_TEXT),  # of the payload: the next stage's key is made of it; NULL where it failed
    Column("seconds", Float, nullable=False, default=0.0),
    Column("at", Float, nullable=False),
    Column("payload", LargeBinary),  # compressed value; NULL where it failed
    Index("result_done", "stage", "subject", "key", "digest"),
)

# One bad input is one row. `subject` is what the stage worked on, `source` what a person knows it by.
failure = Table(
    "failure",
    metadata,
    Column("stage", PLAIN_TEXT, primary_key=True),
    Column("subject", SafeText, primary_key=True),
    Column("source", SafeText, nullable=False),
    Column("kind", PLAIN_TEXT, nullable=False),  # the error's class: groups failures in status
    Column("reason", SafeText, nullable=False),
    Column("detail", SafeText, nullable=False, default=""),  # traceback, for errors we did not foresee
    Column("passing", Boolean, nullable=False, default=False),
    Column("attempts", Integer, nullable=False, default=1),
    Column("at", Float, nullable=False),
)

# Topic tree as last classified, in the builder's order; inner nodes have rows too.
topic = Table(
    "topic",
    metadata,
    Column("path", SafeText, primary_key=True),  # names joined with "/"
    Column("position", Integer, nullable=False),
    Column("keywords", SafeText, nullable=False, default=""),  # one a line
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
    Column("published", Integer),  # 19990704: to put papers of one year in order, as far as the day is known
    Index("entity_cited", "held", "n_citations"),
)

# A document is one paper, but a page of a directory tells of many people.
entity_document = Table(
    "entity_document",
    metadata,
    Column("document", PLAIN_TEXT, primary_key=True),
    Column("entity", PLAIN_TEXT, ForeignKey("entity.id", ondelete="CASCADE"), primary_key=True),
    Index("entity_document_entity", "entity"),
)

# What is part of what, in domains that say so: an officer of an organisation.
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

# Ids that once were: they redirect to what they became.
alias = Table(
    "alias",
    metadata,
    Column("old", PLAIN_TEXT, primary_key=True),
    Column("entity", PLAIN_TEXT, nullable=False),
)

# What the builder decided by hand: two records (the smaller id first) are one paper, or are not.
verdict = Table(
    "verdict",
    metadata,
    Column("one", PLAIN_TEXT, primary_key=True),
    Column("other", PLAIN_TEXT, primary_key=True),
    Column("same", Boolean, nullable=False),
    Column("who", SafeText, nullable=False, default=""),
    Column("at", Float, nullable=False, default=0.0),
)

# What people say is wrong about papers, and what the builder decided. Accepted ones win over extraction.
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

# Papers and sites that visitors want here. Accepted ones are fetched like any other seed.
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

# Passages of pages that the builder has marked: the extractor of a domain of their own is trained from them.
mark = Table(
    "mark",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("page", SafeText, nullable=False),
    Column("body", PLAIN_TEXT, nullable=False),  # sha256 of the page when it was marked
    Column("label", PLAIN_TEXT, nullable=False),
    Column("start", Integer, nullable=False),  # characters of the document made of the body
    Column("end", Integer, nullable=False),
    Column("text", SafeText, nullable=False),
    Column("at", Float, nullable=False),
    Index("mark_body", "body", "start"),
)

# What the builder clicked while teaching paths, in order. A click that was taken back keeps its number.
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

# What is searched for, and how often in vain: words and counts, nothing about who asked.
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
    Column("name", SafeText, nullable=False),  # the fullest that is printed
    Column("surname", SafeText, nullable=False),  # folded letters
    Column("n_papers", Integer, nullable=False),
    Column("first_year", Integer),
    Column("last_year", Integer),
    Index("author_surname", "surname", "n_papers"),
)

# Every name on a held paper, and whose it is.
authorship = Table(
    "authorship",
    metadata,
    Column("entity", PLAIN_TEXT, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("author", PLAIN_TEXT, nullable=False),
    Column("printed", SafeText, nullable=False),
    Index("authorship_author", "author", "entity"),
)

# Ids of authors that once were: they redirect to what they became.
author_alias = Table(
    "author_alias",
    metadata,
    Column("old", PLAIN_TEXT, primary_key=True),
    Column("author", PLAIN_TEXT, nullable=False),
)

# What the index holds, by entity; compared with `entity.digest` to find what must be redone.
indexed = Table(
    "indexed",
    metadata,
    Column("generation", PLAIN_TEXT, primary_key=True),
    Column("entity", PLAIN_TEXT, primary_key=True),
    Column("digest", PLAIN_TEXT, nullable=False),
)

# What visitors see of each held entity, and since when: feeds and harvesters go by it.
entity_change = Table(
    "entity_change",
    metadata,
    Column("entity", PLAIN_TEXT, primary_key=True),
    Column("digest", PLAIN_TEXT, nullable=False),  # of all that is shown of it; "" of what is gone
    Column("added_at", Float, nullable=False),
    Column("changed_at", Float, nullable=False),
    Column("removed", Boolean, nullable=False),
    Index("entity_change_date", "changed_at", "entity"),
)

# How long each stage took, run by run: speeds in `status`, estimates in progress bars.
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
