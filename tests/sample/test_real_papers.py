"""Articles out of Debian packages: from a package archive made here, with the real apt-get and dpkg-deb."""

import gzip
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from portico.cli.starting import demo
from portico.errors import ConfigError, SetupError
from portico.sample.real_papers import fetch_real_papers, list_real_articles, read_real_topics

PDF = b"%PDF-1.4 an article"
ARTICLES = {"r-cran-zoo": ("zoo", "zoo-read"), "r-cran-gone": ("gone",), "r-cran-sets": ("sets",)}


def write_package(archive: Path, name: str, files: dict[str, bytes]) -> None:
    tree = archive / name
    control = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: us\nDescription: articles\n"
    for path, body in {"DEBIAN/control": control.encode(), **files}.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(body)
    package = archive / f"{name}_1_all.deb"
    subprocess.run(["dpkg-deb", "--build", tree, package], check=True, capture_output=True)
    body = package.read_bytes()
    with (archive / "Packages").open("a") as packages:
        packages.write(
            f"{control}Filename: ./{package.name}\nSize: {len(body)}\nSHA256: {sha256(body).hexdigest()}\n\n"
        )


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive with two packages, which apt-get is told to use instead of the system's."""
    if not shutil.which("apt-get"):
        pytest.skip("there is no apt-get: the packages with the articles are Debian's")
    archive = tmp_path / "archive"
    docs = "usr/lib/R/site-library/zoo/doc"
    write_package(
        archive,
        "r-cran-zoo",
        {
            f"{docs}/zoo.pdf": PDF,
            f"{docs}/zoo-read.pdf.gz": gzip.compress(PDF),
            f"{docs}/zoo-manual.pdf": b"no article",
            "usr/share/doc/r-cran-zoo/copyright": b"GPL-2+",
        },
    )
    write_package(archive, "r-cran-sets", {"usr/lib/R/site-library/sets/doc/sets.pdf": PDF})
    for folder in ("lists/partial", "cache/archives/partial", "empty"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "sources.list").write_text(f"deb [trusted=yes] file:{archive} ./\n")
    (tmp_path / "apt.conf").write_text(
        f"""Dir::Etc::sourcelist "{tmp_path}/sources.list"; Dir::Etc::sourceparts "{tmp_path}/empty";
Dir::State::lists "{tmp_path}/lists"; Dir::Cache "{tmp_path}/cache"; APT::Sandbox::User "root";
"""
    )
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    subprocess.run(["apt-get", "update"], check=True, capture_output=True)
    return archive


def test_articles_and_licenses_are_kept_and_nothing_else(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    told: list[int] = []
    fetch_real_papers(ARTICLES, folder, told.append)
    kept = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.*")}
    assert kept == {
        "zoo-zoo.pdf": PDF,
        "zoo-zoo-read.pdf": PDF,
        "sets-sets.pdf": PDF,
        "licenses/r-cran-zoo.txt": b"GPL-2+",
        "licenses/r-cran-sets.txt": b"The package does not say.",
    }
    assert told == [0, 3]


def test_what_is_there_is_not_downloaded_again(archive: Path, tmp_path: Path) -> None:
    fetch_real_papers({"r-cran-sets": ("sets",)}, tmp_path / "papers", lambda _: None)
    shutil.rmtree(archive)
    told: list[int] = []
    fetch_real_papers({"r-cran-sets": ("sets",)}, tmp_path / "papers", told.append)
    assert told == [1]


def test_no_package_at_all_is_said_with_a_remedy(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="apt-get update"):
        fetch_real_papers({"r-cran-gone": ("gone",)}, tmp_path / "papers", lambda _: None)


def test_other_systems_are_told_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="no apt-get and no dpkg-deb"):
        fetch_real_papers(ARTICLES, tmp_path / "papers", lambda _: None)


def test_the_list_names_articles_and_topics() -> None:
    assert all(names for names in list_real_articles().values())
    assert b"[[topic]]" in read_real_topics()


def test_real_articles_are_of_no_other_domain(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="leave out either"):
        demo(tmp_path / "demo", serve=False, domain="events", real=True)
    assert not (tmp_path / "demo").exists()
