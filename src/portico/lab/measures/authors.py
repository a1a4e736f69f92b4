"""Measure how well names are told apart: full names cut to initials, and the people found again."""

import gzip
import json
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path

from portico.errors import ConfigError
from portico.lab.measures.matching_methods import Scores, score_pairwise
from portico.match.authors import identify_authors
from portico.text.names import parse_name
from portico.types.record import EntityId, Signature


def measure_authors(folder: Path, *, limit: int | None = None) -> dict[str, Scores]:
    """Pairwise scores on a folder with papers.jsonl.gz (id, authors, date) and edges.tsv.

    The truth is silver: who signs with the same full name is taken for one person, which is wrong for
    the commonest names and where a middle initial comes and goes. Every name is then cut to its first
    initial, and it is measured how far co-authors, years and citations tell the people apart again.
    """
    signatures = read_signatures(folder)[:limit]
    truth = [_full(signature.name) for signature in signatures]
    cut = [_cut(signature) for signature in signatures]
    found: dict[str, Scores] = {}
    for name, method in METHODS.items():
        started = time.perf_counter()
        groups = method(cut)
        found[name] = score_pairwise(groups, truth, time.perf_counter() - started)
    return found


def read_signatures(folder: Path) -> list[Signature]:
    path = folder / "papers.jsonl.gz"
    if not path.exists():
        raise ConfigError(f"{path} does not exist; name a folder with papers.jsonl.gz and edges.tsv")
    cites: dict[str, set[EntityId]] = defaultdict(set)
    for line in (folder / "edges.tsv").read_text(encoding="utf-8").splitlines():
        citing, cited = line.split("\t")[:2]
        cites[citing].add(EntityId(cited))
    found: list[Signature] = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            names = list(dict.fromkeys(row["authors"]))
            found += [
                Signature(
                    EntityId(row["id"]), position, name, int(row["date"][-4:]),
                    others=tuple(names[:position] + names[position + 1 :]),
                    cites=frozenset(cites[row["id"]]),
                )
                for position, name in enumerate(names)
                if len(parse_name(name).first) > 1  # without a full given name the truth is not known
            ]  # fmt: skip
    return found


def _people(signatures: Sequence[Signature]) -> list[Hashable]:
    home = {
        (signature.paper, signature.position): author.id
        for author in identify_authors(signatures, {})
        for signature in author.signatures
    }
    places = [(signature.paper, signature.position) for signature in signatures]
    return [home.get(place, place) for place in places]


METHODS: Mapping[str, Callable[[Sequence[Signature]], list[Hashable]]] = {
    "same surname and initial": lambda cut: [_initialed(signature.name) for signature in cut],
    "default": _people,
}


def _full(name: str) -> tuple[str, str]:
    parsed = parse_name(name)
    return parsed.key, parsed.first


def _cut(signature: Signature) -> Signature:
    return Signature(
        signature.paper,
        signature.position,
        _initialed(signature.name),
        signature.year,
        others=tuple(map(_initialed, signature.others)),
        cites=signature.cites,
    )


def _initialed(name: str) -> str:
    parsed = parse_name(name)
    return f"{parsed.first[:1].upper()}. {parsed.surname}"
