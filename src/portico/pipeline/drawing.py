"""What worker processes do to draw first pages; loaded only where there is something to draw."""

from base64 import b64encode
from dataclasses import dataclass
from struct import unpack_from

from portico.convert.converter import Converter, PictureRequest
from portico.errors import ConversionError
from portico.pipeline.work import ConvertOptions
from portico.store.codec import encode
from portico.store.documents.blobs import Blobs
from portico.types.page import BodyHash
from portico.types.page_picture import PagePicture

MAX_BYTES = 150_000
"""A picture larger than this is no page of text, and not worth a visitor's time."""

_SIZE_AT = 16  # bytes into a PNG file


@dataclass(frozen=True, slots=True)
class PictureInput:
    """One file to draw; `name` is for messages."""

    body: BodyHash
    dots_per_inch: float
    name: str


class Picturing:
    """A body's hash in, the encoded picture of its first page out."""

    def __init__(self, options: ConvertOptions) -> None:
        self._blobs = Blobs(options.blobs)
        self._converter = Converter(options.limits)

    def __call__(self, item: PictureInput) -> bytes:
        try:
            wanted = PictureRequest(0, item.dots_per_inch)
            png = self._converter.picture(self._blobs.get(item.body), wanted, name=item.name)
        except ConversionError:
            return encode(PagePicture(0, 0))
        return encode(_kept(png))

    def close(self) -> None:
        self._converter.close()


def _kept(png: bytes) -> PagePicture:
    if len(png) > MAX_BYTES:
        return PagePicture(0, 0)
    width, height = unpack_from(">II", png, _SIZE_AT)
    return PagePicture(width, height, b64encode(png).decode())
