"""Columns of anything that offers an Arrow stream, without importing the library it comes from.

The stream is three functions behind pointers (the Arrow C stream interface); ctypes calls them, and NumPy looks at the
buffers where they lie. A column of one chunk without nulls is not copied until it is put beside the others.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

_P = ctypes.c_void_p
_NUMBERS = {
    "c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32, "I": np.uint32,
    "l": np.int64, "L": np.uint64, "e": np.float16, "f": np.float32, "g": np.float64,
}  # fmt: skip
_NULLABLE = 2


class _Schema(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", _P),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", _P),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", _P),
]


class _Array(ctypes.Structure):
    pass


_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(_P)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", _P),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", _P),
]


class _Stream(ctypes.Structure):
    pass


_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", _P),
]


def columns(source: Any, name: str) -> dict[str, npt.NDArray[Any]]:
    """The columns of a table or a series, by name: numbers, rows of numbers, or texts."""
    capsule = source.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = _P, [ctypes.py_object, ctypes.c_char_p]
    stream = ctypes.cast(pointer(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream))
    schema = _Schema()
    _check(stream, stream.contents.get_schema(stream, ctypes.byref(schema)), name)
    try:
        return _chunks(stream, schema, name)
    finally:
        schema.release(ctypes.byref(schema))


def _check(stream: Any, code: int, name: str) -> None:
    if code:
        said = stream.contents.get_last_error(stream)
        raise ValueError(f"{name}: its Arrow stream failed: {said.decode() if said else code}")


def _chunks(stream: Any, schema: _Schema, name: str) -> dict[str, npt.NDArray[Any]]:
    is_table = schema.format == b"+s"
    fields = [schema.children[i].contents for i in range(schema.n_children)] if is_table else [schema]
    parts: list[list[npt.NDArray[Any]]] = [[] for _ in fields]
    row = 0
    while True:
        array = _Array()
        _check(stream, stream.contents.get_next(stream, ctypes.byref(array)), name)
        if not array.release:
            break
        try:
            chunks = [array.children[i].contents for i in range(array.n_children)] if is_table else [array]
            for part, field, chunk in zip(parts, fields, chunks, strict=True):
                label = _label(field, name)
                # The buffers go when the chunk does, so what was read of them is copied here.
                part.append(_values(field, chunk, label, row, array.offset if is_table else 0, array.length).copy())
            row += array.length
        finally:
            array.release(ctypes.byref(array))
    named: dict[str, npt.NDArray[Any]] = {}
    for field, part in zip(fields, parts, strict=True):
        key = (field.name or b"").decode()
        named[key] = np.concatenate(part) if len(part) > 1 else part[0] if part else np.empty(0)
    return named


def _label(field: _Schema, name: str) -> str:
    column = (field.name or b"").decode()
    return f"{name}: column {column!r}" if column else name


def _buffer(chunk: _Array, place: int, kind: Any, count: int) -> npt.NDArray[Any]:
    address = chunk.buffers[place]
    if not address or count == 0:
        return np.empty(0, dtype=kind)
    size = count * np.dtype(kind).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype=kind)


def _nulls(chunk: _Array, start: int, length: int, label: str, row: int) -> None:
    if chunk.null_count == 0 or not chunk.buffers[0] or length == 0:
        return
    bits = _buffer(chunk, 0, np.uint8, (start + length + 7) // 8)
    there = np.unpackbits(bits, bitorder="little")[start : start + length]
    missing = np.flatnonzero(there == 0)
    if missing.size:
        raise ValueError(f"{label} is null in row {row + int(missing[0])}: drop the row or mend the value")


def _values(field: _Schema, chunk: _Array, label: str, row: int, skip: int, length: int) -> npt.NDArray[Any]:
    kind = field.format.decode()
    start = chunk.offset + skip
    _nulls(chunk, start, length, label, row)
    if kind in _NUMBERS:
        return _buffer(chunk, 1, _NUMBERS[kind], start + length)[start:]
    if kind == "b":
        bits = np.unpackbits(_buffer(chunk, 1, np.uint8, (start + length + 7) // 8), bitorder="little")
        return bits[start : start + length].astype(bool)
    if kind in ("u", "U"):
        offsets = _buffer(chunk, 1, np.int64 if kind == "U" else np.int32, start + length + 1)[start:]
        text = _buffer(chunk, 2, np.uint8, int(offsets[-1]) if offsets.size else 0).tobytes()
        texts = [text[a:b].decode() for a, b in zip(offsets[:-1], offsets[1:], strict=True)]
        return np.array(texts, dtype=object)
    if kind == "vu":
        return _views(chunk, start, length)
    if kind.startswith("+w:"):
        width = int(kind[3:])
        inner = _values(field.children[0].contents, chunk.children[0].contents, label, row, start * width, length * width)
        return inner.reshape(length, width)
    if kind in ("+l", "+L"):
        return _lists(field, chunk, label, row, start, length, np.int64 if kind == "+L" else np.int32)
    raise ValueError(f"{label} is of the Arrow type {kind!r}, which is not read: give numbers, lists of numbers or texts")


def _lists(
    field: _Schema, chunk: _Array, label: str, row: int, start: int, length: int, kind: Any
) -> npt.NDArray[Any]:
    offsets = _buffer(chunk, 1, kind, start + length + 1)[start:]
    if length == 0:
        return np.empty((0, 0))
    widths = np.diff(offsets)
    other = np.flatnonzero(widths != widths[0])
    if other.size:
        place = int(other[0])
        raise ValueError(f"{label}: row {row + place} has {widths[place]} values, but row {row} has {widths[0]}")
    first, last = int(offsets[0]), int(offsets[-1])
    inner = _values(field.children[0].contents, chunk.children[0].contents, label, row, first, last - first)
    return inner.reshape(length, int(widths[0]))


def _views(chunk: _Array, start: int, length: int) -> npt.NDArray[Any]:
    """Texts of up to twelve bytes are in the view itself, longer ones in the buffers behind it."""
    views = _buffer(chunk, 1, np.uint8, 16 * (start + length)).reshape(-1, 16)[start:]
    texts = []
    for view in views:
        size = int(view[:4].view(np.int32)[0])
        if size <= 12:
            texts.append(view[4 : 4 + size].tobytes().decode())
            continue
        place, offset = (int(number) for number in view[8:].view(np.int32))
        text = _buffer(chunk, 2 + place, np.uint8, offset + size)[offset:]
        texts.append(text.tobytes().decode())
    return np.array(texts, dtype=object)
