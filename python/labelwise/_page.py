"""The report of an evaluation in memory as one page: no scripts, nothing from elsewhere, so that it can be mailed."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import numpy.typing as npt

from ._estimate import Estimate

MOST_ROWS = 1000
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1d2129; background: #fff }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem } .value { font-size: 2.2rem; font-weight: 600 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums } th, td { text-align: left; padding: .15rem .8rem .15rem 0 }
pre { white-space: pre-wrap; background: #f3f4f6; padding: .8rem } svg { width: 100%; height: auto }
@media print { body { margin: 0; max-width: none } }
"""


def page(
    evaluation: str,
    estimates: list[Estimate],
    text: str,
    draws: dict[str, Any],
    course: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]],
) -> str:
    """The page, as HTML."""
    main, others = estimates[0], estimates[1:]
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in main.warnings)
    between = "no interval yet"
    if main.low is not None and main.high is not None:
        between = f"{100 * main.level:.6g} % interval {main.low:.4f} to {main.high:.4f}, {main.basis}"
    rows = "".join(f"<tr><td>{html.escape(str(one))}</td></tr>" for one in others)
    parts = [
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(main.metric)} by labelwise</title>',
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>',
        f"<h1>{html.escape(main.metric)}</h1><p><span class='value'>{main.value:.4f}</span><br>{html.escape(between)}<br>",
        f"by {html.escape(main.estimator)} from {main.labels} of {main.pool_size} items</p>",
        f"<h2>To keep in mind</h2><ul>{notes}</ul>" if notes else "",
        f"<h2>Other metrics, from the same labels</h2><table>{rows}</table>" if rows else "",
        f"<h2>The mean loss, label by label</h2>{_picture(*course)}",
        f"<h2>Diagnostics</h2><pre>{html.escape(text)}</pre>",
        f"<h2>Draws</h2>{_table(draws)}<p>{html.escape(evaluation)}</p></body></html>",
    ]
    return "\n".join(part for part in parts if part)


def _picture(places: npt.NDArray[Any], values: npt.NDArray[Any], errors: npt.NDArray[Any]) -> str:
    low, high = values - errors, values + errors
    inside = np.isfinite(low) & np.isfinite(high)
    if inside.sum() < 2:
        return "<p>There are too few labels for a picture.</p>"
    places, values, low, high = places[inside], values[inside], low[inside], high[inside]
    bottom, top = float(low.min()), float(high.max())
    x = 60 + 560 * (places - places[0]) / (places[-1] - places[0])

    def height(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return 210 - 190 * (numbers - bottom) / max(top - bottom, 1e-300)

    def points(across: npt.NDArray[Any], up: npt.NDArray[Any]) -> str:
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, up, strict=True))

    band = points(np.concatenate([x, x[::-1]]), np.concatenate([height(low), height(high)[::-1]]))
    said = f"The estimate after each label, ending at {values[-1]:.4f}, with 1.96 standard errors on each side"
    return (
        f'<svg viewBox="0 0 640 250" role="img" aria-label="{said}"><polygon points="{band}" fill="#2f6fab" opacity=".2"/>'
        f'<polyline points="{points(x, height(values))}" fill="none" stroke="#2f6fab" stroke-width="2"/>'
        f'<g font-size="12"><text x="0" y="24">{top:.4g}</text><text x="0" y="214">{bottom:.4g}</text>'
        f'<text x="60" y="240">{places[0]} labels</text><text x="620" y="240" text-anchor="end">{places[-1]} labels</text></g></svg>'
    )


def _table(draws: dict[str, Any]) -> str:
    names = [name for name in ("item", "q", "label", "loss", "expected_loss", "state") if name in draws]
    heads = "".join("<th>" + name.replace("_", " ") + "</th>" for name in names)
    rows = [f"<tr>{heads}</tr>"]
    total = len(draws["item"])
    for place in range(min(total, MOST_ROWS)):
        cells = "".join(f"<td>{html.escape(_cell(draws[name][place]))}</td>" for name in names)
        rows.append(f"<tr>{cells}</tr>")
    more = f"<p>and {total - MOST_ROWS} more</p>" if total > MOST_ROWS else ""
    return "<table>" + "".join(rows) + f"</table>{more}"


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return ""
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
