"""Migrations from each version of the tables to the next, named after both versions.

Their SQL is SQLite's own: no other database has ever held a store of one of these versions, and a new store
is created with the latest tables.
"""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, delete, insert, inspect, select

from portico.errors import PortalError, StoreTooNew
from portico.store import match_tables, schema

Step = Callable[[Connection], None]


def v1_to_v2_link_families(connection: Connection) -> None:
    """Links get what was foreseen of them; families of links, and the harvest, get tables."""
    connection.exec_driver_sql("ALTER TABLE link ADD COLUMN odds FLOAT")
    connection.exec_driver_sql("ALTER TABLE link ADD COLUMN families BLOB")
    connection.exec_driver_sql(
        "CREATE TABLE family (id BIGINT NOT NULL, observed FLOAT NOT NULL, foreseen FLOAT NOT NULL, "
        "applied FLOAT NOT NULL, PRIMARY KEY (id))"
    )
    connection.exec_driver_sql(
        "CREATE TABLE kinship (family BIGINT NOT NULL, odds FLOAT NOT NULL, link BIGINT NOT NULL, "
        "PRIMARY KEY (family, odds, link)) WITHOUT ROWID"
    )
    connection.exec_driver_sql(
        "CREATE TABLE harvest (policy VARCHAR NOT NULL, n_requests INTEGER NOT NULL, "
        "n_targets FLOAT NOT NULL, PRIMARY KEY (policy, n_requests))"
    )


def v2_to_v3_verdicts(connection: Connection) -> None:
    """What the builder decides by hand about two records gets a table."""
    connection.exec_driver_sql(
        "CREATE TABLE verdict (one VARCHAR NOT NULL, other VARCHAR NOT NULL, same BOOLEAN NOT NULL, "
        "who VARCHAR NOT NULL, at FLOAT NOT NULL, PRIMARY KEY (one, other))"
    )


def v3_to_v4_corrections(connection: Connection) -> None:
    """Corrections, submitted addresses and what is searched for get tables."""
    connection.exec_driver_sql(
        "CREATE TABLE correction (id INTEGER NOT NULL, wrong VARCHAR NOT NULL, entity VARCHAR NOT NULL, "
        "record VARCHAR NOT NULL, field VARCHAR NOT NULL, value VARCHAR NOT NULL, before VARCHAR NOT NULL, "
        "note VARCHAR NOT NULL, who VARCHAR NOT NULL, at FLOAT NOT NULL, standing VARCHAR NOT NULL, "
        "decided_at FLOAT NOT NULL, PRIMARY KEY (id))"
    )
    connection.exec_driver_sql("CREATE INDEX correction_standing ON correction (standing, id)")
    connection.exec_driver_sql(
        "CREATE TABLE submission (url VARCHAR NOT NULL, whole_site BOOLEAN NOT NULL, note VARCHAR NOT NULL, "
        "at FLOAT NOT NULL, standing VARCHAR NOT NULL, decided_at FLOAT NOT NULL, PRIMARY KEY (url))"
    )
    connection.exec_driver_sql(
        "CREATE TABLE query_log (words VARCHAR NOT NULL, n_asked INTEGER NOT NULL, "
        "n_empty INTEGER NOT NULL, last_at FLOAT NOT NULL, PRIMARY KEY (words))"
    )


def v4_to_v5_revisits(connection: Connection) -> None:
    """What is known of the changes of pages, and which wait to be asked for again, gets a table."""
    connection.exec_driver_sql(
        "CREATE TABLE revisit (source VARCHAR NOT NULL, host VARCHAR NOT NULL, urgency FLOAT, "
        "first_at FLOAT NOT NULL, checked_at FLOAT NOT NULL, n_visits INTEGER NOT NULL, "
        "n_changes INTEGER NOT NULL, n_dated INTEGER NOT NULL, quiet_s FLOAT NOT NULL, "
        "n_undated INTEGER NOT NULL, undated_s FLOAT NOT NULL, gone_since FLOAT, PRIMARY KEY (source))"
    )
    connection.exec_driver_sql("CREATE INDEX revisit_next ON revisit (host, urgency)")


