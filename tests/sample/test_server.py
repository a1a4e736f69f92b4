"""The sample server answers under its hosts' own names, as proxy and as origin, and notes each request."""

import http.client
import socket
from pathlib import Path

import pytest

from portico.errors import PortalError, SetupError
from portico.sample.generate import SampleWeb
from portico.sample.server import Behavior, SampleServer, Sites, make_calendar_page

HOST = "cs.northfield.test"


def ask(
    server: SampleServer, target: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request(method, target, headers=headers or {})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, dict(response.getheaders()), body


def test_proxy_and_origin_give_the_same_page(small_server: SampleServer) -> None:
    by_proxy = ask(small_server, f"http://{HOST}/about.html")
    by_host = ask(small_server, "/about.html", {"Host": HOST})
    assert by_proxy == by_host
    assert by_proxy[0] == 200
    assert [(request.host, request.path) for request in small_server.requests] == [(HOST, "/about.html")] * 2


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/", 200, None),
        ("/index.html", 200, None),
        ("/people", 301, "/people/"),
        ("/old/pubs/", 302, "/pubs/"),
        ("/old/publications.html", 301, f"http://{HOST}/old/pubs/"),
        ("/loop/a.html", 302, "/loop/b.html"),
        ("/loop/b.html", 302, "/loop/a.html"),
        ("/alumni/index.html", 404, None),
        ("/gone.html", 410, None),
        ("/search?q=", 500, None),
        ("/../../rules.json", 400, None),
        ("/%2e%2e/%2e%2e/rules.json", 400, None),
        ("/calendar/", 200, None),
        ("/calendar/2914/12/", 200, None),
    ],
)
def test_statuses(small_web: SampleWeb, path: str, status: int, location: str | None) -> None:
    answer = Sites(small_web.folder).answer(HOST, path)
    assert answer.status == status
    assert dict(answer.headers).get("Location") == location


def test_unknown_hosts_are_no_hosts_of_ours(small_server: SampleServer) -> None:
    assert ask(small_server, "http://www.elsewhere.test/")[0] == 502


def test_a_known_version_is_not_sent_again(small_server: SampleServer) -> None:
    status, headers, body = ask(small_server, f"http://{HOST}/about.html")
    assert (status, bool(body)) == (200, True)
    assert headers["Last-Modified"]
    again = ask(small_server, f"http://{HOST}/about.html", {"If-None-Match": headers["ETag"]})
    assert (again[0], again[2]) == (304, b"")


def test_head_sends_no_body(small_server: SampleServer) -> None:
    status, headers, body = ask(small_server, f"http://{HOST}/about.html", method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 0


def test_flaky_pages_fail_once(small_server: SampleServer) -> None:
    assert [ask(small_server, f"http://{HOST}/facilities.html")[0] for _ in range(3)] == [503, 200, 200]


def test_a_session_id_changes_nothing(small_server: SampleServer) -> None:
    assert (
        ask(small_server, f"http://{HOST}/about.html?session=1f")[2]
        == ask(small_server, f"http://{HOST}/about.html")[2]
    )


def test_nonsense_closes_the_connection_and_nothing_else(small_server: SampleServer) -> None:
    with socket.create_connection(("127.0.0.1", small_server.port), timeout=10) as client:
        client.sendall(b"good morning\r\n\r\n")
        assert client.recv(100) == b""
    assert ask(small_server, f"http://{HOST}/")[0] == 200


def test_failures_can_be_asked_for(small_web: SampleWeb, tmp_path: Path) -> None:
    log = tmp_path / "requests.tsv"
    with SampleServer(small_web.folder, behavior=Behavior(fail_rate=1.0), log=log) as server:
        assert ask(server, f"http://{HOST}/")[0] == 503
    assert log.read_text("utf-8").split("\t")[1:] == [HOST, "/\n"]


def test_the_calendar_never_ends() -> None:
    assert "/calendar/2001/01/" in make_calendar_page("/calendar/2000/12/")
    assert "/calendar/1999/12/" in make_calendar_page("/calendar/2000/01/")
    assert "/calendar/2000/07/" in make_calendar_page("/calendar/")


def test_a_folder_without_a_web_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PortalError, match="generate it first"):
        SampleServer(tmp_path)


def test_a_taken_port_is_named(small_web: SampleWeb, small_server: SampleServer) -> None:
    with pytest.raises(SetupError, match=str(small_server.port)):
        SampleServer(small_web.folder, port=small_server.port).start()
