"""Many rows and many keys at once give what one at a time would."""

import pytest
from sqlalchemy import insert, select, update

from portico.store.bulk import execute_many, execute_tuples, select_in
from portico.store.database import writing
from portico.store.opening import Store
from portico.store.schema import host, kinship, link, meta


@pytest.mark.parametrize("n_keys", [0, 1, 4, 5, 32, 33, 400, 401, 900])
def test_as_many_keys_as_one_likes(store: Store, n_keys: int) -> None:
    rows = [{"key": str(number), "value": "x"} for number in range(1000)]
    with writing(store.engine) as connection:
        execute_many(connection, insert(meta), rows)
        found = [row.key for row in select_in(connection, _KEYS, meta.c.key, [str(n) for n in range(n_keys)])]
    assert sorted(found, key=int) == [str(number) for number in range(n_keys)]


def test_conditions_of_the_query_hold_as_well(store: Store) -> None:
    rows = [{"key": str(number), "value": "even" if number % 2 == 0 else "odd"} for number in range(10)]
    with writing(store.engine) as connection:
        execute_many(connection, insert(meta), rows)
        odd = _KEYS.where(meta.c.value == "odd")
        assert {row.key for row in select_in(connection, odd, meta.c.key, ["1", "2", "3"])} == {"1", "3"}


def test_columns_that_no_row_names_get_their_defaults(store: Store) -> None:
    rows = [{"id": 1, "url": "http://a.test/", "host": "a.test", "state": "queued"}]
    with writing(store.engine) as connection:
        execute_many(connection, insert(link), rows)
        row = connection.execute(select(link)).one()
    assert (row.priority, row.depth, row.anchor, row.attempts, row.via) == (0.0, 0, "", 0, None)


def test_text_from_outside_becomes_storable_and_is_found_again(store: Store) -> None:
    with writing(store.engine) as connection:
        execute_many(connection, insert(host), [{"name": "half \ud800", "asked_at": 1.0}])
        (row,) = select_in(connection, select(host.c.name), host.c.name, ["half \ud800"])
    assert row.name == "half \ufffd"


def test_tuples_are_bound_by_the_order_of_the_statement(store: Store) -> None:
    rows = [(7, 0.5, 1), (7, 0.25, 2)]
    with writing(store.engine) as connection:
        execute_tuples(connection, insert(kinship), ("family", "odds", "link"), rows)
        assert [tuple(row) for row in connection.execute(select(kinship).order_by(kinship.c.link))] == rows
        with pytest.raises(ValueError, match="odds"):
            execute_tuples(connection, insert(kinship), ("odds", "family", "link"), rows)


def test_a_condition_of_an_update_is_no_parameter_of_its_rows(store: Store) -> None:
    raised = update(meta).where(meta.c.key == "a").values(value="new")
    with writing(store.engine) as connection:
        execute_many(connection, insert(meta), [{"key": key, "value": "old"} for key in "ab"])
        execute_many(connection, raised, [{}])
        values = {row.key: row.value for row in connection.execute(select(meta))}
    assert (values["a"], values["b"]) == ("new", "old")


_KEYS = select(meta.c.key)
