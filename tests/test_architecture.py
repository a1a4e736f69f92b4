"""The floor plan, checked: who may touch the world, how big rooms get, and that each says what it is.

Which room may import which is in `.importlinter`; `make check` runs it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "portico"
MODULES = sorted(SOURCE.rglob("*.py"))

MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60
DRAWERS = {"utils", "util", "helpers", "misc", "common", "base", "core", "tools"}

# What touches the world, and the only places that may.
KEEPERS = {
    "sqlite3": ("store",),
    "sqlalchemy": ("store",),
    "aiohttp": (),  # the crawler speaks HTTP itself: crawl/fetching/http1.py
    "socket": ("crawl/fetching/connections.py", "serve"),
    "ssl": ("crawl/fetching/connections.py",),
    "urllib.request": (),
    "http.client": (),
    "subprocess": ("convert", "sample"),
    "multiprocessing": ("engine", "sample"),
    "numpy": ("learn", "lab/faithful"),
    "scipy": ("learn", "lab/faithful"),
    "jinja2": ("serve",),
    "tantivy": ("index",),
    "pypdfium2": ("convert",),
    "pypdfium2_raw": ("convert",),
    "pycrfsuite": ("learn",),
    "typer": ("cli",),
    "rich": ("cli",),
    "pickle": (),
}


def place(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@pytest.fixture(params=MODULES, ids=place)
def module(request: pytest.FixtureRequest) -> Path:
    assert isinstance(request.param, Path)
    return request.param


def imported(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name, node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: use absolute imports"
            yield node.module or "", node.lineno
            yield from ((f"{node.module}.{name.name}", node.lineno) for name in node.names)


def test_only_keepers_touch_the_world(module: Path) -> None:
    for name, line in imported(ast.parse(module.read_text())):
        for outside, keepers in KEEPERS.items():
            if name == outside or name.startswith(outside + "."):
                kept = any(
                    place(module) == keeper or place(module).startswith(keeper + "/") for keeper in keepers
                )
                assert kept, f"{place(module)}:{line}: only {keepers or 'nobody'} may import {outside}"


def test_stays_small(module: Path) -> None:
    source = module.read_text()
    assert len(source.splitlines()) <= MAX_MODULE_LINES
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < MAX_FUNCTION_LINES, f"{node.name} is too long"


def test_says_what_it_is(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text())), "a module opens with one sentence"


def test_has_a_name(module: Path) -> None:
    assert not DRAWERS & set(place(module).removesuffix(".py").split("/")), "a drawer is not a room"


def test_is_small_on_the_whole() -> None:
    lengths = sorted(len(path.read_text().splitlines()) for path in MODULES)
    assert lengths[len(lengths) // 2] <= 200
