"""Names that the program defines and nothing of it uses; `make check` runs this, and one name fails it.

    .venv/bin/python scripts/dead_code.py

Uses by tests and benchmarks do not count: what only they call is dead. Uses in templates do.
"""

import sys
from pathlib import Path

from jinja2 import Environment, nodes
from vulture import Vulture

SOURCE = Path(__file__).resolve().parents[1] / "src" / "portico"
MIN_CONFIDENCE = 60  # percent: vulture's own default, by which every unused name is told

ALLOWED = {
    # called or read by a library that we hand the object to
    "redirect_slashes": "Starlette's router",
    "filter_stream": "Jinja's extensions",
    "isolation_level": "sqlite3's connections",
    "impl": "SQLAlchemy's column types",
    "cache_ok": "SQLAlchemy's column types",
    "process_bind_param": "SQLAlchemy's column types",
    "load_dialect_impl": "SQLAlchemy's column types",
    "on_message_begin": "httptools' parser",
    "on_url": "httptools' parser",
    "on_header": "httptools' parser",
    "on_message_complete": "httptools' parser",
    "trace": "the third argument of every __exit__",
    # what people import
    "__getattr__": "Python's way to load a name of a module when it is used",
    "__class__": "Python's way to make a package callable: extract/__init__.py",
    "OpenedPortal": "portico.open",
    "to_pandas": "docs/python.md",
    "to_polars": "docs/python.md",
    # parts of a value that is printed or written as a whole
    "n_web": "status --json",
    "n_files": "status --json",
    "n_corrected": "train --json",
    "reproduced": "lab spider --json",
    "MUST": "made from the sign in a query: Sign('+')",
    "fit_pair_weights": "prints the weights of match/scoring.py anew; a test holds them to it",
    "answer_requests": "the program of a child process: crawl/page_reading.py names it in its command line",
    "write_journal_names": "makes lexicons/journals.bin anew; a test holds it to it",
    "learn_name_words": "makes text/name_words.tsv anew; a test holds it to it",
    "compute_log_posterior": "what merging states must raise: tests of the papers' rule ask for it",
}
COMMANDS = ("@*.command", "@*.callback")  # Typer's functions, which nobody calls by name


def names_in_templates() -> str:
    """A module that uses every attribute and variable that a template does."""
    environment, used = Environment(autoescape=True), set()
    for path in (SOURCE / "serve").rglob("*.html"):
        tree = environment.parse(path.read_text(encoding="utf-8"))
        used |= {node.attr for node in tree.find_all(nodes.Getattr)}
        used |= {node.name for node in tree.find_all(nodes.Name)}
    return "\n".join(f"_.{name}" for name in sorted(used))


def main() -> None:
    scanner = Vulture(ignore_decorators=[*COMMANDS])
    scanner.scavenge([str(SOURCE)])
    scanner.scan(names_in_templates(), filename="templates")
    unused = scanner.get_unused_code(min_confidence=MIN_CONFIDENCE)
    complaints = [
        f"{Path(each.filename).relative_to(SOURCE.parents[1])}:{each.first_lineno}: "
        f"nothing uses the {each.typ} {each.name}"
        for each in unused
        if each.name not in ALLOWED
    ]
    complaints += [
        f"scripts/dead_code.py: {name} needs no exception any more: take it off the list"
        for name in sorted(ALLOWED.keys() - {each.name for each in unused})
    ]
    sys.exit("\n".join(complaints) or 0)


if __name__ == "__main__":
    main()
