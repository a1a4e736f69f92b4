"""Every mistake in portal.toml is named at once, with its line, what is allowed and the nearest name."""

import re
import shutil
from pathlib import Path

import pytest

from portico.config.reading import read_settings
from portico.config.settings import (
    FetchSettings,
    FolderSource,
    PortalSettings,
    Settings,
    SpiderSettings,
    WebSource,
)
from portico.config.template import InitAnswers
from portico.errors import ConfigError, PortalError
from portico.pipeline.opening import make_portal, open_portal
from tests.config.conftest import Write

SOURCE = '[[source]]\nseeds = ["https://a.example/"]\n'


def mistakes(folder: Path) -> list[str]:
    """What is said of each mistake, from the line number on."""
    with pytest.raises(ConfigError) as caught:
        read_settings(folder)
    lines = str(caught.value).splitlines()
    if len(lines) > 1:
        assert lines.pop(0) == f"{folder / 'portal.toml'}: {len(lines)} mistakes"
    return [line.strip().removeprefix(f"{folder / 'portal.toml'}:") for line in lines]


def test_all_settings_are_read(write: Write) -> None:
    folder = write(
        """
        [portal]
        title = "Papers of Example"
        [[source]]
        seeds = ["https://WWW.a.example/x", "http://b.example:8080"]
        hosts = ["*.C.example"]
        [[source]]
        folder = "."
        patterns = ["*.pdf"]
        [spider]
        max_pages = 10
        [fetch]
        delay_s = 2
        """
    )
    assert read_settings(folder) == Settings(
        sources=(
            WebSource(("https://WWW.a.example/x", "http://b.example:8080"), "", ("*.C.example",)),
            FolderSource(".", ("*.pdf",)),
        ),
        portal=PortalSettings("Papers of Example"),
        spider=SpiderSettings(max_pages=10),
        fetch=FetchSettings(delay_s=2.0),
    )


