"""Evaluations of pools that stay in an engine: the loop of passes that Spark, Ray and Dask share.

A pass is a map (a part of the pool becomes a sketch) and merges of sketches. The engine of this package decides what a pass
reads, keeps and refuses; a worker gets that as bytes that nothing here looks into.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Protocol

from . import _engine
from ._arrays import natural
from ._durable import DurableEvaluation
from ._options import chosen
from ._questions import PathName

SKETCH = "sketch"
"""The one column of tables of sketches."""

FAN = 16
"""How many sketches become one at a time."""


class Pool(Protocol):
    """A pool in an engine."""

    name: str
    """What the evaluation calls it."""
    schema: Any
    """Its columns and their types, as Arrow has them."""

    def sketches(self, columns: list[str], work: bytes) -> Iterable[bytes]:
        """The sketches of its parts, or merges of them. Only these columns are read."""
        ...

    def rows(self, ids: list[str], id_column: str, columns: list[str]) -> Any:
        """A table of Arrow with the ids and columns of the items with these ids."""
        ...


def new(
    pool: Pool, out: PathName, columns: Mapping[str, Any] | None, ahead: int | None, who: str, options: dict[str, Any]
) -> DurableEvaluation:
    """Draws from a pool, and writes the evaluation."""
    if os.path.exists(out):
        # Known before hours of work, and refused again when the file is written.
        raise FileExistsError(f"{os.fspath(out)} exists already; choose another name for the evaluation")
    made, told = chosen(pool=pool.name, columns=columns, **options)
    ahead = None if ahead is None else natural("ahead", ahead, 1)
    names = made["models"][0][1]["columns"]
    scan = _engine.Scan(pool.name, pool.schema, names, made, ahead)
    decisions = _run(scan, pool, out)
    return DurableEvaluation(_engine.Study.open(os.fspath(out), True), decisions, told, who)


def refresh(pool: Pool, path: PathName, who: str) -> DurableEvaluation:
    """Draws again from a pool by the labels of an evaluation."""
    decisions = _run(_engine.Scan.refresh(os.fspath(path), pool.schema), pool, None)
    return DurableEvaluation(_engine.Study.open(os.fspath(path), True), decisions, None, who)


def _run(scan: _engine.Scan, pool: Pool, out: PathName | None) -> list[str]:
    """Makes all passes; what was decided, in sentences."""
    while (work := scan.work()) is not None:
        # An empty sketch first: an engine may give none of a pool without rows.
        scan.take(merged(chain([sketch(work, ())], pool.sketches(scan.columns, work))))
    carried = aligned(pool.rows(scan.drawn(), scan.id_column, scan.carry)) if scan.carry else None
    return scan.finish(carried, None if out is None else os.fspath(out))


def sketch(work: bytes, batches: Iterable[Any]) -> bytes:
    """The sketch of a part of a pool, whose batches are tables of Arrow. Runs on a worker."""
    part = _engine.Part(work)
    for batch in batches:
        part.add(aligned(batch))
    return part.bytes()


def aligned(table: Any) -> Any:
    """A table or batch of Arrow whose numbers lie where the engine may read them.

    What came over a network may begin anywhere in memory; it is copied.
    """
    import pyarrow as pa

    found = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
    buffers = (buffer for column in found.columns for chunk in column.chunks for buffer in chunk.buffers())
    if all(buffer is None or buffer.address % 8 == 0 for buffer in buffers):
        return table
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, found.schema) as stream:
        stream.write_table(found)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def merged(sketches: Iterable[bytes]) -> bytes:
    """One sketch of several. No more than a few are held at a time, and any order and grouping give the same bytes."""
    rest = iter(sketches)
    one = _engine.merge(list(islice(rest, FAN)))
    while more := list(islice(rest, FAN)):
        one = _engine.merge([one, *more])
    return one


def texts(table: Any) -> Iterator[bytes]:
    """The sketches in a table of Arrow."""
    return (value.as_py() for value in table.column(SKETCH))


def with_ids(table: Any, id_column: str, ids: Any) -> Any:
    """The rows of a table of Arrow with these ids, which are texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return table.filter(pc.is_in(table.column(id_column).cast(pa.string()), value_set=ids))


def distinct(names: Iterable[str]) -> list[str]:
    """Every name once, in the order of the first."""
    return list(dict.fromkeys(names))


def not_a(what: str, pool: Any) -> TypeError:
    """The refusal of a pool that is another engine's."""
    kind = f"{type(pool).__module__.partition('.')[0]}.{type(pool).__name__}"
    return TypeError(f"the pool is a {kind}, but must be {what}; for tables in memory and files there is labelwise.create")
