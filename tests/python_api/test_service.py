"""The extractor over HTTP: as a program of another language would use it."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from portico.errors import InputError
from portico.python_api import service
from portico.python_api.reading import ReadingRequest, TimedReader
from portico.python_api.service import create_service
from tests.convert import flowing

PATIENCE_S = 60


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_service(), base_url="http://127.0.0.1") as served:
        yield served


def test_a_file_is_read(client: TestClient) -> None:
    answer = client.post("/extract?name=paper.docx", content=flowing.make_docx())
    assert answer.status_code == 200
    assert (answer.json()["title"], answer.json()["authors"]) == (flowing.TITLE, list(flowing.AUTHORS))
    assert len(answer.json()["references"]) == 2


def test_other_forms(client: TestClient) -> None:
    body = flowing.make_docx()
    assert flowing.TITLE in client.post("/extract?format=bibtex", content=body).text
    tei = client.post("/extract?format=tei", content=body)
    assert tei.headers["content-type"].startswith("application/tei+xml")
    ElementTree.fromstring(tei.text)
    assert client.post("/extract?format=word", content=body).status_code == 400


def test_references_are_taken_apart(client: TestClient) -> None:
    answer = client.post("/parse", content="\n".join(flowing.REFERENCES).encode())
    assert [each["year"] for each in answer.json()["references"]] == ["2003", "2008"]


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/extract", b"", "has no file"),
        ("/extract", b"just words", "is plain text"),
        ("/extract?name=x.docx", b"PK\x03\x04garbage", "is damaged"),
        ("/parse", b"\n\n", "send 1 to"),
        ("/parse", b"a" * 6_000, "at most"),
        ("/parse", b"\n" * 2_000_001, "2,000,000 bytes at most"),
    ],
)
def test_what_cannot_be_read_says_why(client: TestClient, path: str, body: bytes, words: str) -> None:
    answer = client.post(path, content=body)
    assert (answer.status_code, words in answer.json()["error"]) == (422, True)


def test_what_takes_too_long_is_stopped_and_the_next_file_is_read() -> None:
    reader = TimedReader(deadline_s=PATIENCE_S)
    try:
        paper = ReadingRequest("paper.docx", flowing.make_docx(), "bibtex")
        assert flowing.TITLE in reader.read(paper).decode()
        hasty = TimedReader(deadline_s=0.01)
        with pytest.raises(InputError, match=r"paper\.docx: took longer than 0 s and was stopped"):
            hasty.read(paper)
        assert hasty._process is None
        child = reader._process
        assert child is not None
        child.process.kill()
        child.process.join()
        with pytest.raises(InputError, match=r"paper\.docx: the process working on it died \(signal 9\)"):
            reader.read(paper)
        assert flowing.TITLE in reader.read(paper).decode()
    finally:
        reader.close()


def test_names_that_are_not_its_own_are_refused() -> None:
    led_astray = TestClient(create_service(), base_url="http://evil.example")
    assert led_astray.post("/parse", content=b"x").status_code == 421


def test_too_many_are_told_to_come_back(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_WAITING", 0)
    answer = client.post("/parse", content=b"x")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")


def test_files_that_wait_fill_no_memory(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_HELD", 1_000)
    for _ in range(3):  # what was refused or answered is held no more
        assert client.post("/parse", content=b"x" * 1_001).status_code == 503
        assert client.post("/parse", content=flowing.REFERENCES[0].encode()).status_code == 200


def test_the_command_serves_and_stops() -> None:
    command = [sys.executable, "-m", "portico", "service", "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env={**os.environ}) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        watch = threading.Timer(PATIENCE_S, process.kill)
        watch.start()
        try:
            address = process.stdout.readline().split("http://")[1].split("/")[0]
            host, _, port = address.partition(":")
            with socket.create_connection((host, int(port))) as leaves_early:
                leaves_early.sendall(
                    b"POST /parse HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nhalf"
                )
            connection = HTTPConnection(address, timeout=PATIENCE_S)
            # More than a portal takes in one request, as many papers have.
            connection.request("POST", "/extract?name=long.html", flowing.make_html() + b" " * 6_000_000)
            answer = connection.getresponse()
            assert (answer.status, flowing.TITLE.encode() in answer.read()) == (200, True)
            connection.close()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)
            watch.cancel()
        assert "Traceback" not in process.stderr.read()