def test_hosts_visited_are_those_of_the_seeds_and_those_named() -> None:
    source = WebSource(
        ("https://WWW.a.example/x", "http://b.example:8080", "http://b.example/y"), "", ("*.C.example",)
    )
    assert source.visited_hosts == ("www.a.example", "b.example", "*.c.example")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[fetsch]\ndelay_s = 1",
            '3: there is no table [fetsch]; allowed: [source], [portal], .*; did you mean "fetch"?',
        ),
        (
            "[fetch]\ndelay = 1",
            '4: [fetch] has no key "delay"; allowed: user_agent, .*; did you mean "delay_s"?',
        ),
        ("[fetch]\nmax_depth = 1", "4: .*; it belongs under [spider]"),
        ("[fetch]\nzebra = 1", '4: [fetch] has no key "zebra"; allowed: .*obey_robots'),
        ("[fetch]\n\ndelay_s = 'fast'", '5: delay_s = "fast" is not a number; allowed: 0 to 3,600 seconds'),
        ("[fetch]\ndelay_s = -1", "4: delay_s: -1 is not allowed; allowed: 0 to 3,600 seconds"),
        ("[fetch]\ndelay_s = nan", "4: delay_s: NaN is not allowed; .*"),
        ("[fetch]\ndelay_s = true", "4: delay_s = true is not a number; .*"),
        ("[fetch]\nmax_bytes = 1.5", "4: max_bytes = 1.5 is not a whole number; .*"),
        ("[fetch]\nallow_private = 1", "4: allow_private = 1 is not true or false; allowed: true or false"),
        ("[fetch]\nproxy = 'proxy:3128'", "4: proxy: .* is not allowed; allowed: http://host:port, .*"),
        (
            "[fetch]\nuser_agent = ''",
            '4: user_agent: "" is not allowed; allowed: one line of text, not empty',
        ),
        ('[fetch]\nuser_agent = "a\\nb"', "4: user_agent: .* is not allowed; .*"),
        ("[fetch]\ntimeout_s = 1979-05-27", '4: timeout_s = "1979-05-27" is not a number; .*'),
        ("fetch.delay_s = -1", "1: .*"),
        (
            "[spider]\npolicy = 'breadth_first'",
            '4: policy: "breadth_first" is not allowed; .*; did you mean "breadth-first"?',
        ),
        ("[portal]\ndomain = 'paper'", '4: domain: .*; did you mean "papers"?'),
        (
            "[store]\nurl = 'mysql://x/y'",
            "4: url: .*; allowed: sqlite:/// and a file name, or postgresql://.*",
        ),
        ("[engine]\nkind = 'dask'", '4: kind = "dask" needs a scheduler; add scheduler = "tcp://host:8786"'),
        ("[serve]\nport = 70000", "4: port: 70000 is not allowed; allowed: 0 to 65,535"),
        ("[[serve]]\nport = 80", "3: serve is a single table; write [serve]"),
        ("[topics]\nfile = 'none.toml'", "4: there is no file .*none.toml; .*"),
        ("[[source]]\nfolder = 'none'", "4: there is no folder .*none; .*"),
        ("[[source]]\nfolder = '~nobody-of-that-name/x'", "4: there is no folder .*"),
        ("[[source]]\nfolder = '" + "x" * 999 + "'", "4: there is no folder .*"),
        ("[[source]]\nfolder = 3", "4: folder = 3 is not text in quotes; .*"),
        (
            "[[source]]\nfolder = '.'\nseeds = ['http://a/']",
            "3: a source is on the web or a folder, not both; .*",
        ),
        ("[[source]]\nfolder = '.'\npatterns = ['a/b']", "5: patterns: .*"),
        ("[[source]]\nseed = ['http://a/']", '3: a source needs seeds = .*|4: .*; did you mean "seeds"?'),
        ("[[source]]\nseeds = []", "3: this source has no URL to start from"),
        (
            "[[source]]\nseeds = 'http://a/'",
            "4: seeds = .* is not a list of texts; .*",
        ),
        (
            "[[source]]\nseeds = [\n'http://ok/',\n  'www.b.example',\n]",
            '6: seeds: .*; did you mean "https://www.b.example"?',
        ),
        ("[[source]]\nseeds = ['http://a/',\n 5]", "5: seeds: 5 is not text in quotes; .*"),
        ("[[source]]\nseeds = ['ftp://a/']", "4: seeds: .*"),
        (
            "[[source]]\nseeds = ['http://a b/', 'http://x:y/', 'http://[/', 'http:///x']",
            "4: .*|4: .*|4: .*|4: .*",
        ),
        (
            "[[source]]\nseeds = ['http://a/']\nhosts = ['http://a/']",
            "5: hosts: .*; allowed: a host name, or .*",
        ),
        (
            "[[source]]\nsites = 'none.txt'",
            "4: .*none.txt: there is no such file. .*",
        ),
        ("[fetch]\nx == 1", "4: this is not TOML: .*"),
        ("[fetch]\n[fetch]", "4: this is not TOML: .*"),
        ("[fetch", "3: this is not TOML: .*"),
        ("x = '''never closed", "3: this is not TOML: .*"),
    ],
)
def test_each_mistake(write: Write, text: str, said: str) -> None:
    folder = write(f"{SOURCE}{text}\n" if not text.startswith("fetch.") else f"{text}\n{SOURCE}")
    expected = [pattern.replace("[", "\\[").replace("?", "\\?") for pattern in said.split("|")]
    found = mistakes(folder)
    assert len(found) == len(expected), found
    for line in found:
        assert any(fits(pattern, line) for pattern in expected), line


def fits(pattern: str, line: str) -> bool:
    return re.fullmatch(pattern, line) is not None


