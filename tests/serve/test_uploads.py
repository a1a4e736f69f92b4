"""The builder uploads documents from a browser; nobody else does."""

from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from portico.serve.builder.uploads import read_multipart
from portico.serve.running import LONGEST_REQUEST
from tests.serve.conftest import PATIENCE_S
from tests.serve.hearing import Hearing, Visitor, hearing
from tests.serve.made import make_portal

BOUNDARY = "----browser"
KIND = f"multipart/form-data; boundary={BOUNDARY}"
PDF = b"%PDF-1.4\n\x00\xff binary \r\n--not a boundary\r\n%%EOF\n"


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Hearing]:
    make_portal(tmp_path)
    with hearing(tmp_path) as found:
        yield found


def make_form(token: str, *files: tuple[str, bytes]) -> bytes:
    parts = [b'Content-Disposition: form-data; name="token"\r\n\r\n' + token.encode()]
    for name, body in files:
        head = f'Content-Disposition: form-data; name="files"; filename="{name}"\r\n'
        parts.append(head.encode() + b"Content-Type: application/pdf\r\n\r\n" + body)
    between = f"--{BOUNDARY}\r\n".encode()
    return b"".join(between + part + b"\r\n" for part in parts) + f"--{BOUNDARY}--\r\n".encode()


def send(visitor: Visitor, body: bytes) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", visitor.site.port, timeout=PATIENCE_S)
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    try:
        connection.request("POST", "/builder/upload", body, {"Content-Type": KIND, "Cookie": cookie})
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Location") or answer.read().decode()
    finally:
        connection.close()


def test_what_the_builder_uploads_is_stored_whole(heard: Hearing, tmp_path: Path) -> None:
    builder = heard.builder()
    large = PDF * (LONGEST_REQUEST // len(PDF) + 1)
    status, where = send(
        builder, make_form(builder.token(), ("a paper.pdf", PDF), ("../../large.PDF", large))
    )
    assert (status, where) == (303, "/builder/submissions?uploaded=2")
    assert (tmp_path / "uploads" / "a paper.pdf").read_bytes() == PDF
    assert (tmp_path / "uploads" / "large.PDF").read_bytes() == large
    assert "2 files are stored" in builder.get(where).text
    send(builder, make_form(builder.token(), ("a paper.pdf", b"%PDF-1.4 another")))
    assert len(list((tmp_path / "uploads").iterdir())) == 3


@pytest.mark.parametrize("name", ["page.php", "paper.pdf.exe", ".htaccess"])
def test_what_is_no_document_is_refused(heard: Hearing, tmp_path: Path, name: str) -> None:
    builder = heard.builder()
    status, said = send(builder, make_form(builder.token(), ("good.pdf", PDF), (name, PDF)))
    assert status == 422
    assert "Nothing was stored" in said
    assert not (tmp_path / "uploads").exists()


def test_strangers_and_forms_of_others_are_refused(heard: Hearing, tmp_path: Path) -> None:
    status, where = send(heard.visitor(), make_form("", ("a.pdf", PDF)))
    assert status == 303
    assert where.startswith("/builder/sign-in")
    assert send(heard.builder(), make_form("forged", ("a.pdf", PDF)))[0] == 403
    assert not (tmp_path / "uploads").exists()


def test_a_form_is_read_byte_by_byte() -> None:
    fields, files = read_multipart(KIND, make_form("secret", ("ä b.pdf", PDF)))
    assert fields == {"token": "secret"}
    assert [(file.name, file.body) for file in files] == [("ä b.pdf", PDF)]
