"""Evaluations of DataFrames of Dask: the draw runs where the partitions are, and the pool stays there.

    import labelwise as lw

    e = lw.dask.new(dask.dataframe.read_parquet("scores/"), out="support.labelwise", columns={"scores": "score"})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _passes

if TYPE_CHECKING:
    from ._durable import DurableEvaluation
    from ._questions import PathName

__all__ = ["new", "refresh"]


def new(
    df: Any, *, out: PathName, columns: Mapping[str, Any] | None = None, ahead: int | None = None, who: str = "", **options: Any
) -> DurableEvaluation:
    """Makes an evaluation of a DataFrame in a new file, which keeps draws and totals, not the pool.

    Every pass reads the columns of ids and predictions once: a partition becomes a sketch, and workers merge sketches in a tree.
    One more pass fetches `carry` columns of drawn items. The draws depend on the rows, the seed and the options alone,
    not on partitions. A DataFrame must give the same rows in every pass: write the scores of a model to files
    first, or `persist` them. An index with a name is a column like the others. pandas does not tell NaN from null.

    Arguments:
        df: a DataFrame of Dask with a row per item, and a column of ids that name one item each.
        out: the file of the evaluation, where this runs. It must not exist.
        columns: what the columns are, as in `labelwise.Evaluation`: `ids`, `probabilities`, `scores`, `carry` and so on.
        ahead: how many draws are made ahead [default: 16,384]. When they are used up, `refresh` makes more.
        who: who asks and tells.
        options: `loss`, `seed`, `floor` and the others of `labelwise.Evaluation`.
    """
    return _passes.new(_DataFrame(df), out, columns, ahead, who, options)


def refresh(df: Any, path: PathName, *, who: str = "") -> DurableEvaluation:
    """Makes the next draws of an evaluation by the labels told so far, in one more pass over the same DataFrame."""
    return _passes.refresh(_DataFrame(df), path, who)


class _DataFrame:
    """A DataFrame as a pool."""

    name = "dask"

    def __init__(self, df: Any) -> None:
        if not (hasattr(df, "to_delayed") and hasattr(df, "map_partitions") and hasattr(df, "columns")):
            raise _passes.not_a("a DataFrame of Dask", df)
        index = df.index.name
        self.df = df if index is None or index in df.columns else df.reset_index()
        self.schema = _schema(self.df)

    def sketches(self, columns: list[str], work: bytes) -> list[bytes]:
        import dask

        # Sent once to every worker, and not with every task.
        given = dask.delayed(work)
        parts = [dask.delayed(_sketched)(part, given) for part in self.df[columns].to_delayed()]
        while len(parts) > 1:
            groups = [parts[start : start + _passes.FAN] for start in range(0, len(parts), _passes.FAN)]
            parts = [dask.delayed(_passes.merged)(group) for group in groups]
        return [parts[0].compute()]

    def rows(self, ids: list[str], id_column: str, columns: list[str]) -> Any:
        import dask
        import pyarrow as pa

        given = dask.delayed(pa.array(ids))
        selected = self.df[_passes.distinct([id_column, *columns])].to_delayed()
        tables = dask.compute(*[dask.delayed(_with_ids)(part, id_column, given) for part in selected])
        return pa.concat_tables([table for table in tables if table.num_rows > 0], promote_options="permissive")


def _schema(df: Any) -> Any:
    import pyarrow as pa
    from dask.dataframe.utils import meta_nonempty

    # Columns of objects have no type before they have rows.
    return pa.Schema.from_pandas(meta_nonempty(df._meta), preserve_index=False)


def _sketched(frame: Any, work: bytes) -> bytes:
    return _passes.sketch(work, [_table(frame)])


def _with_ids(frame: Any, id_column: str, ids: Any) -> Any:
    return _passes.with_ids(_table(frame), id_column, ids)


def _table(frame: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False)
