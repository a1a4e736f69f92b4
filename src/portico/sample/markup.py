"""House styles of departments for their web pages, from bare HTML 2 to tables and style sheets."""

from collections.abc import Callable, Iterable
from html import escape

from portico.sample.people import Department

Links = Iterable[tuple[str, str]]
"""URL and text of each link of a menu."""


def dress_page(department: Department, title: str, body: str, menu: Links = ()) -> bytes:
    """A complete page in the department's style and character set."""
    page = HOUSES[department.key](department, title, body, list(menu))
    return page.encode(department.charset, "xmlcharrefreplace")


def make_link(address: str, words: str) -> str:
    return f'<a href="{escape(address)}">{escape(words)}</a>'


def make_bullets(items: Iterable[str]) -> str:
    return "<ul>\n" + "".join(f"<li>{item}\n" for item in items) + "</ul>\n"


def _tables(department: Department, title: str, body: str, menu: list[tuple[str, str]]) -> str:
    cells = "<BR>\n".join(f'<A HREF="{escape(address)}">{escape(words)}</A>' for address, words in menu)
    return (
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n'
        f"<HTML><HEAD><TITLE>{escape(title)}</TITLE></HEAD>\n"
        '<BODY BGCOLOR="#FFFFFF" TEXT="#000000" LINK="#0000CC">\n'
        f'<TABLE WIDTH="100%" BGCOLOR="#003366" CELLPADDING=6><TR><TD><FONT COLOR="#FFFFFF" SIZE=+2>'
        f'{escape(department.name)}</FONT><BR><FONT COLOR="#CCCCFF">{escape(department.university)}</FONT>'
        "</TD></TR></TABLE>\n"
        f'<TABLE CELLPADDING=10><TR VALIGN=TOP><TD WIDTH=150 BGCOLOR="#EEEEDD">\n{cells}\n</TD>\n'
        f"<TD><H1>{escape(title)}</H1>\n{body}\n</TD></TR></TABLE>\n"
        "<HR><SMALL>Questions about these pages? Write to the webmaster.</SMALL>\n</BODY></HTML>\n"
    )


def _bare(department: Department, title: str, body: str, menu: list[tuple[str, str]]) -> str:
    bar = " | ".join(make_link(address, words) for address, words in menu)
    return (
        f"<html>\n<head><title>{escape(title)} - {escape(department.university)}</title></head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n<hr>\n<p>[ {bar} ]\n"
        f"<address>{escape(department.name)}, {escape(department.address)}</address>\n</body>\n</html>\n"
    )


def _stylesheet(department: Department, title: str, body: str, menu: list[tuple[str, str]]) -> str:
    items = "".join(f"<li>{make_link(address, words)}</li>" for address, words in menu)
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
        '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head>\n'
        f'<meta http-equiv="Content-Type" content="text/html; charset={department.charset}" />\n'
        f"<title>{escape(department.university)}: {escape(title)}</title>\n"
        '<style type="text/css">body { font-family: Verdana, Arial, sans-serif; margin: 0; color: #222 } '
        "#top { background: #7a1f1f; color: #fff; padding: 12px 24px } #menu { float: left; width: 11em; "
        "background: #f3ece0; padding: 1em } #text { margin-left: 14em; padding: 1em; max-width: 44em }"
        "</style>\n"
        f'</head>\n<body>\n<div id="top"><big>{escape(department.university)}</big><br />'
        f'{escape(department.name)}</div>\n<div id="menu"><ul>{items}</ul></div>\n'
        f'<div id="text">\n<h1>{escape(title)}</h1>\n{body}\n</div>\n</body></html>\n'
    )


def _gray(department: Department, title: str, body: str, menu: list[tuple[str, str]]) -> str:
    buttons = " &#183; ".join(make_link(address, words) for address, words in menu)
    return (
        f"<HTML>\n<HEAD>\n<TITLE>{escape(title)}</TITLE>\n</HEAD>\n"
        f'<BODY bgcolor="#c0c0c0">\n<center>\n<b>{escape(department.university)}</b><br>\n'
        f"<i>{escape(department.name)}</i><p>\n{buttons}\n</center>\n<hr size=4>\n"
        f"<h2>{escape(title)}</h2>\n{body}\n<hr>\n<i>Last changed June 2000</i>\n</BODY>\n</HTML>\n"
    )


def _french(department: Department, title: str, body: str, menu: list[tuple[str, str]]) -> str:
    bar = " - ".join(make_link(address, words) for address, words in menu)
    return (
        '<html lang="fr">\n<head>\n<meta http-equiv="Content-Type" content="text/html; '
        f'charset={department.charset}">\n'
        f"<title>{escape(title)} - {escape(department.name)}</title>\n</head>\n"
        f'<body bgcolor="#fffff0">\n<font face="Times"><p align="right">{escape(department.university)}<br>'
        f"{escape(department.name)}</p></font>\n<p>{bar}</p>\n"
        f'<h1><font color="#225522">{escape(title)}</font></h1>\n'
        f"{body}\n<hr>\n<p><small>{escape(department.address)}</small></p>\n</body>\n</html>\n"
    )


HOUSES: dict[str, Callable[[Department, str, str, list[tuple[str, str]]], str]] = {
    "northfield": _tables,
    "eastmere": _stylesheet,
    "lindholm": _bare,
    "harrowgate": _gray,
    "valmont": _french,
}
