"""Fuzzes what reads strangers' bytes; `make fuzz` runs it. Findings become tests.

    python scripts/fuzz.py [TARGET ...] [--minutes N] [--corpus DIR]

Each target runs for N minutes (1 unless told otherwise), guided by coverage where atheris is installed
(`pip install atheris`; it is not one of our dependencies), else by chance alone. Inputs that reached new code
are kept in DIR (.fuzz unless told otherwise) for the next run. An input that makes a target raise, or take
longer than 5 seconds, is written to tests/fuzzing/findings/TARGET/ and the next target is tried. Prints the
executions of each target and of all; exits with 1 if anything was found.
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
FINDINGS = ROOT / "tests" / "fuzzing" / "findings"
SLOW_S = 5
_EXECUTED = re.compile(rb"Done (\d+) runs|number_of_executed_units: (\d+)|^#(\d+)\t", re.MULTILINE)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def guide(name: str, arguments: list[str]) -> None:
    """Runs one target under atheris, in a process of its own; never returns."""
    import atheris  # type: ignore[import-not-found]

    with atheris.instrument_imports(include=["portico"]):
        from tests.fuzzing.targets import TARGETS
    atheris.Setup([sys.argv[0], *arguments], TARGETS[name].run)
    atheris.Fuzz()


def fuzz_guided(name: str, seconds: float, corpus: Path) -> tuple[int, list[bytes]]:
    from tests.fuzzing.targets import TARGETS

    target, place = TARGETS[name], corpus / name
    place.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds:
        (place / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    with tempfile.TemporaryDirectory() as folder:
        dictionary = Path(folder, "words")
        escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in target.words)
        dictionary.write_text("".join(f'"{word}"\n' for word in escaped))
        limits = [
            f"-max_total_time={int(seconds)}",
            f"-timeout={SLOW_S}",
            "-max_len=4096",
            "-print_final_stats=1",
        ]
        command = [sys.executable, __file__, "--guided", name, "--", f"-artifact_prefix={folder}/found-"]
        command += [*limits, *([f"-dict={dictionary}"] if target.words else []), str(place)]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
        counts = [int(next(filter(None, found))) for found in _EXECUTED.findall(said.stderr)]
        found = [path.read_bytes() for path in sorted(Path(folder).glob("found-*"))]
        if said.returncode and not found:
            raise SystemExit(said.stderr.decode(errors="replace")[-2000:])
    return max(counts, default=0), found


def fuzz_by_chance(name: str, seconds: float, seed: int) -> tuple[int, list[bytes]]:
    from tests.fuzzing.mutating import make_variants
    from tests.fuzzing.targets import TARGETS

    target, until = TARGETS[name], time.monotonic() + seconds
    for n_tried, body in enumerate(make_variants(target.seeds, target.words, seed=seed), start=1):
        started = time.monotonic()
        try:
            target.run(body)
        except (Exception, RecursionError):  # noqa: BLE001 whatever it is, it was not foreseen
            return n_tried, [body]
        now = time.monotonic()
        if now - started > SLOW_S:
            return n_tried, [body]
        if now > until:
            return n_tried, []
    raise AssertionError("variants never end")


def keep(name: str, body: bytes) -> Path:
    path = FINDINGS / name / hashlib.sha256(body).hexdigest()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--corpus", type=Path, default=ROOT / ".fuzz")
    parser.add_argument("--seed", type=int, default=time.time_ns() & 0xFFFF)
    options = parser.parse_args()
    from tests.fuzzing.targets import TARGETS

    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        raise SystemExit(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    is_guided = find_spec("atheris") is not None
    say(
        "guided by coverage (atheris)"
        if is_guided
        else f"by chance (seed {options.seed}); atheris is not installed"
    )
    total = n_found = 0
    for name in options.targets or TARGETS:
        seconds = 60 * options.minutes
        n_tried, found = (
            fuzz_guided(name, seconds, options.corpus.resolve())
            if is_guided
            else fuzz_by_chance(name, seconds, options.seed)
        )
        kept = "".join(f", FOUND {keep(name, body).relative_to(ROOT)}" for body in found)
        say(f"{name:<13}{n_tried:>12,} executions{kept}")
        total, n_found = total + n_tried, n_found + len(found)
    say(f"{'all':<13}{total:>12,} executions, {n_found} findings")
    if n_found:
        raise SystemExit(1)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    if sys.argv[1:2] == ["--guided"]:
        guide(sys.argv[2], sys.argv[4:])
    main()
