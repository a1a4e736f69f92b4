"""Every error Portico raises on purpose.

PorticoError                  carries a message for people: what, where, what to do
├── ConfigError               portal.toml, topics.toml or the command line is wrong
├── PortalError               the portal's folder, store or index cannot be used
│   ├── PortalBusy            another process is building it
│   ├── StoreAway             its database does not answer now
│   ├── StoreMissing          it has not been built yet
│   ├── StoreTooNew           written by a newer Portico
│   └── DiskFull              nothing more can be written
├── SetupError                a program or package that is needed is not installed
└── InputError                one input is bad: becomes one failure row, nothing else stops
    ├── FetchError            a page could not be fetched
    ├── ConversionError       a body could not be turned into a document
    │   └── Unreadable        it has no text a person could read: a scan, or gibberish
    └── ExtractionError       a document could not be made a record
        └── NotAPaper         it is readable, but not what this portal collects
"""


class PorticoError(Exception):
    """Says what is wrong, where, and what to do; commands print it without a traceback."""


class ConfigError(PorticoError):
    """The builder's files or words are wrong."""


class PortalError(PorticoError):
    """The portal's folder, store or index cannot be used."""


class PortalBusy(PortalError):
    """Another process is building this portal."""


class StoreAway(PortalError):
    """The server that holds the store does not answer; it may again in a moment."""


class StoreMissing(PortalError):
    """The portal has no database yet."""


class StoreTooNew(PortalError):
    """The store was written by a newer version of Portico."""


class DiskFull(PortalError):
    """The disk is full: what was committed is safe, the rest is done on the next run."""


class SetupError(PorticoError):
    """A program or package that this needs is not installed."""


class InputError(PorticoError):
    """One input is bad; it becomes one failure row and nothing else stops.

    `retryable` is true where trying again later may help (a time-out), false where it cannot
    (an encrypted file).
    """

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class FetchError(InputError):
    """A page could not be fetched."""


class ConversionError(InputError):
    """A body could not be turned into a document."""


class Unreadable(ConversionError):
    """The body has no text a person could read: a scan, or a text layer of gibberish."""


class ExtractionError(InputError):
    """A document could not be made a record."""


class NotAPaper(ExtractionError):
    """A readable document that is not what this portal collects."""
