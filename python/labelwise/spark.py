"""Evaluations of DataFrames of Spark: the draw runs where the rows are, and the pool stays there.

    import labelwise as lw

    e = lw.spark.new(spark.table("scores"), out="support.labelwise", columns={"scores": "score", "carry": ["prompt"]})

Executors need nothing but this package and pyarrow: no jar. Classic sessions and Spark Connect are the same to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _passes
from ._arrays import natural
from ._passes import SKETCH

if TYPE_CHECKING:
    from ._durable import DurableEvaluation
    from ._questions import PathName

__all__ = ["new", "refresh"]

TASKS = 256
"""How many tasks read the pool at the same time, if nothing is said."""

COLLECTED = 256
"""Above so many sketches, executors merge them before the driver does."""


def new(
    df: Any,
    *,
    out: PathName,
    columns: Mapping[str, Any] | None = None,
    ahead: int | None = None,
    tasks: int = TASKS,
    who: str = "",
    **options: Any,
) -> DurableEvaluation:
    """Makes an evaluation of a DataFrame in a new file, which keeps draws and totals, not the pool.

    Every pass reads the columns of ids and predictions once, by `mapInArrow`: one row per task comes to the driver, and no
    row is shuffled. One more pass fetches `carry` columns of drawn items by a broadcast join. The draws depend on the
    rows, the seed and the options alone, not on partitions. A DataFrame must give the same rows in every pass:
    write the scores of a model to a table first.

    Arguments:
        df: a DataFrame of PySpark 4 with a row per item, and a column of ids that name one item each.
        out: the file of the evaluation, on the driver. It must not exist.
        columns: what the columns are, as in `labelwise.Evaluation`: `ids`, `probabilities`, `scores`, `carry` and so on.
        ahead: how many draws are made ahead [default: 16,384]. When they are used up, `refresh` makes more.
        tasks: the maximum number of tasks of a pass; where the DataFrame has more partitions, a task reads several. Give at least the
            number of the cluster's cores.
        who: who asks and tells.
        options: `loss`, `seed`, `floor` and the others of `labelwise.Evaluation`.
    """
    return _passes.new(_DataFrame(df, tasks), out, columns, ahead, who, options)


def refresh(df: Any, path: PathName, *, tasks: int = TASKS, who: str = "") -> DurableEvaluation:
    """Makes the next draws of an evaluation by the labels told so far, in one more pass over the same DataFrame."""
    return _passes.refresh(_DataFrame(df, tasks), path, who)


class _DataFrame:
    """A DataFrame as a pool."""

    name = "spark"

    def __init__(self, df: Any, tasks: int) -> None:
        if not (hasattr(df, "mapInArrow") and hasattr(df, "toArrow")):
            raise _passes.not_a("a DataFrame of PySpark 4 or newer", df)
        self.df = df
        # No row is computed for it.
        self.schema = df.limit(0).toArrow().schema
        self.tasks = natural("tasks", tasks, 1)

    def sketches(self, columns: list[str], work: bytes) -> Iterator[bytes]:
        def sketched(batches: Iterator[Any]) -> Iterator[Any]:
            yield _one(_passes.sketch(work, (batch.rename_columns(columns) for batch in batches)))

        # PySpark itself takes names apart at their points in `mapInArrow`.
        plain = self._selected(columns).toDF(*(f"c{place}" for place in range(len(columns))))
        parts = plain.coalesce(self.tasks).mapInArrow(sketched, f"{SKETCH} binary")
        if self.tasks > COLLECTED:
            # The rows stay where they are; only sketches travel.
            parts = parts.repartition(-(-self.tasks // _passes.FAN)).mapInArrow(_merged, f"{SKETCH} binary")
        return _passes.texts(parts.toArrow())

    def rows(self, ids: list[str], id_column: str, columns: list[str]) -> Any:
        from pyspark.sql import functions as F

        drawn = "labelwise drawn"
        few = self.df.sparkSession.createDataFrame([(one,) for one in ids], f"`{drawn}` string")
        rows = self._selected(_passes.distinct([id_column, *columns]))
        same = rows[_quoted(id_column)].cast("string") == few[_quoted(drawn)]
        return rows.join(F.broadcast(few), same, "leftsemi").toArrow()

    def _selected(self, columns: list[str]) -> Any:
        return self.df.select(*map(_quoted, columns))


def _quoted(name: str) -> str:
    """A column's name that Spark does not take apart at its points."""
    return "`" + name.replace("`", "``") + "`"


def _merged(batches: Iterator[Any]) -> Iterator[Any]:
    sketches = [one for batch in batches for one in _passes.texts(batch)]
    if sketches:
        yield _one(_passes.merged(sketches))


def _one(sketch: bytes) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([sketch], pa.binary())], names=[SKETCH])
