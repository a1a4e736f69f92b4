"""The keys of `[serve]`, `[theme]` and `[schedule]`: who reaches a portal, its looks, when it is built."""

import re
from dataclasses import dataclass

from portico.config.keys import (
    BASE_URL,
    NETWORK,
    ValueCheck,
    allow_between,
    allow_one_of,
    allow_text,
    define_key,
)
from portico.config.schedule import ALLOWED_SCHEDULES, parse_schedule


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Where visitors find the portal."""

    host: str = define_key(
        "127.0.0.1",
        "The address to listen on: 127.0.0.1 for this machine alone, 0.0.0.0 for everybody.",
        allow_text("a host name or address", r"[A-Za-z0-9.:_-]+"),
    )
    port: int = define_key(8000, "The port to listen on.", allow_between(0, 65_535, ""))
    base_url: str = define_key(
        "",
        "Where visitors find the portal if a proxy stands in front of it; it may have a path. Feeds, "
        "OAI-PMH, the sitemap and canonical links go by it.",
        BASE_URL,
        example="https://library.example.org/papers",
    )
    hosts: tuple[str, ...] = define_key(
        (),
        "Further names the portal answers to, beside addresses, localhost, the name of this machine and that "
        "of base_url: a page of another site could otherwise have its name lead here and read along.",
        allow_text("names of hosts, without a port", r"[A-Za-z0-9._-]+"),
        example=("library.example.org",),
    )
    trusted_proxies: tuple[str, ...] = define_key(
        (),
        "Addresses or networks of proxies in front of the portal that are believed when they say who asks "
        "(X-Forwarded-For): attempts to sign in and submissions are counted by that.",
        NETWORK,
        example=("127.0.0.1",),
    )
    cors: tuple[str, ...] = define_key(
        (),
        "Sites whose pages may read the API, the feeds and OAI-PMH in a visitor's browser; * for all, where "
        "everybody may read the portal anyway.",
        allow_text(
            '"*", or a scheme and a host such as https://www.example.org', r"\*|https?://[^/\s\"'<>]+"
        ),
        example=("*",),
    )
    metrics: tuple[str, ...] = define_key(
        (),
        "Addresses or networks that may read /metrics, for Prometheus; for others there is no such page.",
        NETWORK,
        example=("127.0.0.1",),
    )
    access_log: str = define_key(
        "off",
        "Where requests are noted, without what was searched for and by networks, not by visitors: in "
        "logs/access.log of the portal's folder, or on standard output.",
        allow_one_of("off", "file", "stdout"),
    )


THEME_LINK = re.compile(r"(\S.*?)\s+(https?://[^\s\"'<>]+|mailto:[^\s\"'<>]+|/[^\s\"'<>]*)")
"""A link in the navigation: its text, and behind the last blank its address."""


@dataclass(frozen=True, slots=True)
class ThemeSettings:
    """How the portal looks. Texts, pages, style sheets and templates are in the folder theme."""

    logo: str = define_key(
        "",
        "The logo at the top of every page: the name of a file in the folder theme.",
        allow_text(
            "the name of an SVG, PNG, JPEG or WebP file", r"|[^/\\\x00-\x1f]+\.(svg|png|jpe?g|webp|gif)"
        ),
        example="logo.svg",
    )
    color: str = define_key(
        "",
        "The color of links and buttons. Where it would be hard to read, as on dark screens, it is made "
        "lighter or darker.",
        allow_text('a color like "#8a3b22"', r"|#([0-9a-fA-F]{3}){1,2}"),
        example="#1f4f7a",
    )
    font: str = define_key(
        "",
        "Typefaces of texts and headings, the preferred first.",
        allow_text("names of typefaces with commas between them", r"[\w ,.+-]*"),
        example="Source Serif 4, Georgia, serif",
    )
    interface_font: str = define_key(
        "",
        "Typefaces of navigation, forms and numbers.",
        allow_text("names of typefaces with commas between them", r"[\w ,.+-]*"),
        example="Source Sans 3, Arial, sans-serif",
    )
    links: tuple[str, ...] = define_key(
        (),
        "Links in the navigation of every page.",
        ValueCheck(
            'a text, a blank, and an address: "Our library https://library.example.org/"',
            lambda value: THEME_LINK.fullmatch(value.strip()) is not None,
        ),
        example=("Our library https://library.example.org/",),
    )


@dataclass(frozen=True, slots=True)
class ScheduleSettings:
    """When `portico run` builds the portal by itself."""

    build: str = define_key(
        "daily at 03:00",
        "How often the portal is built, by the clock of the machine.",
        ValueCheck(ALLOWED_SCHEDULES, lambda value: parse_schedule(value) is not None),
    )
    watch: bool = define_key(True, "Whether files that come into a folder are read at once.")
