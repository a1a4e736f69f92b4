"""Nobody holds a connection by half a request, and an answer does not wait for its second half."""

import socket
from pathlib import Path

import pytest

from portico.serve import running
from tests.serve.conftest import Site, serving_folder


def test_a_megabyte_of_query_is_searched_as_far_as_it_goes(site: Site) -> None:
    answer = site.ask("/search?q=" + "trees+" * 170_000)
    assert answer.status == 200
    assert "its first 2,000 characters were searched" in answer.text
    assert len(answer.body) < 300_000, "what was typed stands in every link"


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HTTP/1.1\r\nHost: x", b"POST /search HTTP/1.1\r\nContent-Length: 9\r\n\r\n"]
)
def test_half_a_request_is_given_up(
    portal_folder: Path, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(running, "REQUEST_S", 0.1)
    with serving_folder(portal_folder) as site, socket.create_connection(("127.0.0.1", site.port)) as visitor:
        visitor.settimeout(30)
        visitor.sendall(begun)
        while visitor.recv(65_536):
            pass  # closed by the portal, after whatever it said


def test_a_request_without_end_is_refused(site: Site) -> None:
    endless = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 100_000_000
    with socket.create_connection(("127.0.0.1", site.port)) as visitor:
        visitor.settimeout(30)
        with pytest.raises(ConnectionError):
            visitor.sendall(endless)
