"""The files of the sample web as they are being put together, and what a server must know beyond them."""

from dataclasses import dataclass, field

from portico.sample.placement import Address


@dataclass(frozen=True, slots=True)
class OtherDocument:
    """A PDF, or what pretends to be one, that is no paper."""

    address: Address
    kind: str


@dataclass(slots=True)
class Building:
    """Files by address, and rules for addresses that are not just files. Filled by the page makers."""

    files: dict[Address, bytes] = field(default_factory=dict)
    redirects: dict[Address, tuple[int, str]] = field(default_factory=dict)
    statuses: dict[Address, int] = field(default_factory=dict)
    types: dict[Address, str] = field(default_factory=dict)
    flaky: list[Address] = field(default_factory=list)  # fail once, then work
    calendars: list[Address] = field(default_factory=list)  # never end
    others: list[OtherDocument] = field(default_factory=list)

    def add(self, address: Address, body: bytes) -> None:
        assert address not in self.files, f"two files at {address}"
        self.files[address] = body

    def add_other(self, address: Address, body: bytes, kind: str) -> None:
        self.add(address, body)
        self.others.append(OtherDocument(address, kind))