def test_all_mistakes_are_said_in_the_order_of_the_file(write: Write) -> None:
    folder = write(
        'titel = ""\n[fetch]\ndelay_s = ""\ntimeout = 3\n[[source]]\nfolder = "no"\n[spider]\npolicy = ""\n'
    )
    assert [line.partition(":")[0] for line in mistakes(folder)] == ["1", "3", "4", "6", "8"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is nothing to collect from; add a table [[source]] with seeds"),
        ("[source]\nfolder = '.'", "sources are a list of tables; write [[source]] with two brackets"),
        ("source = [1]", "sources are a list of tables"),
        ("title = 'x'\n" + SOURCE, 'the key "title" is before the first table; write it under [portal]'),
    ],
)
def test_files_without_the_right_shape(write: Write, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=r"portal\.toml") as caught:
        read_settings(write(text))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "there is no such file. Run `portico init"),
        (b"[portal]\ntitle = '\xff'\n", "portal.toml:2: this line is not UTF-8"),
        (b"\xff\xfe[\x00p\x00", "portal.toml:1: this line is not UTF-8"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, data: bytes | None, said: str) -> None:
    if data is not None:
        (tmp_path / "portal.toml").write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        read_settings(tmp_path)
    assert said in str(caught.value)


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").mkdir()
    with pytest.raises(ConfigError, match=r"portal\.toml: cannot be read"):
        read_settings(tmp_path)


def test_a_byte_order_mark_and_foreign_line_ends_are_no_mistakes(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_bytes(b"\xef\xbb\xbf" + SOURCE.replace("\n", "\r\n").encode())
    assert len(read_settings(tmp_path).sources) == 1


def test_sites_come_from_a_list(write: Write) -> None:
    folder = write('[[source]]\nseeds = ["http://a/"]\nsites = "sites.txt"\n')
    (folder / "sites.txt").write_text(
        "# universities\nhttps://b.example/  # the second\n\n  http://c.example\n"
    )
    (source,) = read_settings(folder).sources
    assert isinstance(source, WebSource)
    assert source.seeds == ("http://a/", "https://b.example/", "http://c.example")
    (folder / "sites.txt").write_text("http://b/\nc.example\n")
    (said,) = mistakes(folder)
    assert said.startswith("3: ")
    assert "sites.txt:2: " in said
    assert 'did you mean "https://c.example"?' in said


def test_the_home_folder_is_expanded(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "Papers").mkdir(parents=True)
    folder = write('[[source]]\nfolder = "~/Papers"\n')
    (source,) = read_settings(folder).sources
    assert isinstance(source, FolderSource)
    assert source.path(folder) == tmp_path / "home" / "Papers"
    assert FolderSource("..").path(Path("/papers/.portico")) == Path("/papers/.portico/..")


def test_a_copied_portal_can_be_looked_into_without_its_sources(write: Write, tmp_path: Path) -> None:
    folder = write(
        '[[source]]\nfolder = "papers"\n[[source]]\nsites = "sites.txt"\n[topics]\nfile = "topics.toml"\n'
    )
    (folder / "papers").mkdir()
    (folder / "sites.txt").write_text("http://a/")
    (folder / "topics.toml").write_text("")
    assert len(read_settings(folder).sources) == 2
    elsewhere = tmp_path / "copy"
    elsewhere.mkdir()
    shutil.copy(folder / "portal.toml", elsewhere)
    assert len(mistakes(elsewhere)) == 3
    assert len(read_settings(elsewhere, for_building=False).sources) == 2


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (
            InitAnswers(seeds=("https://a.example/", "www.b.example")),
            '--seed: "www.b.example" is not allowed',
        ),
        (InitAnswers(seeds=("notaurl",)), "allowed: a URL with http:// or https:// and a host"),
        (InitAnswers(contact="not an address"), "allowed: an email address or a web page"),
        (InitAnswers(contact="me@a.example\nx"), "--contact: "),
    ],
)
def test_a_wrong_answer_is_refused_before_anything_is_written(
    answers: InitAnswers, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        make_portal(tmp_path / "new", answers)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "contact", ["", "me@a.example", "Ann Lee <ann@a.example>", "https://a.example/bot", "a.example/about"]
)
def test_addresses_of_people_and_pages_are_contacts(contact: str, tmp_path: Path) -> None:
    make_portal(tmp_path, InitAnswers(seeds=("https://a.example/",), contact=contact))
    assert read_settings(tmp_path).fetch.contact == contact


def test_what_would_stop_a_build_is_said_where_there_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").touch()
    with pytest.raises(ConfigError, match="there is nothing to collect from"), open_portal(tmp_path):
        pass
    (tmp_path / "portal.toml").write_text("source = []\n")
    with pytest.raises(PortalError, match="there is no database yet"), open_portal(tmp_path):
        pass
