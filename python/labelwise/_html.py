"""How answers look in notebooks."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Mapping
from typing import Any


def _text(value: Any) -> str:
    """A value as a cell shows it."""
    if value is None:
        return "–"
    if hasattr(value, "_repr_html_"):
        return str(value._repr_html_())
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return "<br>".join(f"{html.escape(str(name))}: {_text(inner)}" for name, inner in value.items()) or "–"
    if isinstance(value, tuple | list):
        if value and all(isinstance(one, Shown) for one in value):
            return rows(value)
        return ", ".join(_text(one) for one in value) or "–"
    return html.escape(str(value))


def _name(name: str) -> str:
    return html.escape(name.replace("_", " "))


def rows(answers: Any) -> str:
    """Answers of one kind as a table with a row each."""
    facts = [answer._facts() for answer in answers]
    head = "".join(f"<th>{_name(name)}</th>" for name in facts[0])
    body = "".join("<tr>" + "".join(f"<td>{_text(value)}</td>" for value in row.values()) + "</tr>" for row in facts)
    return f"<table><tr>{head}</tr>{body}</table>"


class Shown:
    """An answer that notebooks show as a table of its parts."""

    def _facts(self) -> dict[str, Any]:
        """What is shown, by name."""
        assert dataclasses.is_dataclass(self)
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def _repr_html_(self) -> str:
        body = "".join(f"<tr><th>{_name(name)}</th><td>{_text(value)}</td></tr>" for name, value in self._facts().items())
        return f"<table>{body}</table>"
