"""URLs: normal form, host, site and shape; and which are public."""

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from ada_url import join_url, normalize_url
from publicsuffixlist import PublicSuffixList

from portico.types.page import Url

# Servers commonly refuse longer request lines (RFC 9110 recommends supporting 8,000), but URLs that people
# publish are far shorter; longer ones mostly come from a loop.
MAX_URL_LENGTH = 2000

# Limits of the domain name system (RFC 1035, section 2.3.4), in characters.
MAX_HOST_LENGTH = 253
MAX_LABEL_LENGTH = 63


def canonical(url: str, base: str | None = None) -> Url | None:
    """The normal form of a URL, relative to `base`; None if it is not a web URL.

    Lower-case host; no default port, dot segments, fragment, user name or password; only necessary escapes;
    no session ids or campaign parameters.
    """
    try:
        href: str = join_url(base, url) if base else normalize_url(url)
    except (ValueError, UnicodeError):  # lone surrogates cannot be encoded
        return None
    # Attribute by attribute, ada would take three times as long; what it returns is always whole:
    # scheme://name:password@host:port/path?query#fragment
    scheme, _, rest = href.partition("://")
    if scheme not in _SCHEMES:
        return None
    authority, _, tail = rest.partition("#")[0].partition("/")
    host = _host(authority.rpartition("@")[2])
    if host is None:
        return None
    path, _, search = tail.partition("?")
    spelled = f"{scheme}://{host}/{_path(path)}{_query(search)}"
    return Url(spelled) if len(spelled) <= MAX_URL_LENGTH else None


def resolve(href: str, page: Url) -> Url | None:
    """The same as `canonical(href, page)`, with a shortcut for links that are plain paths."""
    if href.startswith(("http://", "https://")):
        return _spelled(href)
    found = _PLAIN_PATH.fullmatch(href)
    if found is None:
        return canonical(href, page)
    root = page.index("/", 8) + 1
    folder = page.partition("?")[0]
    keep = root if href.startswith("/") else folder.rindex("/") + 1
    for _ in range(len(found["up"] or "") // 3):
        keep = max(root, folder.rfind("/", 0, keep - 1) + 1)
    spelled = folder[:keep] + found["path"]
    return Url(spelled) if len(spelled) <= MAX_URL_LENGTH else None


@lru_cache(maxsize=5_000)  # pages of one site lead to the same other sites
def _spelled(href: str) -> Url | None:
    return canonical(href)


def get_host(url: Url) -> str:
    """The host with its port, unless it is the default port."""
    return url.split("/", 3)[2]


def get_host_name(host: str) -> str:
    """The host without its port and without the brackets of an IPv6 address."""
    if host.startswith("["):
        return host[1 : host.index("]")]
    return host.partition(":")[0]


@lru_cache(maxsize=10_000)
def get_registered_domain(host: str) -> str:
    """The registered part of a host name; an IP address or a bare name is returned whole."""
    name = get_host_name(host)
    if _ADDRESS.fullmatch(name):
        return name
    return _public_suffixes().privatesuffix(name) or name


def get_path(url: Url) -> str:
    """The path alone, without host and query."""
    return "/" + url.split("/", 3)[3].partition("?")[0]


@lru_cache(maxsize=1_000)
def get_shape(url: Url) -> str:
    """The URL with numbers and query values removed: pages generated the same way have the same shape."""
    address, _, query = url.partition("?")
    place = _DIGITS.sub("0", address.split("/", 3)[3])
    names = "&".join(sorted(part.partition("=")[0] for part in query.split("&"))) if query else ""
    return f"{get_host(url)}/{place}?{_DIGITS.sub('0', names)}"


_SCHEMES = ("http", "https")
# Plain paths, absolute or after "../" steps: no other dot segments, escapes, queries or schemes. A fragment
# is dropped.
_PLAIN_PATH = re.compile(
    r"(?:/|(?P<up>(?:\.\./)*))(?P<path>(?:[\w-]+(?:\.[\w-]+)*/)*[\w-]+(?:\.[\w-]+)*/?)(?:\#[\w-]*)?", re.ASCII
)
_DIGITS = re.compile(r"[0-9]+")
_ADDRESS = re.compile(r"[0-9.]+|.*:.*")
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})?")
_UNRESERVED = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)  # RFC 3986, 2.3

