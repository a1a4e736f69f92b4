"""A build that looks at changed papers alone leaves the tables that one over everything would leave."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

from sqlalchemy import select

from portico.cli.progress_lines import ProgressLines
from portico.pipeline.importing import import_portal
from portico.pipeline.opening import open_for_changes, open_portal
from portico.store.match_tables import matched, topic_rank
from portico.store.schema import (
    assignment,
    author,
    author_alias,
    authorship,
    citation,
    entity,
    entity_change,
    indexed,
    topic,
)

TABLES = (entity, citation, topic, assignment, topic_rank, author, authorship, author_alias, matched)
FIELDS = (
    "decision trees learning classifiers boosting",
    "query optimization relational databases joins",
    "robot planning motion control arms",
    "speech recognition hidden markov models",
)
SURNAMES = (
    "Young",
    "Nunez",
    "Knuth",
    "Old",
    "Utgoff",
    "Jones",
    "Berger",
    "Chen",
    "Diaz",
    "Eng",
    "Falk",
    "Gil",
)
GIVEN = ("A.", "Ada", "Anna", "B.", "Boris", "C.")
SUBJECTS = [f"{a}{b}{c}" for a in "mnpt" for b in ("ala", "eru", "ito") for c in ("ka", "mo", "lis", "gran")]
N_PAPERS = 40
"""A change of a few among so many is fitted in."""


def make_record(number: int, edition: int = 0) -> dict[str, Any]:
    """Paper `number` cites earlier ones; another edition has more words in its title, and cites others."""
    told, chance = make_title_page(number), random.Random(f"{number} {edition}")
    words = FIELDS[(number + edition) % len(FIELDS)].split()
    cited = map(make_title_page, chance.sample(range(number), min(number, 4)))
    return told | {
        "id": f"p{number}",
        "title": f"{told['title']} {words[0]}" if edition else told["title"],
        "authors": told["authors"][edition:],
        "abstract": " ".join(chance.choices(words, k=30)),
        "references": [{"raw": f"{each['title']}. {each['year']}."} | each for each in cited],
    }


def make_title_page(number: int) -> dict[str, Any]:
    chance = random.Random(number)
    words = FIELDS[number % len(FIELDS)].split()
    names = sorted({f"{chance.choice(GIVEN)} {chance.choice(SURNAMES)}" for _ in range(3)})
    title = f"{' '.join(chance.sample(words, 3))} of {SUBJECTS[number]}"
    return {"title": title, "authors": names, "year": 1970 + number}


STEPS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((N_PAPERS, 0), (7, 1)),  # one more, and one that is another now
    ((7, 0), (3, 1), (N_PAPERS, 1)),  # back again, and others
)


def import_papers(folder: Path, file: Path, papers: tuple[tuple[int, int], ...]) -> None:
    file.write_text("".join(json.dumps(make_record(*paper)) + "\n" for paper in papers))
    import_portal(file, folder, ProgressLines(None))


def read_tables(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    with open_portal(folder) as portal, portal.store.engine.connect() as connection:
        found = {
            table.name: sorted(map(tuple, connection.execute(select(table)).all()), key=repr)
            for table in TABLES
        }
        digests = select(indexed.c.entity, indexed.c.digest)
        found["indexed"] = sorted(map(tuple, connection.execute(digests).all()))
        shown = select(entity_change.c.entity, entity_change.c.digest, entity_change.c.removed)
        found["shown"] = sorted(map(tuple, connection.execute(shown).all()))
    return found


def test_few_changes_leave_what_a_whole_build_leaves(tmp_path: Path) -> None:
    few, whole, file = tmp_path / "few", tmp_path / "whole", tmp_path / "papers.jsonl"
    import_papers(few, file, tuple((number, 0) for number in range(N_PAPERS)))
    for step in STEPS:
        shutil.copytree(few, whole)
        import_papers(few, file, step)
        with open_for_changes(whole) as portal:
            portal.store.catalog.unseen.forget()
        import_papers(whole, file, step)
        assert read_tables(few) == read_tables(whole)
        shutil.rmtree(whole)
