"""Encodes frozen values as compressed JSON arrays and decodes them, by their type hints."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from zstandard import ZstdCompressor, ZstdDecompressor, ZstdError

from portico.errors import PortalError

T = TypeVar("T")

# Converts between a value and its JSON form; None if they are identical.
Conversion = Callable[[Any], Any] | None

_PLAIN = (str, int, float, bool, NoneType)
_LOSSLESS = "surrogatepass"  # text layers of PDF files contain lone surrogates, which are kept


def encode(value: object) -> bytes:
    """A dataclass, or a tuple of them, as bytes; equal values have equal bytes."""
    words = json.dumps(_encode_any(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return ZstdCompressor().compress(words.encode("utf-8", _LOSSLESS))


def decode(type_: type[T], data: bytes) -> T:
    """The value of this type from the bytes that `encode` made; PortalError if they are damaged.

    A field added to the end of a dataclass later, with a default, gets that default.
    """
    kind: Any = type_
    with _damage(kind):
        return cast("T", _convert(_decoder(kind), _parse(data)))


def decode_field(type_: type, data: bytes, name: str) -> Any:
    """One field of an encoded dataclass, without decoding the rest: the text without its thousand lines."""
    kind: Any = type_
    position = [field.name for field in fields(kind)].index(name)
    with _damage(kind):
        return _convert(_decoder(get_type_hints(kind)[name]), _parse(data)[position])


def to_plain(value: object) -> Any:
    """A dataclass as lists and plain values, for temporary files: what `encode` serializes."""
    return _encode_any(value)


def from_plain(type_: type[T], plain: Any) -> T:
    """The inverse of `to_plain`."""
    kind: Any = type_
    return cast("T", _convert(_decoder(kind), plain))


def digest(data: bytes) -> str:
    """A fingerprint of the encoded value, independent of the version of the compressor."""
    with _damage(bytes):
        return sha256(_unpack(data)).hexdigest()


def _parse(data: bytes) -> Any:
    return json.loads(_unpack(data).decode("utf-8", _LOSSLESS))


def _unpack(data: bytes) -> bytes:
    return ZstdDecompressor().decompress(data)


@contextmanager
def _damage(type_: Any) -> Iterator[None]:
    """The error for bytes that cannot be decoded, with the type they should have."""
    try:
        yield
    except (ZstdError, ValueError, TypeError, IndexError) as fault:
        raise PortalError(
            f"a stored value ({getattr(type_, '__name__', type_)}) cannot be read: {fault}. "
            f"Run `portico verify --repair` to make it again."
        ) from fault


def _convert(convert: Conversion, value: Any) -> Any:
    return convert(value) if convert else value


@cache
def _encoder(type_: Any) -> Conversion:
    if is_dataclass(type_):
        return _dataclass_encoder(type_)
    if type_ is tuple:  # a bare tuple at the top: each item tells its own type
        return lambda items: [_encode_any(item) for item in items]
    return _compose(type_, _encoder, many=lambda convert: lambda items: [convert(item) for item in items])


@cache
def _decoder(type_: Any) -> Conversion:
    if is_dataclass(type_):
        return _dataclass_decoder(type_)
    return _compose(
        type_, _decoder, many=lambda convert: lambda items: tuple([convert(item) for item in items])
    )


def _encode_any(value: object) -> object:
    kind: Any = type(value)
    return _convert(_encoder(kind), value)


def _compose(type_: Any, of: Callable[[Any], Conversion], *, many: Callable[[Any], Conversion]) -> Conversion:
    """The conversion of anything that is not a dataclass, composed of the conversions of its parts."""
    if type_ in _PLAIN or get_origin(type_) is Literal:
        return None
    if isinstance(type_, NewType):
        return of(type_.__supertype__)
    if get_origin(type_) in (Union, UnionType):
        return _optional(type_, of)
    if get_origin(type_) is tuple:
        return _tuple(get_args(type_), of, many)
    raise TypeError(f"{type_}: the store cannot keep this type; dataclasses, tuples and plain values it can")


def _optional(type_: Any, of: Callable[[Any], Conversion]) -> Conversion:
    inner = [of(part) for part in get_args(type_) if part is not NoneType]
    convert = next((each for each in inner if each is not None), None)
    if convert is None:
        return None
    if len(inner) > 1:
        raise TypeError(f"{type_}: nothing in the bytes would tell which of these was meant")
    return lambda value: None if value is None else convert(value)


def _tuple(
    parts: tuple[Any, ...], of: Callable[[Any], Conversion], many: Callable[[Any], Conversion]
) -> Conversion:
    if len(parts) == 2 and parts[1] is Ellipsis:
        convert = of(parts[0])
        return many(convert) if convert else tuple
    converts = [of(part) or _same for part in parts]
    return lambda items: tuple([convert(item) for convert, item in zip(converts, items, strict=True)])


def _same(value: Any) -> Any:
    return value


def _dataclass_encoder(type_: Any) -> Conversion:
    names = [field.name for field in fields(type_)]
    nested = _nested(type_, _encoder)
    if len(names) < 2:  # attrgetter of one name gives the bare value, of none it is an error
        return lambda value: [_encode_any(getattr(value, name)) for name in names]
    take = attrgetter(*names)
    if not nested:
        return take

    def convert(value: Any) -> list[Any]:
        row = list(take(value))
        for position, part in nested:
            row[position] = part(row[position])
        return row

    return convert


def _dataclass_decoder(type_: Any) -> Conversion:
    nested = _nested(type_, _decoder)

    def convert(row: list[Any]) -> Any:
        for position, part in nested:
            if position < len(row):
                row[position] = part(row[position])
        return type_(*row)

    return convert


def _nested(type_: Any, of: Callable[[Any], Conversion]) -> tuple[tuple[int, Callable[[Any], Any]], ...]:
    """The fields that JSON cannot represent directly: their position in the row, and their conversion."""
    hints = get_type_hints(type_)
    converts = ((position, of(hints[field.name])) for position, field in enumerate(fields(type_)))
    return tuple((position, convert) for position, convert in converts if convert is not None)
