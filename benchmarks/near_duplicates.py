"""What a crawl would save, and lose, if it followed no links of pages that are nearly copies of others.

    python benchmarks/near_duplicates.py WEB [--distance BITS]

WEB is a folder of mapped sites (sites/, targets.json). Every site is walked breadth-first from its start. A
page is nearly a copy of one fetched before when their sketches, 64 bits each of all runs of three words
(Charikar's simhash), differ in no more than so many bits (3, as in Manku, Jain and Das Sarma, 2007). Its
links are then not followed unless another page shows them too.

Prints per site: pages, near-copies among them, requests saved, and targets (papers, officers) lost.
"""

import argparse
import sys
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from portico.crawl.policies.training import SiteGraph
from portico.lab.datasets.webs import read_sites
from portico.text.words import split_tokens

BITS = 64
SHINGLE = 3  # words
BANDS = 4  # sketches that differ in fewer bits than there are bands agree in one of them


@dataclass(frozen=True)
class Walk:
    """What a crawl of one site came to."""

    n_pages: int
    n_copies: int
    n_requests: int
    n_targets: int


class Sketches:
    """Sketches seen so far, found again by the quarters that near-copies share."""

    def __init__(self, distance: int) -> None:
        self._distance = distance
        self._bands: dict[tuple[int, int], list[int]] = defaultdict(list)

    def is_near(self, sketch: int) -> bool:
        """Whether one like it has been seen; it is one of them from now on."""
        keys = [(band, sketch >> (band * BITS // BANDS) & 0xFFFF) for band in range(BANDS)]
        near = any(
            (sketch ^ other).bit_count() <= self._distance for key in keys for other in self._bands[key]
        )
        for key in keys:
            self._bands[key].append(sketch)
        return near


def simhash(words: Sequence[str]) -> int:
    """Bits by the majority of the hashes of all runs of three words."""
    n_shingles = max(1, len(words) - SHINGLE + 1)
    votes = [0] * (BITS // 8)
    for start in range(n_shingles):
        shingle = " ".join(words[start : start + SHINGLE])
        for place, byte in enumerate(blake2b(shingle.encode(), digest_size=BITS // 8).digest()):
            votes[place] += LANES[byte]
    counts = [vote >> (32 * bit) & 0xFFFFFFFF for vote in votes for bit in range(8)]
    return sum(1 << bit for bit, count in enumerate(counts) if 2 * count > n_shingles)


LANES = [sum(1 << (32 * bit) for bit in range(8) if byte >> bit & 1) for byte in range(256)]
"""The bits of a byte, 32 apart, so that many can be counted in one addition."""


def walk(site: SiteGraph, sketches: Sequence[int | None], distance: int | None) -> Walk:
    """Breadth-first from the start; without a distance every page's links are followed."""
    seen, queue, known = {0}, deque([0]), Sketches(distance or 0)
    n_pages = n_copies = n_requests = 0
    while queue:
        address = queue.popleft()
        n_requests += 1
        sketch = sketches[address]
        if sketch is None:
            continue
        n_pages += 1
        if distance is not None and known.is_near(sketch):
            n_copies += 1
            continue
        new = [child for child in dict.fromkeys(site.children[address]) if child not in seen]
        seen.update(new)
        queue.extend(new)
    return Walk(n_pages, n_copies, n_requests, len(site.targets & seen))


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path)
    parser.add_argument("--distance", type=int, default=3, choices=range(BANDS), help="bits (3)")
    options = parser.parse_args()
    say(f"{'':20}{'pages':>8}{'copies':>8}{'requests saved':>16}{'targets lost':>14}")
    totals = [0, 0, 0, 0, 0, 0]
    for task in ("papers", "officers"):
        for site in read_sites(options.web, task):
            sketches = [simhash(split_tokens(page.text)) if page is not None else None for page in site.pages]
            whole, less = walk(site, sketches, None), walk(site, sketches, options.distance)
            saved, lost = whole.n_requests - less.n_requests, whole.n_targets - less.n_targets
            row = [whole.n_pages, less.n_copies, saved, whole.n_requests, lost, whole.n_targets]
            totals = [total + one for total, one in zip(totals, row, strict=True)]
            say(
                f"{site.name:20}{whole.n_pages:8}{less.n_copies:8}"
                f"{f'{saved} of {whole.n_requests}':>16}{f'{lost} of {whole.n_targets}':>14}"
            )
    say(
        f"{'all':20}{totals[0]:8}{totals[1]:8}"
        f"{f'{totals[2]} of {totals[3]}':>16}{f'{totals[4]} of {totals[5]}':>14}"
    )


if __name__ == "__main__":
    main()