_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;?]*", re.IGNORECASE)
_SESSION = re.compile(
    r"(?:phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|oscsid|zenid|session_?id"
    r"|utm_\w+|gclid|fbclid)=.*"
    # Short names may mean something else ("sid=12" is a section): only a long code is a session id.
    r"|(?:sid|s|sess|session)=[0-9a-z,-]{24,}",
    re.IGNORECASE,
)


def _host(authority: str) -> str | None:
    name, colon, port = authority.partition(":")
    if name.startswith("["):
        return authority
    # One dot at the end means the same host; with more it is none. Without all of them "1..." would become a
    # number, which is another host (0.0.0.1).
    host = name.removesuffix(".")
    if not host or len(host) > MAX_HOST_LENGTH or port == "0":
        return None
    if any(not 0 < len(label) <= MAX_LABEL_LENGTH for label in host.split(".")):
        return None
    return f"{host}{colon}{port}"


def _path(path: str) -> str:
    kept = _SESSION_IN_PATH.sub("", _escapes(path)) if ";" in path or "%" in path else path
    if kept == path or "." not in kept:
        return kept
    # Without its session id "/a/..;jsessionid=1" ends in a dot segment: it is taken apart anew.
    resolved: str = normalize_url("http://host/" + kept)
    return resolved.removeprefix("http://host/")


def _escapes(text: str) -> str:
    return _ESCAPE.sub(_normal_escape, text) if "%" in text else text


def _normal_escape(match: re.Match[str]) -> str:
    digits = match[1]
    if digits is None:
        return "%25"  # a bare percent sign: what browsers mean by it
    code = int(digits, 16)
    return chr(code) if code in _UNRESERVED else f"%{digits.upper()}"


def _query(search: str) -> str:
    if not search:
        return ""
    kept = [part for part in _escapes(search).split("&") if part and not _SESSION.fullmatch(part)]
    return "?" + "&".join(kept) if kept else ""


@lru_cache(maxsize=1)
def _public_suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # 50 ms: only when somebody asks


# IANA's registries of special IP addresses, written out because Python's own lists differ between versions.
# An address that a router translates to an IPv4 address is judged as that address.
_SPECIAL_V4 = tuple(
    IPv4Network(block)
    for block in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/29", "192.0.0.8/32", "192.0.0.11/32", "192.0.0.12/30", "192.0.0.16/28", "192.0.0.32/27"),
        *("192.0.0.64/26", "192.0.0.128/25", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")  # all that is allocated; the rest is local, special or unassigned
_SPECIAL_V6 = tuple(
    IPv6Network(block) for block in ("2001::/23", "2001:db8::/32", "2002::/16", "3ffe::/16", "3fff::/20")
)
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: an IPv4 address in its last four bytes
_LOCAL_ENDINGS = ("localhost", "local", "internal", "lan", "home.arpa", "intranet", "corp")


def is_public(address: str) -> bool:
    """Whether a numeric address is reachable from anywhere on the Internet."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        inner = _embedded(parsed)
        if inner is None:
            return parsed in _GLOBAL_V6 and not any(parsed in block for block in _SPECIAL_V6)
        parsed = inner
    return not any(parsed in block for block in _SPECIAL_V4)


def is_public_name(name: str) -> bool:
    """Whether requests to this host name are allowed: a public address, or a name that is not local."""
    if is_address(name):
        return is_public(name)
    return "." in name and not name.endswith(tuple(f".{ending}" for ending in _LOCAL_ENDINGS))


def is_address(name: str) -> bool:
    """Whether a host is an IP address. Unusual spellings (octal, hex) do not occur in canonical URLs."""
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address to which packets for an IPv6 address are delivered, if it embeds one."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address.teredo is not None:
        return address.teredo[1]
    return address.ipv4_mapped or address.sixtofour
