"""How a portal of the sample web compares with the truth written beside that web."""

import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portico.pipeline.collections.papers.export import export_papers
from portico.pipeline.opening import open_portal

Paper = dict[str, Any]


@dataclass(frozen=True)
class Comparison:
    """Each true paper with the portal's paper that has one of its addresses."""

    pairs: tuple[tuple[Paper, Paper], ...]
    missing: tuple[str, ...]  # titles of reachable papers the portal has not
    split: tuple[str, ...]  # titles of papers the portal has more than once
    merged: tuple[str, ...]  # ids in the portal that are more than one paper
    extra: tuple[str, ...]  # titles the portal has and should not

    def share_right(self, field: str) -> float:
        right = sum(normal(found[field]) == normal(true[field]) for true, found in self.pairs)
        return right / (len(self.pairs) + len(self.missing))

    def citation_f1(self) -> float:
        """Edges between papers of the sample web, found against true."""
        name = {found["id"]: true["id"] for true, found in self.pairs}
        known = set(name.values())
        true_edges = {
            (true["id"], cited) for true, _ in self.pairs for cited in true["cites"] if cited in known
        }
        found_edges = {
            (name[found["id"]], name[reference["cites"]])
            for _, found in self.pairs
            for reference in found["references"]
            if reference["cites"] in name
        }
        return 2 * len(true_edges & found_edges) / (len(true_edges) + len(found_edges))


def compare(web: Path, papers: Sequence[Paper]) -> Comparison:
    truth = [json.loads(line) for line in (web / "truth.jsonl").read_text().splitlines()]
    held = [paper for paper in papers if paper["sources"]]
    at = {source: paper for paper in held for source in paper["sources"]}
    pairs, missing, split = [], [], []
    for true in (row for row in truth if row["reachable"]):
        found = {at[url]["id"]: at[url] for url in true["urls"] if url in at}
        if not found:
            missing.append(true["title"])
        elif len(found) > 1:
            split.append(true["title"])
        if found:
            pairs.append((true, next(iter(found.values()))))
    used = Counter(found["id"] for _, found in pairs)
    return Comparison(
        pairs=tuple(pairs),
        missing=tuple(missing),
        split=tuple(split),
        merged=tuple(key for key, count in used.items() if count > 1),
        extra=tuple(paper["title"] for paper in held if paper["id"] not in used),
    )


def normal(value: str | int | Iterable[str] | None) -> object:
    """Case, space, punctuation, accents and ligatures do not count."""
    if value is None or isinstance(value, str | int):
        return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", str(value or "")).lower())
    return [normal(each) for each in value]


def main() -> None:
    """Prints how a finished demo compares: python -m tests.pipeline.scoring demo"""
    folder = Path(sys.argv[1])
    with open_portal(folder / "portal") as portal:
        comparison = compare(folder / "web", list(export_papers(portal, cited=True)))
    topics = [
        (true["topic"], [each["path"] for each in found["topics"][:1]]) for true, found in comparison.pairs
    ]
    print(
        f"papers {len(comparison.pairs)}, missing {len(comparison.missing)}, split {len(comparison.split)},"
    )
    print(f"merged {len(comparison.merged)}, extra {len(comparison.extra)}")
    for field in ("title", "authors", "abstract", "year"):
        print(f"{field:<10}{comparison.share_right(field):.3f}")
    print(f"{'topic':<10}{sum(found == [true] for true, found in topics) / len(topics):.3f}")
    print(f"{'citations':<10}{comparison.citation_f1():.3f} (F1)")


if __name__ == "__main__":
    main()
