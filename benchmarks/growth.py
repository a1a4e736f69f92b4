"""What a portal of generated papers takes as it grows: processor time, memory and disk of every stage.

    python benchmarks/growth.py [--papers 10000 100000 1000000] [--references 30] [--memory "2 GB"]
    python benchmarks/growth.py --project FIGURES.json

For each size papers with titles, authors, abstracts and citation strings are generated (always the same
ones), imported and built stage by stage, each stage in a process of its own; then built again with nothing to
do, and once more with one paper more. Prints the seconds of processor time and the peak memory of every
stage, what is on disk, and the exponent of each stage: how its seconds grow with the papers, by least squares
over all sizes (1.0 is in step). `--keep FOLDER` keeps the portals, and a run that was ended goes on there
after the last step it finished; `--figures FILE` writes what was measured.

`--project` makes the calculation of docs/growth.md of such figures: what ten million papers and a billion
addresses of a frontier take, by the costs and exponents of the largest sizes, at the prices given as options.

Paper number 17 is made of the number 17 alone, so a citation of it can be printed without keeping it: the
generator takes no memory, however many papers there are. Words are drawn by Zipf's law from an endless
vocabulary and from the keywords of the topic tree that ships, names from a pool that grows with the papers;
nine of ten references go to papers of the file, the older the likelier, and one of ten to works outside.
"""

import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from portico.cli.progress_lines import ProgressLines
from portico.config.reading import read_settings
from portico.config.template import format_import_toml
from portico.config.topics import read_topics
from portico.domains import papers as papers_domain
from portico.engine.local import LocalEngine
from portico.pipeline.building import STAGES
from portico.pipeline.catalogs.formats import CatalogFormat
from portico.pipeline.importing import CatalogFile, import_records
from portico.pipeline.opening import open_for_changes
from portico.pipeline.runners import BuildRun
from portico.store.opening import open_store
from portico.types.frontier import Offer
from portico.types.page import Url
from portico.types.stages import StageName

SIZES = (10_000, 100_000)
BUILT = (
    StageName.CLASSIFY,
    StageName.MATCH,
    StageName.PLACE,
    StageName.RANKS,
    StageName.AUTHORS,
    StageName.INDEX,
)
CHECK, AGAIN, ONE_MORE = "check everything", "nothing to do", "one paper more"
MAKE = "make"
RECORDS, MORE = "papers.jsonl", "more.jsonl"
COMMANDS = {CHECK: ("build",), AGAIN: ("build",), ONE_MORE: ("import", MORE)}
"""What a builder types: the first build finds nothing to do, too, but no note of a build before it."""
STEPS = (StageName.IMPORT, *BUILT, *COMMANDS)
FINISHED = "growth.json"  # in the folder of a portal: what each finished step took


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


# --- papers -----------------------------------------------------------------------------------------------

SYLLABLES = [first + last for first in "bcdfglmnprstvz" for last in ("a", "e", "i", "o", "u", "an", "er")]
FUNCTION_WORDS = ("of", "the", "a", "in", "for", "and", "to", "with", "on", "by", "we", "is", "that", "this")
GIVEN = (
    "Anna", "Boris", "Chen", "Dora", "Emil", "Fang", "Grace", "Hugo", "Ines", "Jan", "Karin", "Li", "Maria",
    "Noah", "Olga", "Pedro", "Rosa", "Sven", "Wei", "Yuki",
)  # fmt: skip
VENUES = [f"{kind} {word}" for kind in ("Journal of", "Proceedings of the Conference on") for word in (
    "Computing", "Learning", "Databases", "Networks", "Systems", "Language", "Vision", "Theory", "Robotics",
)]  # fmt: skip
SHARE_OUTSIDE = 0.1  # of the references, to works that are not in the file
WORKS_OUTSIDE = 5  # papers for each work outside
AUTHORS_A_PAPER = 3
PAPERS_A_PERSON = 4


@dataclass(frozen=True, slots=True)
class GeneratedPaper:
    """What a header and every reference to it are printed from."""

    title: str
    authors: tuple[tuple[str, str], ...]  # given names and surname
    year: int
    venue: str
    field: int


@cache
def read_topic_words() -> tuple[tuple[str, ...], ...]:
    """The keywords of every leaf of the tree that ships."""
    return tuple(topic.keywords for topic in read_topics(Path(papers_domain.__file__).parent / "topics.toml"))


def draw_rank(chance: random.Random, scale: float) -> int:
    """A number from 0 upwards, without end, the smaller the likelier by a power law beyond `scale`."""
    return int(scale * ((1.0 - chance.random()) ** -1.2 - 1.0))


