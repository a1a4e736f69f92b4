"""Real, freely licensed articles for a demo: those among the documentation of Debian's packages of R.

Nothing of them ships with Portico. `apt-get download` fetches the packages from the mirror that this machine
is set up for and checks their signatures; it needs no rights, and nothing is installed. The license of each
package is kept beside its articles.
"""

import gzip
import shutil
import subprocess
import tarfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from portico.errors import SetupError
from portico.files import write_whole

PACKAGES_AT_ONCE = 8  # few enough for progress to show, many enough for apt-get to start rarely
TIMEOUT_S = 600.0

_HERE = Path(__file__).parent
_LICENSES = "licenses"  # a file here says that the package is finished

Articles = Mapping[str, tuple[str, ...]]
"""The names of PDF files by package."""

Tell = Callable[[int], None]
"""Called with the number of packages that are finished."""


def list_real_articles() -> Articles:
    """The articles of the demo: each has an abstract and references, and several cite each other."""
    listed = tomllib.loads((_HERE / "real_papers.toml").read_text(encoding="utf-8"))
    return {package: tuple(names) for package, names in listed["articles"].items()}


def read_real_topics() -> bytes:
    """The text of a topics.toml for these articles."""
    return (_HERE / "real_topics.toml").read_bytes()


def fetch_real_papers(articles: Articles, folder: Path, tell: Tell) -> None:
    """Download the articles into `folder`, apart from those that are already there.

    Packages that this release of Debian does not have are left out.
    """
    missing = [package for package in articles if not _license_path(folder, package).exists()]
    n_done = len(articles) - len(missing)
    tell(n_done)
    if missing:
        _require_programs()
    for start in range(0, len(missing), PACKAGES_AT_ONCE):
        batch = missing[start : start + PACKAGES_AT_ONCE]
        with TemporaryDirectory(prefix="portico-packages-") as downloads:
            for package in _download(batch, Path(downloads)):
                _keep_articles(package, articles, folder)
        n_done += len(batch)
        tell(n_done)
    if not any(folder.glob("*.pdf")):
        raise SetupError(
            "apt-get could download none of the packages with articles. Is there a network? If it does not "
            "know the packages (try `apt-get download r-cran-zoo`), `apt-get update` as root helps"
        )


def _require_programs() -> None:
    absent = [program for program in ("apt-get", "dpkg-deb") if not shutil.which(program)]
    if absent:
        raise SetupError(
            f"the real articles come from Debian's packages, but there is no {' and no '.join(absent)} here. "
            "Use Debian, Ubuntu or a relative of theirs, or `portico demo` without --real"
        )


def _download(packages: list[str], target: Path) -> list[Path]:
    """The packages as files. If one is unknown, apt-get refuses all; then each is asked for alone."""
    if not _ask_apt(packages, target) and len(packages) > 1:
        for package in packages:
            _ask_apt([package], target)
    return sorted(target.glob("*.deb"))


def _ask_apt(packages: list[str], target: Path) -> bool:
    command = ["apt-get", "download", "--quiet", *packages]
    try:
        asked = subprocess.run(  # noqa: S603 - the names are ours
            command, cwd=target, capture_output=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as problem:
        raise SetupError(
            f"apt-get took more than {TIMEOUT_S:.0f} s; run the command again to go on"
        ) from problem
    return asked.returncode == 0


def _keep_articles(package: Path, articles: Articles, folder: Path) -> None:
    """Write the articles of one package, and its license last."""
    name = package.name.partition("_")[0]
    license_text = b"The package does not say."
    for path, read in _list_files(package):
        stem = Path(path.removesuffix(".gz")).stem
        if path.removesuffix(".gz").endswith(".pdf") and "/doc/" in path and stem in articles[name]:
            body = gzip.decompress(read()) if path.endswith(".gz") else read()
            write_whole(folder / f"{name.removeprefix('r-cran-')}-{stem}.pdf", body)
        elif path.endswith(f"/doc/{name}/copyright"):
            license_text = read()
    write_whole(_license_path(folder, name), license_text)


def _license_path(folder: Path, package: str) -> Path:
    return folder / _LICENSES / f"{package}.txt"


def _list_files(package: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The files in a package: the path of each, and how to read it."""
    unpacked = subprocess.run(  # noqa: S603 - apt-get has checked the package
        ["dpkg-deb", "--fsys-tarfile", str(package)],  # noqa: S607 - wherever the system keeps it
        check=True,
        capture_output=True,
        timeout=TIMEOUT_S,
    )
    with tarfile.open(fileobj=BytesIO(unpacked.stdout)) as files:
        for member in files:
            stream = files.extractfile(member) if member.isfile() else None
            if stream:
                yield member.name, stream.read
