"""The tables of matching and ranking; `schema.py` has all others.

A change here needs a step in `migrations.py` too, and raises the version in `schema.py`.
"""

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, LargeBinary, Table

from portico.store.safe_text import PLAIN_TEXT
from portico.store.schema import metadata

# The state of the last matching, so that a new paper is compared with few. The extraction of each document
# that was matched:
matched = Table(
    "matched",
    metadata,
    Column("document", PLAIN_TEXT, primary_key=True),
    Column("digest", PLAIN_TEXT, nullable=False),
)

# Every record, its mention (NULL if it has too little data), and its entity.
occurrence = Table(
    "occurrence",
    metadata,
    Column("record", PLAIN_TEXT, primary_key=True),
    Column("document", PLAIN_TEXT, nullable=False),
    Column("anchor", Boolean, nullable=False),  # whether it represents its document
    Column("mention", BigInteger),
    Column("entity", PLAIN_TEXT, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("value", LargeBinary, nullable=False),  # the Record without its contexts, encoded
    Index("occurrence_document", "document", "anchor"),
    Index("occurrence_mention", "mention"),
    Index("occurrence_entity", "entity"),
)

# The distinct contents of records. Numbers ascend as (place, digest) does, with gaps for later mentions.
mention = Table(
    "mention",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("place", PLAIN_TEXT, nullable=False),
    Column("digest", BigInteger, nullable=False),
    Index("mention_place", "place", "digest", unique=True),
)

# The mentions under each blocking key.
block = Table(
    "block",
    metadata,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("mention", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

# Pairs of mentions that are probably one paper, the smaller number first, with their log odds.
likeness = Table(
    "likeness",
    metadata,
    Column("one", BigInteger, primary_key=True, autoincrement=False),
    Column("other", BigInteger, primary_key=True, autoincrement=False),
    Column("odds", Float, nullable=False),
    Index("likeness_other", "other", "one", "odds"),
    sqlite_with_rowid=False,
)

# What the id of an entity was derived from.
naming = Table(
    "naming",
    metadata,
    Column("entity", PLAIN_TEXT, primary_key=True),
    Column("key", LargeBinary, nullable=False),
    Column("year", Integer),
    Column("record", PLAIN_TEXT, nullable=False),
    Column("held", Boolean, nullable=False),
    Index("naming_key", "key"),
)

# The whole citation graph with its ranks as one value, so that updating ranks reads no other table. Missing
# if the graph has been changed by hand since.
ranked_graph = Table(
    "ranked_graph",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),  # always 1
    Column("value", LargeBinary, nullable=False),
)

# Ranks of seminal papers and surveys of a topic, by citations among the papers of it and its subtopics.
topic_rank = Table(
    "topic_rank",
    metadata,
    Column("topic", PLAIN_TEXT, primary_key=True),
    Column("entity", PLAIN_TEXT, primary_key=True),
    Column("authority", Float, nullable=False),
    Column("hub", Float, nullable=False),
    sqlite_with_rowid=False,
)

# Recent actions of visitors that are rate limited, for all server processes. There are no IP addresses:
# visitors are fingerprints, made with a secret of the portal.
deed = Table(
    "deed",
    metadata,
    Column("kind", PLAIN_TEXT, primary_key=True),
    Column("visitor", PLAIN_TEXT, primary_key=True),
    Column("at", Float, primary_key=True),
    sqlite_with_rowid=False,
)