@cache
def spell(number: int) -> str:
    """The word of that number; neighbors look nothing alike."""
    word, number = "", number * 2_654_435_761 % 2**32 % 9_000_011 + len(SYLLABLES)
    while number:
        number, part = divmod(number, len(SYLLABLES))
        word += SYLLABLES[part]
    return word


def draw_word(chance: random.Random, field: int) -> str:
    kind = chance.random()
    if kind < 0.35:
        return chance.choice(FUNCTION_WORDS)
    if kind < 0.5:
        return chance.choice(read_topic_words()[field])
    return spell(draw_rank(chance, 400.0) % 5_000_000)


@lru_cache(maxsize=100_000)
def make_person(number: int) -> tuple[str, str]:
    chance = random.Random(f"person {number}")
    surname = spell(draw_rank(chance, 200.0) % 200_000).capitalize()
    return " ".join(chance.choices(GIVEN, k=chance.choice((1, 1, 2)))), surname


@lru_cache(maxsize=100_000)
def make_paper(number: int, n_papers: int) -> GeneratedPaper:
    """Paper `number` of a file of so many; negative numbers are works outside."""
    chance = random.Random(f"paper {number}")
    field = chance.randrange(len(read_topic_words()))
    title = " ".join(draw_word(chance, field) for _ in range(chance.randint(5, 12))).capitalize()
    n_people = max(n_papers * AUTHORS_A_PAPER // PAPERS_A_PERSON, 100)
    group = chance.randrange(n_people)  # who write together live next door
    people = sorted({(group + int(chance.expovariate(0.3))) % n_people for _ in range(chance.randint(1, 5))})
    chance.shuffle(people)
    year = 1970 + 50 * number // max(n_papers, 1) if number >= 0 else 1970 + chance.randrange(50)
    return GeneratedPaper(
        title, tuple(make_person(person) for person in people), year, chance.choice(VENUES), field
    )


def choose_cited(chance: random.Random, number: int, n_papers: int) -> int:
    """An earlier paper, the older the likelier, or a work outside."""
    if number == 0 or chance.random() < SHARE_OUTSIDE:
        return -1 - int((n_papers // WORKS_OUTSIDE + 1) * chance.random() ** 2)
    return int(number * chance.random() ** 1.5)


def print_reference(cited: GeneratedPaper, chance: random.Random) -> dict[str, Any]:
    """As authors print it: initials or full names, short venues, a slip of the pen in one of twelve."""
    style = chance.randrange(4)
    names = [
        f"{surname}, {given[0]}."
        if style == 0
        else f"{given[0]}. {surname}"
        if style < 3
        else f"{given} {surname}"
        for given, surname in cited.authors
    ]
    title = cited.title
    if chance.random() < 1 / 12 and len(title) > 20:
        place = chance.randrange(5, len(title) - 1)
        title = title[:place] + title[place + 1 :]
    venue = (
        cited.venue.replace("Proceedings of the Conference on", "Proc. Conf.") if style % 2 else cited.venue
    )
    found: dict[str, Any] = {
        "raw": f"{', '.join(names)}. {title}. {venue}, {cited.year}.",
        "title": title,
        "authors": names,
        "year": str(cited.year),
    }
    return found if chance.random() < 0.15 else found | {"venue": venue}


def generate_records(
    n_papers: int, n_references: int, first: int = 0, last: int | None = None
) -> Iterator[str]:
    """Lines for `portico import jsonl`."""
    for number in range(first, n_papers if last is None else last):
        chance = random.Random(f"text {number}")
        paper = make_paper(number, n_papers)
        words = [draw_word(chance, paper.field) for _ in range(chance.randint(80, 220))]
        n_cited = min(int(chance.expovariate(1 / n_references)) if n_references else 0, 4 * n_references)
        cited = {choose_cited(chance, number, n_papers) for _ in range(n_cited)} - {number}
        record = {
            "id": f"generated-{number}",
            "title": paper.title,
            "authors": [f"{given} {surname}" for given, surname in paper.authors],
            "abstract": " ".join(words).capitalize() + ".",
            "year": paper.year,
            "venue": paper.venue,
            "references": [print_reference(make_paper(each, n_papers), chance) for each in sorted(cited)],
        }
        yield json.dumps(record) + "\n"


# --- measuring --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cost:
    """What one step took."""

    seconds: float  # of processor time, of the process and its children
    peak_mb: float


@dataclass(frozen=True, slots=True)
class GrowthFigures:
    """What was measured at one size."""

    n_papers: int
    n_references: int
    costs: dict[str, Cost]
    disk_mb: dict[str, float]


def measure_child(*arguments: str, program: tuple[str, ...] = (__file__,)) -> Cost:
    """Run this program, or another, with these arguments in a process of its own."""
    child = subprocess.Popen([sys.executable, *program, *arguments])
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"growth: {' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def run_step(step: str, folder: Path) -> None:
    """One step, in this process."""
    quiet = ProgressLines(None)
    with open_for_changes(folder) as portal:
        if step == StageName.IMPORT:
            records = folder / RECORDS
            import_records(CatalogFile(records, CatalogFormat.JSONL), portal, quiet, clock=time.time)
            return
        run = BuildRun(LocalEngine(1), quiet, time.time)
        for stage in STAGES:
            if stage.name == step == StageName.MATCH:
                portal.collection.match(portal, run)
            elif stage.name == step:
                stage.run(portal, run)


def measure_growth(folder: Path, n_papers: int, options: argparse.Namespace) -> GrowthFigures:
    folder.mkdir(parents=True, exist_ok=True)
    engine = f'\n[engine]\nmemory = "{options.memory}"\n' if options.memory else ""
    (folder / "portal.toml").write_text(format_import_toml("Growth") + engine)
    read_settings(folder, for_building=False)  # says what is wrong with an option before hours of work
    finished = folder / FINISHED
    costs = {step: Cost(**cost) for step, cost in _read_finished(finished, n_papers, options).items()}
    for step in (MAKE, *STEPS):
        if step not in costs:
            if step == MAKE:
                make = ("--make", str(folder), "--references", str(options.references))
                costs[step] = measure_child(*make, "--papers", str(n_papers))
            elif step in COMMANDS:
                command, *files = COMMANDS[step]
                words = (command, "-q", *(str(folder / name) for name in files), str(folder))
                costs[step] = measure_child(*words, program=("-m", "portico"))
            else:
                costs[step] = measure_child("--step", step, "--portal", str(folder))
            kept = {
                "of": _describe_portal(n_papers, options),
                "costs": {k: asdict(v) for k, v in costs.items()},
            }
            finished.write_text(json.dumps(kept))
        say(f"{n_papers:>10,} papers  {step:<16}{costs[step].seconds:>9.1f} s{costs[step].peak_mb:>9,.0f} MB")
    disk = {
        "records": _measure_mb(folder / RECORDS),
        "store": sum(map(_measure_mb, folder.glob("portico.db*"))),
        "index": _measure_mb(folder / "index"),
    }
    return GrowthFigures(n_papers, options.references, costs, disk)


def _describe_portal(n_papers: int, options: argparse.Namespace) -> str:
    return f"{n_papers} papers of {options.references} references, memory {options.memory or 'by default'}"


def _read_finished(path: Path, n_papers: int, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    if not path.exists():
        return {}
    kept = json.loads(path.read_text())
    if kept["of"] != (asked := _describe_portal(n_papers, options)):
        sys.exit(f"growth: {path.parent} has {kept['of']}, not {asked}")
    return kept["costs"]


def make_files(folder: Path, n_papers: int, n_references: int) -> None:
    with (folder / RECORDS).open("w") as file:
        file.writelines(generate_records(n_papers, n_references))
    with (folder / MORE).open("w") as file:
        file.writelines(generate_records(n_papers, n_references, n_papers, n_papers + 1))


def _measure_mb(path: Path) -> float:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


# --- telling ----------------------------------------------------------------------------------------------


def fit_exponent(sizes: list[int], values: list[float]) -> float:
    """The slope of the line through the logarithms, by least squares."""
    logs = [(math.log(size), math.log(max(value, 1e-3))) for size, value in zip(sizes, values, strict=True)]
    mean_x, mean_y = (sum(column) / len(logs) for column in zip(*logs, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread if spread else float("nan")


def print_table(figures: list[GrowthFigures]) -> None:
    sizes = [each.n_papers for each in figures]
    say("")
    say(f"{'':<18}" + "".join(f"{size:>22,}" for size in sizes) + f"{'exponent':>10}")
    for step in STEPS:
        costs = [each.costs[step] for each in figures]
        cells = "".join(f"{cost.seconds:>11,.1f} s{cost.peak_mb:>6,.0f} MB" for cost in costs)
        say(f"{step:<18}{cells}{fit_exponent(sizes, [cost.seconds for cost in costs]):>10.2f}")
    whole = [sum(each.costs[step].seconds for step in STEPS[: -len(COMMANDS)]) for each in figures]
    peaks = [max(cost.peak_mb for cost in each.costs.values()) for each in figures]
    cells = "".join(
        f"{seconds:>11,.1f} s{peak:>6,.0f} MB" for seconds, peak in zip(whole, peaks, strict=True)
    )
    say(f"{'import and build':<18}{cells}{fit_exponent(sizes, whole):>10.2f}")
    for kind in figures[0].disk_mb:
        taken = [each.disk_mb[kind] for each in figures]
        cells = "".join(f"{mb:>19,.0f} MB" for mb in taken)
        say(f"{kind + ' on disk':<18}{cells}{fit_exponent(sizes, taken):>10.2f}")


def project(path: Path, options: argparse.Namespace) -> None:
    """The calculation: every figure in it is measured or an option."""
    rows = json.loads(path.read_text())
    figures = [
        replace(GrowthFigures(**row), costs={k: Cost(**v) for k, v in row["costs"].items()}) for row in rows
    ]
    sizes, last = [each.n_papers for each in figures], figures[-1]
    wanted = options.of
    times = wanted / last.n_papers
    say(f"{wanted:,} papers of {last.n_references} references, from {', '.join(f'{s:,}' for s in sizes)}:")
    hours = 0.0
    for step in STEPS[: -len(COMMANDS)]:
        grows = max(1.0, fit_exponent(sizes, [each.costs[step].seconds for each in figures]))
        taken = last.costs[step].seconds * times**grows / 3600
        hours += taken
        say(f"  {step:<12}{taken:>10,.1f} core hours (exponent {grows:.2f})")
    documents = wanted * options.document_seconds / 3600
    each = f"{options.document_seconds} s to convert and extract one"
    say(f"  {'documents':<12}{documents:>10,.1f} core hours ({each})")
    gigabytes = {kind: mb * times / 1e3 for kind, mb in last.disk_mb.items() if kind != "records"}
    gigabytes["bodies"] = wanted * options.body_kb / 1e6
    gigabytes["frontier"] = options.addresses * measure_link_bytes() / 1e9
    for kind, size in gigabytes.items():
        say(f"  {kind:<12}{size:>10,.0f} GB")
    cores = hours + documents
    say(f"  in all {cores:,.0f} core hours: {cores / options.cores / 24:.1f} days of {options.cores} cores, "
        f"{cores * options.core_hour:,.0f} at {options.core_hour} a core hour")  # fmt: skip
    say(f"  and {sum(gigabytes.values()):,.0f} GB: {sum(gigabytes.values()) * options.gb_month:,.0f} a month "
        f"at {options.gb_month} a GB")  # fmt: skip


N_LINKS = 100_000


def measure_link_bytes() -> float:
    """What an address in the frontier takes on disk, its place in the index of the next links included."""
    with tempfile.TemporaryDirectory() as place:
        store = open_store("sqlite:///portico.db", Path(place), create=True)
        for first in range(0, N_LINKS, 5_000):
            store.crawl.frontier.offer(
                [
                    Offer(
                        Url(f"http://host{number % 1000}.test/section/{number // 7}/page-{number}.html"),
                        f"host{number % 1000}.test",
                        depth=1 + number % 9,
                        priority=(number * 2654435761 % 2**32) / 2**32,
                        via=Url(f"http://host{number % 1000}.test/"),
                        anchor=f"the page number {number}",
                    )
                    for number in range(first, first + 5_000)
                ]
            )
        store.close()
        return sum(file.stat().st_size for file in Path(place).glob("portico.db*")) / N_LINKS


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add: Callable[..., Any] = parser.add_argument
    add("--papers", type=int, nargs="+", default=SIZES)
    add("--references", type=int, default=30, help="of a paper, on average")
    add("--memory", default="", help='the budget of a stage, as "2 GB"')
    add("--keep", type=Path, help="where the portals are made; without it they are thrown away")
    add("--figures", type=Path, help="where what was measured is written as JSON")
    add("--project", type=Path, help="calculate from such figures instead of measuring")
    add("--of", type=int, default=10_000_000, help="papers to calculate for")
    add("--addresses", type=int, default=1_000_000_000, help="of the frontier to calculate for")
    add("--document-seconds", type=float, default=1.5, help="to convert and extract one: `portico status`")
    add("--body-kb", type=float, default=500.0, help="of one file, on average")
    add("--cores", type=int, default=64)
    add("--core-hour", type=float, default=0.04, help="price")
    add("--gb-month", type=float, default=0.08, help="price")
    for hidden in ("--make", "--portal"):
        add(hidden, type=Path, help=argparse.SUPPRESS)
    add("--step", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = read_options()
    if options.make:
        make_files(options.make, options.papers[0], options.references)
    elif options.step:
        run_step(options.step, options.portal)
    elif options.project:
        project(options.project, options)
    else:
        work = options.keep or Path(tempfile.mkdtemp(prefix="portico-growth-"))
        figures = []
        for n_papers in options.papers:
            figures.append(measure_growth(work / str(n_papers), n_papers, options))
            if options.figures:
                options.figures.write_text(json.dumps([asdict(each) for each in figures], indent=1) + "\n")
            if not options.keep:
                shutil.rmtree(work / str(n_papers))
        print_table(figures)


if __name__ == "__main__":
    main()
