"""The report of a compilation as tables, for terminals and notebooks."""

from __future__ import annotations

import html
import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from fx_mlir._error import Error

#: The longest text of a cell in a terminal.
_WIDTH = 44

#: Rows of a table as texts, below the titles of the columns.
_Table = tuple[str, list[str], list[list[str]]]


def _bytes(count: int) -> str:
    if count < 0:
        return "depend on the inputs"
    value, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"


def _line(operator: Mapping) -> str:
    """The innermost line of the model's own code: libraries are less telling. Without folders."""
    stack = operator.get("stack", [])
    frame = next((f for f in stack if "site-packages" not in f), stack[0] if stack else "")
    return os.path.basename(frame)


class Report:
    """The report of a compilation. `data` has its keys and values, which docs/Report.md
    lists. `str(report)` is a text with tables; notebooks show tables in HTML.

    - Kernels: what computes the model, with the operators and the line of the model's code.
    - Operators on ATen: those without native code, with the reason.
    - Phases: the seconds of the compilation.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)

    def __str__(self) -> str:
        parts = [self.summary]
        for title, header, rows in self._tables():
            parts += ["", title, _text(header, rows)]
        return "\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [f"<p>{html.escape(self.summary)}</p>"]
        for title, header, rows in self._tables():
            head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
            body = "".join(
                "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
                for row in rows
            )
            parts.append(
                f"<details open><summary>{html.escape(title)}</summary>"
                f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"
            )
        return "\n".join(parts)

    @property
    def summary(self) -> str:
        """One line: the mode, CPU, time, kernels, fallbacks, memory and cache."""
        data = self.data
        if data.get("mode") == "interpret":
            return f"interpreted: {data.get('reason') or 'by request'}"
        parts = [f"{data.get('mode', 'compiled')} for {data.get('cpu', 'an unknown CPU')}"]
        if "compile_seconds" in data:
            parts[0] += f" in {data['compile_seconds']:.2f} s"
        parts.append(_count(len(data.get("kernels", [])), "kernel"))
        parts.append(_count(data.get("fallbacks", 0), "call") + " to ATen")
        parts.append(f"weights {_bytes(data.get('weight_bytes', 0))}")
        parts.append(f"temporaries {_bytes(data.get('arena_bytes', 0))}")
        if cache := data.get("cache"):
            parts.append(f"cache {cache['hits']} of {cache['hits'] + cache['misses']}")
        return ", ".join(parts)

    def _tables(self) -> list[_Table]:
        tables = [self._kernels(), self._fallbacks(), self._phases()]
        return [table for table in tables if table[2]]

    def _kernels(self) -> _Table:
        operators = {}
        for operator in self.data.get("operators", []):
            prefix = "" if operator["graph"] == "main" else f"{operator['graph']}:"
            operators[prefix + operator["node"]] = operator
        rows = []
        for kernel in self.data.get("kernels", []):
            first: Mapping = next((operators[n] for n in kernel["nodes"] if n in operators), {})
            rows.append(
                [
                    kernel["name"],
                    kernel["schedule"].get("kind", "") + (" (tuned)" if kernel.get("tuned") else ""),
                    str(kernel["calls"]),
                    kernel["when"],
                    ", ".join(kernel["nodes"]),
                    first.get("module", ""),
                    _line(first),
                ]
            )
        header = ["kernel", "kind", "calls", "when", "operators", "module", "line"]
        return "Kernels", header, rows

    def _fallbacks(self) -> _Table:
        rows = [
            [o["node"], o["target"], o.get("reason", ""), _line(o)]
            for o in self.data.get("operators", [])
            if o["status"] == "fallback"
        ]
        return "Operators on ATen", ["node", "operator", "reason", "line"], rows

    def _phases(self) -> _Table:
        phases = sorted(self.data.get("phases", {}).items(), key=lambda phase: -phase[1])
        rows = [[name, f"{seconds:.3f}"] for name, seconds in phases if seconds >= 0.0005]
        return "Phases", ["phase", "seconds"], rows


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _text(header: list[str], rows: list[list[str]]) -> str:
    def shorten(cell: str) -> str:
        return cell if len(cell) <= _WIDTH else cell[: _WIDTH - 1] + "…"

    lines = [header] + [[shorten(cell) for cell in row] for row in rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    return "\n".join(
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
        for line in lines
    )


def report(source: Any) -> Report:
    """Returns the report of a compiled model, of a report as a dict, or of the JSON file
    that `fx-compile --report` writes."""
    if isinstance(source, (str, os.PathLike)):
        try:
            source = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))
        except (UnicodeDecodeError, ValueError) as e:
            raise Error(f"{os.fspath(source)}: expected a report in JSON: {e}") from None
    data = source if isinstance(source, Mapping) else getattr(source, "report", None)
    if not isinstance(data, Mapping) or "mode" not in data:
        raise Error(f"expected a compiled model or a report, got {type(source).__qualname__}")
    return Report(data)
