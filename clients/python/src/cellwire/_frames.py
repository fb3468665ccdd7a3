"""DataFrames of pandas and Polars, where the caller has them installed."""

from __future__ import annotations

import datetime
import importlib
import re
import warnings
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from ._dates import iso_text
from ._errors import CellwireError

_MAX_INTEGER = 9_007_199_254_740_991
# Rows of one request of `write_frame`.
_ROWS_A_WRITE = 10_000
_TOO_LONG_TO_PROPOSE = "A frame of more than 10,000 rows cannot be one proposal: write parts of it"

Columns = Sequence[Tuple[str, str]]


class _IntegerWarning:
    """Says once that integers were written as texts."""

    def __init__(self) -> None:
        self._is_said = False

    def say(self) -> None:
        if not self._is_said:
            self._is_said = True
            warnings.warn(
                "integers beyond 9,007,199,254,740,991 are written as texts: a number cannot hold them exactly",
                UserWarning,
                stacklevel=3,
            )


def _is_polars(df: Any) -> bool:
    return type(df).__module__.split(".")[0] == "polars"


def _rows_of(df: Any) -> Iterator[Sequence[Any]]:
    """The rows of a frame, in constant extra memory."""
    if _is_polars(df):
        return iter(df.iter_rows())
    return iter(df.itertuples(index=False, name=None))


def _value_of(value: Any, integers: _IntegerWarning) -> Any:
    """A cell of a frame as a value to write; None for a missing one."""
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
        integers.say()
        return str(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if hasattr(value, "to_pydatetime"):
        # Nanoseconds are cut: a time of the service has milliseconds.
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


def records_of(df: Any) -> Iterator[Dict[str, Any]]:
    """Yields the rows of a frame as records."""
    names = [str(name) for name in df.columns]
    integers = _IntegerWarning()
    for row in _rows_of(df):
        yield {name: _value_of(value, integers) for name, value in zip(names, row)}


def write_frame(
    write: Callable[..., Any], range: str, df: Any, header: bool, options: Mapping[str, Any]
) -> Any:
    """Writes the rows of a frame as blocks below each other; returns their answer as one."""
    if options.get("propose") and len(df) + int(header) > _ROWS_A_WRITE:
        raise CellwireError(_TOO_LONG_TO_PROPOSE)
    total: Optional[Dict[str, Any]] = None
    place = range
    for block in _blocks(df, header):
        # The writes of a token that only proposes become proposals without the option.
        if total is not None and "proposal" in total:
            raise CellwireError(_TOO_LONG_TO_PROPOSE)
        answer: Dict[str, Any] = write(place, block, **{"value_input_option": "RAW", **options})
        if "proposal" in answer:
            total = answer
            continue
        total = answer if total is None else _sum(total, answer)
        place = _below(answer["updated"]["updatedRange"])
    return total


def _blocks(df: Any, header: bool) -> Iterator[List[List[Any]]]:
    integers = _IntegerWarning()
    rows: List[List[Any]] = [[str(name) for name in df.columns]] if header else []
    for row in _rows_of(df):
        rows.append([_cell_of(_value_of(value, integers)) for value in row])
        if len(rows) >= _ROWS_A_WRITE:
            yield rows
            rows = []
    if rows:
        yield rows


def _cell_of(value: Any) -> Any:
    """An empty text clears a cell; null leaves it as it is."""
    if value is None:
        return ""
    if isinstance(value, datetime.time):
        return {"value": iso_text(value), "as": "time"}
    return {"value": iso_text(value), "as": "date"} if isinstance(value, datetime.date) else value


def _below(updated: str) -> str:
    """The cell below the first column of a block: `Orders!A1:C3` → `Orders!A4`."""
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


def _gathered(columns: Columns, records: Iterable[Mapping[str, Any]]) -> Dict[str, List[Any]]:
    data: Dict[str, List[Any]] = {name: [] for name, _ in columns}
    for record in records:
        for name, values in data.items():
            values.append(record.get(name))
    return data


def _kind_of(kind: str, values: Sequence[Any]) -> str:
    """`integer`, `number`, `boolean`, `date` or `text`: what a column of a frame holds."""
    if kind == "number":
        # A cell with an error is a text in a column of numbers.
        if any(not isinstance(value, (int, float)) for value in values if value is not None):
            return "text"
        return "integer" if all(isinstance(value, int) for value in values if value is not None) else "number"
    if kind == "boolean" and all(value is None or isinstance(value, bool) for value in values):
        return "boolean"
    return "date" if kind == "date" else "text"


def _text_of(value: Any) -> Optional[str]:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    return str(value)


def _installed(name: str) -> Any:
    """A package that is no dependency. Type checkers need not find it."""
    return importlib.import_module(name)


def to_pandas(columns: Columns, records: Iterable[Mapping[str, Any]]) -> Any:
    pandas = _installed("pandas")

    data = _gathered(columns, records)
    frame: Dict[str, Any] = {}
    for name, kind in columns:
        values = data[name]
        found = _kind_of(kind, values)
        if found == "date":
            frame[name] = pandas.to_datetime(pandas.Series(values, dtype="object"), format="ISO8601", errors="coerce")
            frame[name] = frame[name].astype("datetime64[ns]")
        elif found == "text":
            frame[name] = pandas.Series([_text_of(value) for value in values], dtype="string")
        else:
            dtype = {"integer": "Int64", "number": "float64", "boolean": "boolean"}[found]
            frame[name] = pandas.Series(values, dtype=dtype)
    return pandas.DataFrame(frame)


def to_polars(columns: Columns, records: Iterable[Mapping[str, Any]]) -> Any:
    polars = _installed("polars")

    data = _gathered(columns, records)
    series: List[Any] = []
    for name, kind in columns:
        values = data[name]
        found = _kind_of(kind, values)
        if found == "date":
            moments = [_moment(value) for value in values]
            series.append(polars.Series(name, moments, dtype=polars.Datetime("us")))
        elif found == "text":
            series.append(polars.Series(name, [_text_of(value) for value in values], dtype=polars.String))
        else:
            dtype = {"integer": polars.Int64, "number": polars.Float64, "boolean": polars.Boolean}[found]
            series.append(polars.Series(name, values, dtype=dtype))
    return polars.DataFrame(series)


def _moment(value: Any) -> Optional[datetime.datetime]:
    try:
        return None if value is None else datetime.datetime.fromisoformat(value)
    except ValueError:
        return None