def v5_to_v6_match_memory(connection: Connection) -> None:
    """What matching compared gets tables, so that the next one need not compare everything again."""
    for statement in (
        "CREATE TABLE matched (document VARCHAR NOT NULL, digest VARCHAR NOT NULL, PRIMARY KEY (document))",
        (
            "CREATE TABLE occurrence (record VARCHAR NOT NULL, document VARCHAR NOT NULL, "
            "anchor BOOLEAN NOT NULL, mention BIGINT, entity VARCHAR NOT NULL, confidence FLOAT NOT NULL, "
            "value BLOB NOT NULL, PRIMARY KEY (record))"
        ),
        "CREATE INDEX occurrence_document ON occurrence (document, anchor)",
        "CREATE INDEX occurrence_mention ON occurrence (mention)",
        "CREATE INDEX occurrence_entity ON occurrence (entity)",
        (
            "CREATE TABLE mention (number BIGINT NOT NULL, place VARCHAR NOT NULL, digest BIGINT NOT NULL, "
            "PRIMARY KEY (number))"
        ),
        "CREATE UNIQUE INDEX mention_place ON mention (place, digest)",
        (
            "CREATE TABLE block (key BIGINT NOT NULL, mention BIGINT NOT NULL, PRIMARY KEY (key, mention)) "
            "WITHOUT ROWID"
        ),
        (
            "CREATE TABLE likeness (one BIGINT NOT NULL, other BIGINT NOT NULL, odds FLOAT NOT NULL, "
            "PRIMARY KEY (one, other)) WITHOUT ROWID"
        ),
        "CREATE INDEX likeness_other ON likeness (other, one, odds)",
        (
            "CREATE TABLE naming (entity VARCHAR NOT NULL, key BLOB NOT NULL, year INTEGER, "
            "record VARCHAR NOT NULL, held BOOLEAN NOT NULL, PRIMARY KEY (entity))"
        ),
        "CREATE INDEX naming_key ON naming (key)",
    ):
        connection.exec_driver_sql(statement)


def v6_to_v7_authors(connection: Connection) -> None:
    """The people behind the names on papers get tables; PageRank gets its column."""
    for statement in (
        "ALTER TABLE entity ADD COLUMN pagerank FLOAT NOT NULL DEFAULT 0",
        (
            "CREATE TABLE author (id VARCHAR NOT NULL, name VARCHAR NOT NULL, surname VARCHAR NOT NULL, "
            "n_papers INTEGER NOT NULL, first_year INTEGER, last_year INTEGER, PRIMARY KEY (id))"
        ),
        "CREATE INDEX author_surname ON author (surname, n_papers)",
        (
            "CREATE TABLE authorship (entity VARCHAR NOT NULL, position INTEGER NOT NULL, "
            "author VARCHAR NOT NULL, printed VARCHAR NOT NULL, PRIMARY KEY (entity, position))"
        ),
        "CREATE INDEX authorship_author ON authorship (author, entity)",
        "CREATE TABLE author_alias (old VARCHAR NOT NULL, author VARCHAR NOT NULL, PRIMARY KEY (old))",
    ):
        connection.exec_driver_sql(statement)


def v7_to_v8_marks(connection: Connection) -> None:
    """What the builder marks on pages gets a table."""
    connection.exec_driver_sql(
        "CREATE TABLE mark (id INTEGER NOT NULL, page VARCHAR NOT NULL, body VARCHAR NOT NULL, "
        'label VARCHAR NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, text VARCHAR NOT NULL, '
        "at FLOAT NOT NULL, PRIMARY KEY (id))"
    )
    connection.exec_driver_sql("CREATE INDEX mark_body ON mark (body, start)")


def v8_to_v9_parts(connection: Connection) -> None:
    """Several things may be read from one document; what is part of what gets a table."""
    for statement in (
        (
            "CREATE TABLE entity_document_new (document VARCHAR NOT NULL, "
            "entity VARCHAR NOT NULL REFERENCES entity (id) ON DELETE CASCADE, "
            "PRIMARY KEY (document, entity))"
        ),
        "INSERT INTO entity_document_new SELECT document, entity FROM entity_document",
        "DROP TABLE entity_document",
        "ALTER TABLE entity_document_new RENAME TO entity_document",
        "CREATE INDEX entity_document_entity ON entity_document (entity)",
        "CREATE TABLE belonging (part VARCHAR NOT NULL, whole VARCHAR NOT NULL, PRIMARY KEY (part))",
        "CREATE INDEX belonging_whole ON belonging (whole)",
    ):
        connection.exec_driver_sql(statement)


def v9_to_v10_lessons(connection: Connection) -> None:
    """What the builder clicks while teaching gets a table."""
    connection.exec_driver_sql(
        "CREATE TABLE lesson_act (id INTEGER NOT NULL, kind VARCHAR NOT NULL, stop BIGINT NOT NULL, "
        "url VARCHAR NOT NULL, link BLOB, words VARCHAR NOT NULL, at FLOAT NOT NULL, "
        "undone BOOLEAN NOT NULL, PRIMARY KEY (id))"
    )


