"""The floor plan, checked: who may touch the world, how big modules get, and that each says what it is.

Each test lists everything that breaks its rule. Which room may import which is in `.importlinter`;
`make check` runs it.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "portico"

MAX_MODULE_LINES = 400
MAX_MEDIAN_LINES = 200
MAX_FUNCTION_LINES = 60
DRAWERS = {"utils", "util", "helpers", "misc", "common", "base", "core", "tools"}

# What touches the world, and the only places that may.
KEEPERS = {
    # The lab compares our search with the bare engines; Zotero's database is a file of another program.
    "sqlite3": ("store", "lab/measures/search.py", "pipeline/catalogs/zotero.py"),
    "sqlalchemy": ("store",),
    "fsspec": ("store",),
    "dask": ("engine",),
    "distributed": ("engine",),
    "pyarrow": ("serve/papers/bulk.py",),
    "aiohttp": (),  # the crawler speaks HTTP itself: crawl/fetching/http1.py
    "socket": ("crawl/fetching/connections.py", "serve"),
    "ssl": ("crawl/fetching/connections.py",),
    "urllib.request": (),
    "http.client": (),
    "subprocess": ("convert", "sample", "cli/operating.py"),
    "multiprocessing": ("engine", "sample"),
    "numpy": ("learn", "lab/faithful"),
    "scipy": ("learn", "lab/faithful"),
    "jinja2": ("serve",),
    "tantivy": ("index", "lab/measures/search.py", "text/stemming.py"),  # its stemmers
    "pypdfium2": ("convert",),
    "pypdfium2_raw": ("convert",),
    "pycrfsuite": ("learn",),
    "typer": ("cli",),
    "rich": ("cli",),
    "pickle": (),
    # Stages get a clock from whoever calls them; where they must ask themselves, it is here.
    "time": (
        *("cli", "engine", "lab", "pipeline", "sample", "serve", "store"),
        *("crawl/crawling.py", "crawl/single_url.py", "convert/pipes.py"),
    ),
}


@cache
def modules() -> dict[str, str]:
    """The text of every module by its path inside the package."""
    return {path.relative_to(SOURCE).as_posix(): path.read_text() for path in sorted(SOURCE.rglob("*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    return {place: ast.parse(text) for place, text in modules().items()}


def imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every name that is imported, with its line; a relative import begins with a dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name, node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield module, node.lineno
            yield from ((f"{module}.{name.name}", node.lineno) for name in node.names)


def is_inside(place: str, keepers: tuple[str, ...]) -> bool:
    return any(place == keeper or place.startswith(f"{keeper}/") for keeper in keepers)


def check(broken: list[str]) -> None:
    """Fails with all of them, one a line."""
    assert not broken, "\n".join(["", *broken])


def test_only_keepers_touch_the_world() -> None:
    broken = [
        f"{place}:{line}: imports {outside}, which only {', '.join(keepers) or 'nobody'} may"
        for place, tree in trees().items()
        for name, line in imports(tree)
        for outside, keepers in KEEPERS.items()
        if (name == outside or name.startswith(f"{outside}.")) and not is_inside(place, keepers)
    ]
    check(broken)


def test_imports_are_absolute() -> None:
    broken = [
        f"{place}:{line}"
        for place, tree in trees().items()
        for name, line in imports(tree)
        if name.startswith(".")
    ]
    check(broken)


def test_modules_are_small() -> None:
    lengths = {place: len(text.splitlines()) for place, text in modules().items()}
    check([f"{place} has {n} lines" for place, n in lengths.items() if n > MAX_MODULE_LINES])
    assert sorted(lengths.values())[len(lengths) // 2] <= MAX_MEDIAN_LINES


def test_functions_are_small() -> None:
    broken = [
        f"{place}:{node.lineno}: {node.name} has {(node.end_lineno or 0) - node.lineno + 1} lines"
        for place, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    ]
    check(broken)


def test_every_module_says_what_it_is() -> None:
    check([place for place, tree in trees().items() if not ast.get_docstring(tree)])


def test_no_module_is_a_drawer() -> None:
    check([place for place in modules() if DRAWERS & set(place.removesuffix(".py").split("/"))])


def test_a_class_name_is_used_once() -> None:
    places: dict[str, list[str]] = {}
    for place, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(f"{place}:{node.lineno}")
    check([f"{name}: {', '.join(found)}" for name, found in places.items() if len(found) > 1])
