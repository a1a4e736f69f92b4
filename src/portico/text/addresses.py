"""Which network addresses are public: others are the builder's own machines, and are left alone."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: an IPv4 address in its last four bytes
_LOCAL_ENDINGS = ("localhost", "local", "internal", "lan", "home.arpa", "intranet", "corp")


def is_public(address: str) -> bool:
    """Whether a numeric address is one anybody on the Internet could reach."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        inner = _embedded(parsed)
        if inner is not None:
            return is_public(str(inner))
    return parsed.is_global and not parsed.is_multicast


def is_public_name(name: str) -> bool:
    """Whether a host may be asked for by this name: a public address, or a name that is not local."""
    if is_address(name):
        return is_public(name)
    return "." in name and not name.endswith(tuple(f".{ending}" for ending in _LOCAL_ENDINGS))


def is_address(name: str) -> bool:
    """Whether a host is given by number. Odd spellings (octal, hex) are gone from canonical URLs."""
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to an IPv6 address end up at, if it is such a one."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address.teredo is not None:
        return address.teredo[1]
    return address.ipv4_mapped or address.sixtofour