def v10_to_v11_topic_ranks(connection: Connection) -> None:
    """The ranked graph, ranks within topics and what visitors did lately get tables."""
    for statement in (
        "CREATE TABLE ranked_graph (id INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (id))",
        (
            "CREATE TABLE topic_rank (topic VARCHAR NOT NULL, entity VARCHAR NOT NULL, "
            "authority FLOAT NOT NULL, hub FLOAT NOT NULL, PRIMARY KEY (topic, entity)) WITHOUT ROWID"
        ),
        (
            "CREATE TABLE deed (kind VARCHAR NOT NULL, visitor VARCHAR NOT NULL, at FLOAT NOT NULL, "
            "PRIMARY KEY (kind, visitor, at)) WITHOUT ROWID"
        ),
    ):
        connection.exec_driver_sql(statement)


def v11_to_v12_page_kinds(connection: Connection) -> None:
    """Pages say which of the sought kinds they are."""
    connection.exec_driver_sql("ALTER TABLE page ADD COLUMN page_kind VARCHAR NOT NULL DEFAULT ''")


def v12_to_v13_prefixes(connection: Connection) -> None:
    """Links know the way they were reached by, for crawls that go by learned paths."""
    connection.exec_driver_sql(
        "CREATE TABLE prefix (url VARCHAR NOT NULL, chances BLOB NOT NULL, PRIMARY KEY (url)) WITHOUT ROWID"
    )


def v13_to_v14_publication_days(connection: Connection) -> None:
    """Papers of one year are listed by month and day; those of before have the year until they change."""
    connection.exec_driver_sql("ALTER TABLE entity ADD COLUMN published INTEGER")
    connection.exec_driver_sql("UPDATE entity SET published = 10000 * year")


def v14_to_v15_entity_changes(connection: Connection) -> None:
    """When each thing became visible, changed or went gets a table; the next build fills it."""
    connection.exec_driver_sql(
        "CREATE TABLE entity_change (entity VARCHAR NOT NULL, digest VARCHAR NOT NULL, "
        "added_at FLOAT NOT NULL, changed_at FLOAT NOT NULL, removed BOOLEAN NOT NULL, PRIMARY KEY (entity))"
    )
    connection.exec_driver_sql("CREATE INDEX entity_change_date ON entity_change (changed_at, entity)")


STEPS: tuple[Step, ...] = (
    v1_to_v2_link_families,
    v2_to_v3_verdicts,
    v3_to_v4_corrections,
    v4_to_v5_revisits,
    v5_to_v6_match_memory,
    v6_to_v7_authors,
    v7_to_v8_marks,
    v8_to_v9_parts,
    v9_to_v10_lessons,
    v10_to_v11_topic_ranks,
    v11_to_v12_page_kinds,
    v12_to_v13_prefixes,
    v13_to_v14_publication_days,
    v14_to_v15_entity_changes,
)
"""`STEPS[0]` migrates version 1 to 2, and so on; there is one step fewer than `schema.VERSION`."""

VERSION_KEY = "schema_version"


def create(connection: Connection) -> None:
    """Create every table, and record their version."""
    match_tables.matched.metadata.create_all(connection)  # of the schema, complete with its own
    _write_version(connection, schema.VERSION)


def migrate(connection: Connection, steps: Sequence[Step] = STEPS) -> int:
    """Migrate the tables to the latest version, inside the caller's transaction; returns the number of
    steps.
    """
    target = 1 + len(steps)
    found = read_version(connection)
    if found is None:
        raise PortalError("the database holds no portal")
    if found > target:
        raise StoreTooNew(
            f"was written by a newer Portico: store version {found}; this one supports up to {target}. "
            f"Upgrade Portico, or build the portal again in another folder."
        )
    for step in steps[found - 1 :]:
        step(connection)
    if found < target:
        _write_version(connection, target)
    return target - found


def read_version(connection: Connection) -> int | None:
    """The version of the tables; None if this is not a store of ours."""
    if not inspect(connection).has_table(schema.meta.name):
        return None
    value = connection.scalar(select(schema.meta.c.value).where(schema.meta.c.key == VERSION_KEY))
    return int(value) if value is not None and value.isdecimal() else None


def is_empty(connection: Connection) -> bool:
    """Whether nothing was ever stored: a new file, or one whose creation was interrupted."""
    return not inspect(connection).get_table_names()


def _write_version(connection: Connection, version: int) -> None:
    connection.execute(delete(schema.meta).where(schema.meta.c.key == VERSION_KEY))
    connection.execute(insert(schema.meta), {"key": VERSION_KEY, "value": str(version)})
