"""Does valuing links by roll-out take time that grows with the number of links, and no faster?

    python benchmarks/rollouts.py [--links N ...]

For each size (20,000 and 80,000 links unless told otherwise) a synthetic site is made: pages of 20 links, one
in three to a page or document not seen before, one document in fifty a target. Prints the processor time of
all roll-outs and of all best rates, and the same for the peer: a search from every link of its own for the
nearest targets, as the papers describe it, from the first 50 links. Ends with an error when a link of the
largest site takes over twice the time of one of the smallest.
"""

import argparse
import random
import sys
import time
from collections import deque
from collections.abc import Callable, Set

from portico.crawl.policies.training import MAX_STEPS, Children, compute_best_rates, compute_discounted_sums

SIZES = (20_000, 80_000)
LINKS_OF_PAGE = 20
MAX_GROWTH = 2.0  # of the time a link takes, from the smallest site to the largest
N_SEARCHED = 50


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def site(n_links: int) -> tuple[list[list[int]], set[int]]:
    """Links by page, and the targets; addresses are numbered in the order they are first linked to."""
    chance = random.Random(n_links)
    children: list[list[int]] = [[]]
    targets: set[int] = set()
    at = linked = 0
    while linked < n_links:
        while at and at < len(children) - 1 and at % 3:  # every third address is a page
            at += 1
        for _ in range(LINKS_OF_PAGE):
            if chance.random() < 1 / 3 or len(children) < LINKS_OF_PAGE:
                children.append([])
                if len(children) % 3 and chance.random() < 1 / 50:
                    targets.add(len(children) - 1)
                children[at].append(len(children) - 1)
            else:
                children[at].append(chance.randrange(1, len(children)))
        linked += LINKS_OF_PAGE
        at += 1
    return children, targets


def searched(children: Children, targets: Set[int]) -> int:
    """The peer: from each link, go on until as many targets are met as a roll-out can use."""
    n_met = 0
    for link in range(1, N_SEARCHED + 1):
        seen = {link}
        queue = deque([link])
        n_found = 0
        while queue and n_found < MAX_STEPS:
            address = queue.popleft()
            n_found += address in targets
            fresh = [child for child in children[address] if child not in seen]
            seen.update(fresh)
            queue.extend(fresh)
        n_met += n_found
    return n_met


def seconds(work: Callable[[Children, Set[int]], object], children: Children, targets: Set[int]) -> float:
    started = time.process_time()
    work(children, targets)
    return time.process_time() - started


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--links", type=int, nargs="+", default=list(SIZES), metavar="N")
    sizes = sorted(parser.parse_args().links)
    a_link: dict[str, list[float]] = {"roll-outs": [], "best rates": []}
    for n_links in sizes:
        children, targets = site(n_links)
        n_found = sum(map(len, children))
        peer = seconds(searched, children, targets) / N_SEARCHED * len(children)
        for name, value in (("roll-outs", compute_discounted_sums), ("best rates", compute_best_rates)):
            took = seconds(value, children, targets)
            a_link[name].append(took / n_found)
            say(
                f"{n_found:>8,} links, {len(children):>7,} addresses, {name}: {took:7.2f} s, "
                f"{1e6 * took / n_found:6.1f} µs a link; a search from each {peer / took:.1f} times as long"
            )
    growth = {name: times[-1] / times[0] for name, times in a_link.items()}
    for name, factor in growth.items():
        say(f"{name}: a link of {sizes[-1]:,} takes {factor:.2f} times as long as one of {sizes[0]:,}")
    return int(any(factor > MAX_GROWTH for factor in growth.values()))


if __name__ == "__main__":
    sys.exit(main())
