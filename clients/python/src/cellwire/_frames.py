"""DataFrames of pandas and Polars, which the caller must have installed."""

from __future__ import annotations

import datetime
import importlib
import re
import warnings
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from ._dates import iso_text
from ._errors import CellwireError

_MAX_INTEGER = 9_007_199_254_740_991
# Maximum number of rows in one request of `write_frame`.
_ROWS_PER_WRITE = 10_000
_TOO_LONG_TO_PROPOSE = "A frame of more than 10,000 rows cannot be one proposal: write parts of it"

Columns = Sequence[Tuple[str, str]]


class _IntegerWarning:
    """Warns once that integers were written as texts."""

    def __init__(self) -> None:
        self._has_warned = False

    def warn_once(self) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(
                "integers beyond 9,007,199,254,740,991 are written as texts: a number cannot hold them exactly",
                UserWarning,
                stacklevel=3,
            )


def _is_polars(df: Any) -> bool:
    return type(df).__module__.split(".")[0] == "polars"


def _rows(df: Any) -> Iterator[Sequence[Any]]:
    """Returns the rows of a frame, in constant extra memory."""
    if _is_polars(df):
        return iter(df.iter_rows())
    return iter(df.itertuples(index=False, name=None))


def _to_value(value: Any, integers: _IntegerWarning) -> Any:
    """Returns a cell of a frame as a value to write; None for a missing value."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return value
    kind = type(value).__name__
    if kind in ("NAType", "NaTType"):
        return None
    item = getattr(value, "item", None)
    if callable(item) and kind != "Timestamp":
        value = item()
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) <= _MAX_INTEGER:
            return value
        integers.warn_once()
        return str(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if hasattr(value, "to_pydatetime"):
        # Nanoseconds are dropped, because the service stores milliseconds.
        return value.to_pydatetime(warn=False)
    if isinstance(value, (datetime.date, datetime.time)):
        return value
    if isinstance(value, datetime.timedelta):
        return _duration(value)
    return str(value)


def _duration(value: datetime.timedelta) -> str:
    sign = "-" if value < datetime.timedelta() else ""
    seconds = abs(value)
    hours, rest = divmod(seconds.days * 86_400 + seconds.seconds, 3_600)
    fraction = f".{seconds.microseconds // 1_000:03d}" if seconds.microseconds else ""
    return f"{sign}{hours:02d}:{rest // 60:02d}:{rest % 60:02d}{fraction}"


def frame_records(df: Any) -> Iterator[Dict[str, Any]]:
    """Yields the rows of a frame as records."""
    names = [str(name) for name in df.columns]
    integers = _IntegerWarning()
    for row in _rows(df):
        yield {name: _to_value(value, integers) for name, value in zip(names, row)}


def write_frame(
    write: Callable[..., Any], range: str, df: Any, header: bool, options: Mapping[str, Any]
) -> Any:
    """Writes the rows of a frame as blocks below each other, and returns one answer for all."""
    if options.get("propose") and len(df) + int(header) > _ROWS_PER_WRITE:
        raise CellwireError(_TOO_LONG_TO_PROPOSE)
    total: Optional[Dict[str, Any]] = None
    target = range
    for block in _blocks(df, header):
        # Writes of a token that may only propose become proposals without the option.
        if total is not None and "proposal" in total:
            raise CellwireError(_TOO_LONG_TO_PROPOSE)
        answer: Dict[str, Any] = write(target, block, **{"value_input_option": "RAW", **options})
        if "proposal" in answer:
            total = answer
            continue
        total = answer if total is None else _sum(total, answer)
        target = _below(answer["updated"]["updatedRange"])
    return total


def _blocks(df: Any, header: bool) -> Iterator[List[List[Any]]]:
    integers = _IntegerWarning()
    rows: List[List[Any]] = [[str(name) for name in df.columns]] if header else []
    for row in _rows(df):
        rows.append([_to_input(_to_value(value, integers)) for value in row])
        if len(rows) >= _ROWS_PER_WRITE:
            yield rows
            rows = []
    if rows:
        yield rows


def _to_input(value: Any) -> Any:
    """Returns the input for a cell. An empty text clears the cell; null would leave it unchanged."""
    if value is None:
        return ""
    if isinstance(value, datetime.time):
        return {"value": iso_text(value), "as": "time"}
    return {"value": iso_text(value), "as": "date"} if isinstance(value, datetime.date) else value


def _below(updated: str) -> str:
    """Returns the cell below the first column of a block: `Orders!A1:C3` → `Orders!A4`."""
    sheet, _, cells = updated.rpartition("!")
    first, _, last = cells.partition(":")
    column = re.sub(r"\d", "", first)
    row = int(re.sub(r"\D", "", last or first))
    return f"{sheet}!{column}{row + 1}"


def _sum(before: Mapping[str, Any], answer: Mapping[str, Any]) -> Dict[str, Any]:
    total = {**answer, "updated": dict(answer["updated"])}
    for name in ("updatedRows", "updatedCells", "cells"):
        total["updated"][name] = before["updated"][name] + answer["updated"][name]
    first = before["updated"]["updatedRange"].partition(":")[0]
    last = answer["updated"]["updatedRange"].rpartition(":")[2].rpartition("!")[2]
    total["updated"]["updatedRange"] = f"{first}:{last}"
    for name in ("warnings", "changes"):
        if name in before or name in answer:
            total[name] = [*before.get(name, []), *answer.get(name, [])]
    return total


def _column_values(columns: Columns, records: Iterable[Mapping[str, Any]]) -> Dict[str, List[Any]]:
    data: Dict[str, List[Any]] = {name: [] for name, _ in columns}
    for record in records:
        for name, values in data.items():
            values.append(record.get(name))
    return data


def _column_kind(kind: str, values: Sequence[Any]) -> str:
    """Returns the kind of a column: `integer`, `number`, `boolean`, `date` or `text`."""
    if kind == "number":
        # An error in a column of numbers is a text.
        if any(not isinstance(value, (int, float)) for value in values if value is not None):
            return "text"
        return "integer" if all(isinstance(value, int) for value in values if value is not None) else "number"
    if kind == "boolean" and all(value is None or isinstance(value, bool) for value in values):
        return "boolean"
    return "date" if kind == "date" else "text"


def _to_text(value: Any) -> Optional[str]:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    return str(value)


def _import_package(name: str) -> Any:
    """Imports an optional package, which type checkers need not find."""
    return importlib.import_module(name)


def to_pandas(columns: Columns, records: Iterable[Mapping[str, Any]]) -> Any:
    pandas = _import_package("pandas")

    data = _column_values(columns, records)
    frame: Dict[str, Any] = {}
    for name, kind in columns:
        values = data[name]
        column_kind = _column_kind(kind, values)
        if column_kind == "date":
            frame[name] = pandas.to_datetime(pandas.Series(values, dtype="object"), format="ISO8601", errors="coerce")
            frame[name] = frame[name].astype("datetime64[ns]")
        elif column_kind == "text":
            frame[name] = pandas.Series([_to_text(value) for value in values], dtype="string")
        else:
            dtype = {"integer": "Int64", "number": "float64", "boolean": "boolean"}[column_kind]
            frame[name] = pandas.Series(values, dtype=dtype)
    return pandas.DataFrame(frame)


def to_polars(columns: Columns, records: Iterable[Mapping[str, Any]]) -> Any:
    polars = _import_package("polars")

    data = _column_values(columns, records)
    series: List[Any] = []
    for name, kind in columns:
        values = data[name]
        column_kind = _column_kind(kind, values)
        if column_kind == "date":
            moments = [_parse_datetime(value) for value in values]
            series.append(polars.Series(name, moments, dtype=polars.Datetime("us")))
        elif column_kind == "text":
            series.append(polars.Series(name, [_to_text(value) for value in values], dtype=polars.String))
        else:
            dtype = {"integer": polars.Int64, "number": polars.Float64, "boolean": polars.Boolean}[column_kind]
            series.append(polars.Series(name, values, dtype=dtype))
    return polars.DataFrame(series)


def _parse_datetime(value: Any) -> Optional[datetime.datetime]:
    try:
        return None if value is None else datetime.datetime.fromisoformat(value)
    except ValueError:
        return None
