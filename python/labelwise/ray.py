"""Evaluations of datasets of Ray Data: the draw runs where the blocks are, and the pool stays there.

    import labelwise as lw

    e = lw.ray.new(ray.data.read_parquet("s3://bucket/scores/"), out="support.labelwise", columns={"scores": "score"})
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _passes
from ._passes import SKETCH

if TYPE_CHECKING:
    from ._durable import DurableEvaluation
    from ._questions import PathName

__all__ = ["new", "refresh"]


def new(
    ds: Any, *, out: PathName, columns: Mapping[str, Any] | None = None, ahead: int | None = None, who: str = "", **options: Any
) -> DurableEvaluation:
    """Makes an evaluation of a dataset in a new file, which keeps draws and totals, not the pool.

    Every pass reads the columns of ids and predictions once, by `map_batches`: blocks become sketches, and sketches become one.
    One more pass fetches `carry` columns of drawn items. The draws depend on the rows, the seed and the options alone,
    not on blocks. A dataset must give the same rows in every pass: write the scores of a model to files first, or
    `materialize` them.

    Arguments:
        ds: a dataset of Ray Data with a row per item, and a column of ids that name one item each.
        out: the file of the evaluation, where this runs. It must not exist.
        columns: what the columns are, as in `labelwise.Evaluation`: `ids`, `probabilities`, `scores`, `carry` and so on.
        ahead: how many draws are made ahead [default: 16,384]. When they are used up, `refresh` makes more.
        who: who asks and tells.
        options: `loss`, `seed`, `floor` and the others of `labelwise.Evaluation`.
    """
    return _passes.new(_Dataset(ds), out, columns, ahead, who, options)


def refresh(ds: Any, path: PathName, *, who: str = "") -> DurableEvaluation:
    """Makes the next draws of an evaluation by the labels told so far, in one more pass over the same dataset."""
    return _passes.refresh(_Dataset(ds), path, who)


class _Dataset:
    """A dataset as a pool."""

    name = "ray"

    def __init__(self, ds: Any) -> None:
        if not (hasattr(ds, "map_batches") and hasattr(ds, "select_columns")):
            raise _passes.not_a("a dataset of Ray Data", ds)
        self.ds = ds
        self.schema = _schema(ds)

    def sketches(self, columns: list[str], work: bytes) -> Iterator[bytes]:
        parts = self._mapped(columns, _sketched, work)
        merged = parts.map_batches(_merged, batch_format="pyarrow", batch_size=_passes.FAN)
        for batch in merged.iter_batches(batch_format="pyarrow", batch_size=_passes.FAN):
            yield from _passes.texts(batch)

    def rows(self, ids: list[str], id_column: str, columns: list[str]) -> Any:
        import pyarrow as pa

        found = self._mapped(_passes.distinct([id_column, *columns]), _with_ids, (id_column, pa.array(ids)))
        tables = [table for table in found.iter_batches(batch_format="pyarrow", batch_size=None) if table.num_rows > 0]
        return pa.concat_tables(tables, promote_options="permissive")

    def _mapped(self, columns: list[str], function: Any, given: Any) -> Any:
        """Blocks of these columns through a function; what it is given besides goes once to every machine."""
        import ray

        selected = self.ds.select_columns(columns)
        return selected.map_batches(function, fn_args=(ray.put(given),), batch_format="pyarrow", batch_size=None)


def _schema(ds: Any) -> Any:
    import pyarrow as pa

    found = ds.schema()
    return pa.schema([] if found is None else list(zip(found.names, found.types, strict=True)))


def _sketched(table: Any, given: Any) -> Any:
    import ray

    return _one(_passes.sketch(ray.get(given), [table]))


def _merged(table: Any) -> Any:
    return _one(_passes.merged(_passes.texts(table)))


def _with_ids(table: Any, given: Any) -> Any:
    import ray

    return _passes.with_ids(table, *ray.get(given))


def _one(sketch: bytes) -> Any:
    import pyarrow as pa

    return pa.table({SKETCH: pa.array([sketch], pa.binary())})
