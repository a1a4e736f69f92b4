#!/usr/bin/env python3
"""Runs Lighthouse on every kind of public page of a portal of papers that is being served.

    python scripts/lighthouse.py [http://127.0.0.1:8000] [PATH...] [--desktop]

Prints a table of scores (100 is best) and of what each page loads; exits with 1 if a score is below 95.
Needs npm, which fetches Lighthouse into a temporary folder unless LIGHTHOUSE names the program, and Chromium
(CHROME_PATH, or else /usr/bin/chromium). Pages are measured as on a phone, or with --desktop as on a desktop.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus
from urllib.request import urlopen

LEAST, GOOD = 95, 0.9
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
# Pages about the visitor, or that lists of results multiply, ask search engines not to index them.
UNINDEXED = ("/search", "/map", "/reading-list", "/read/")
VERSION = "lighthouse@13"


def list_pages(portal: str) -> Iterator[str]:
    """One page of each kind."""
    papers = ask(portal, "/api/search?q=&sort=citations")["papers"]
    details = [ask(portal, f"/api/paper/{paper['id']}") for paper in papers[:10]]
    viewed = {each["id"]: find_viewer(portal, each["id"]) for each in details}
    paper = next((each for each in details if each.get("topics") and viewed[each["id"]]), details[0])
    yield "/"
    yield "/search?q=" + quote_plus(" ".join(paper["title"].split()[:2]))
    yield f"/paper/{paper['id']}"
    if viewed[paper["id"]]:
        yield viewed[paper["id"]]
    yield "/topics"
    for topic in paper.get("topics", [])[:1]:
        path = topic["path"].split("/") if isinstance(topic["path"], str) else topic["path"]
        yield "/topic/" + "/".join(quote(name, safe="") for name in path)
    for author in paper["authors"][:1]:
        yield "/author?name=" + quote_plus(author)
    if paper.get("venue"):
        yield "/venue?name=" + quote_plus(paper["venue"])
    if paper.get("year"):
        yield f"/year/{paper['year']}"
    yield from ("/map", f"/map?paper={paper['id']}", "/reading-list", "/about", "/api", "/submit")


def find_viewer(portal: str, paper: str) -> str:
    """The page on which a paper's PDF is shown; "" if it has none."""
    with urlopen(f"{portal}/paper/{paper}", timeout=60) as answer:  # noqa: S310 — the address is the caller's
        page = answer.read().decode()
    found = re.search(rf"/paper/{paper}/read/\d+", page)
    return found.group() if found else ""


def ask(portal: str, path: str) -> Any:
    with urlopen(portal + path, timeout=60) as answer:  # noqa: S310 — the address is the caller's
        return json.load(answer)


def measure(program: str, url: str, *, desktop: bool) -> Mapping[str, Any]:
    """Lighthouse's report on one page."""
    chrome = {"CHROME_PATH": os.environ.get("CHROME_PATH", "/usr/bin/chromium")}
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "report.json"
        subprocess.run(
            [
                program,
                url,
                "--quiet",
                "--output=json",
                f"--output-path={output}",
                "--chrome-flags=--headless=new --no-sandbox",
                f"--only-categories={','.join(CATEGORIES)}",
                *(["--preset=desktop"] if desktop else []),
            ],
            check=True,
            env={**os.environ, **chrome},
        )
        report: Mapping[str, Any] = json.loads(output.read_text())
    return report


def install(folder: str) -> str:
    """The path of Lighthouse, fetched with npm."""
    command = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", folder, VERSION]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return f"{folder}/node_modules/.bin/lighthouse"


def write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def show(path: str, report: Mapping[str, Any]) -> bool:
    """Write a row for the page, and below it what lowers a score that is too low; whether there is one."""
    scores = {name: round(100 * (report["categories"][name]["score"] or 0)) for name in CATEGORIES}
    shown = {name: str(score) for name, score in scores.items()}
    if any(part in path for part in UNINDEXED):
        shown["seo"] = "not indexed"
        del scores["seo"]
    loaded = report["audits"]["network-requests"]["details"]["items"]
    n_kb = sum(each.get("transferSize", 0) for each in loaded) / 1000
    write(f"| `{path}` | {' | '.join(shown.values())} | {len(loaded)} | {n_kb:.0f} |")
    if min(scores.values()) >= LEAST:
        return False
    for audit in report["audits"].values():
        if audit.get("score") is not None and audit["score"] < GOOD:
            sys.stderr.write(f"  {audit['id']}: {audit.get('displayValue', '')}\n")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("portal", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--desktop", action="store_true")
    options = parser.parse_args()
    portal = options.portal.rstrip("/")
    write("| page | performance | accessibility | best practices | SEO | requests | kB |")
    write("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        program = os.environ.get("LIGHTHOUSE") or install(folder)
        low = []
        for path in options.paths or list_pages(portal):
            try:
                report = measure(program, portal + path, desktop=options.desktop)
            except subprocess.CalledProcessError:
                write(f"| `{path}` | Lighthouse failed | | | | | |")
                low.append(path)
            else:
                low += [path] if show(path, report) else []
    return int(bool(low))


if __name__ == "__main__":
    sys.exit(main())
