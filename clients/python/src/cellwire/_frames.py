"""DataFrames of pandas and Polars, which the caller must have installed."""

from __future__ import annotations

import datetime
import importlib
import re
import warnings
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, cast

from ._dates import parse_iso_text, duration_text, iso_text
from ._errors import CellwireError

_MAX_INTEGER = 9_007_199_254_740_991
# Maximum number of rows in one request of `write_frame`.
_ROWS_PER_WRITE = 10_000
_TOO_LONG_TO_PROPOSE = "A frame of more than 10,000 rows cannot be one proposal: write parts of it"

Columns = Sequence[Tuple[str, str]]


class _MixedText(str):
    """The text of a value in a column with several types. It contains the value, so that the value can be written back
    unchanged.
    """

    value: Any

    @classmethod
    def of(cls, value: Any) -> _MixedText:
        """Returns the text of a value, which contains the value."""
        text = cls(_to_text(value))
        text.value = value
        return text


class _IntegerWarning:
    """Warns once that integers were written as texts."""

    def __init__(self) -> None:
        self._has_warned = False

    def warn_once(self) -> None:
        """Warns, unless it has warned before."""
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(
                "integers beyond 9,007,199,254,740,991 are written as texts: a number cannot hold them exactly",
                UserWarning,
                stacklevel=3,
            )


def _is_polars(df: Any) -> bool:
    """True for a DataFrame of Polars."""
    return type(df).__module__.split(".")[0] == "polars"


def _iterate_rows(df: Any) -> Iterator[Sequence[Any]]:
    """Returns the rows of a frame, in constant extra memory."""
    if _is_polars(df):
        return iter(df.iter_rows())
    return iter(df.itertuples(index=False, name=None))


def _to_value(value: Any, integers: Optional[_IntegerWarning]) -> Any:
    """Converts a cell of a frame to a value that can be written; None for a missing value. Without `integers` it never
    warns.
    """
    if isinstance(value, _MixedText):
        return value.value
    # A dictionary is an error of the API, for example {"error": "#N/A"}. A frame's cells have no type.
    if value is None or isinstance(value, (str, bool, dict)):
        return cast(Any, value)
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
        if integers is not None:
            integers.warn_once()
        return str(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    # Values of pandas lose their nanoseconds, because times in cells have only microseconds.
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime(warn=False)
    if hasattr(value, "to_pytimedelta"):
        return value.to_pytimedelta()
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return value
    return str(value)


def frame_records(df: Any) -> Iterator[Dict[str, Any]]:
    """Yields the rows of a frame as records."""
    names = [str(name) for name in df.columns]
    integers = _IntegerWarning()
    for row in _iterate_rows(df):
        yield {name: _to_value(value, integers) for name, value in zip(names, row)}


def moment_types(df: Any) -> Dict[str, str]:
    """Returns the API's types of the columns that contain only dates, only times, or only durations."""
    columns = df.get_columns() if _is_polars(df) else [df.iloc[:, i] for i in range(len(df.columns))]
    types = ((str(name), _moment_type(column)) for name, column in zip(df.columns, columns))
    return {name: type for name, type in types if type is not None}


def _moment_type(column: Iterable[Any]) -> Optional[str]:
    """Returns the type of the moments of a column. Stops reading at the first value of another type."""
    found: Optional[str] = None
    for value in column:
        plain = _to_value(value, None)
        if plain is None:
            continue
        type = _moment_name(plain)
        if type is None or found not in (None, type):
            return None
        found = type
    return found


_MOMENTS = {"date": datetime.date, "time": datetime.time, "duration": datetime.timedelta}


def _moment_name(value: Any) -> Optional[str]:
    """Returns the API's type of a date, a time or a duration; None for other values."""
    return next((name for name, kind in _MOMENTS.items() if isinstance(value, kind)), None)


def write_frame(
    write: Callable[..., Any], range: str, df: Any, header: bool, options: Mapping[str, Any]
) -> Any:
    """Writes the rows of a frame as blocks below each other, and returns one answer for all."""
    if options.get("propose") and len(df) + int(header) > _ROWS_PER_WRITE:
        raise CellwireError(_TOO_LONG_TO_PROPOSE)
    total: Optional[Dict[str, Any]] = None
    target = range
    for block in _read_blocks(df, header):
        # If the token may only propose, writes become proposals even without the option.
        if total is not None and "proposal" in total:
            raise CellwireError(_TOO_LONG_TO_PROPOSE)
        answer: Dict[str, Any] = write(target, block, **{"value_input_option": "RAW", **options})
        if "proposal" in answer:
            total = answer
            continue
        total = answer if total is None else _add_answers(total, answer)
        target = _cell_below(answer["updated"]["updatedRange"])
    return total


def _read_blocks(df: Any, header: bool) -> Iterator[List[List[Any]]]:
    """Yields the rows of a frame as blocks of a size that one write accepts."""
    integers = _IntegerWarning()
    rows: List[List[Any]] = [[str(name) for name in df.columns]] if header else []
    for row in _iterate_rows(df):
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
    type = _moment_name(value)
    if type is None:
        return value
    return {"value": duration_text(value) if type == "duration" else iso_text(value), "as": type}


def _cell_below(updated: str) -> str:
    """Returns the cell below the first column of a block: `Orders!A1:C3` → `Orders!A4`."""
    sheet, _, cells = updated.rpartition("!")
    first, _, last = cells.partition(":")
    column = re.sub(r"\d", "", first)
    row = int(re.sub(r"\D", "", last or first))
    return f"{sheet}!{column}{row + 1}"


def _add_answers(before: Mapping[str, Any], answer: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns one answer for two writes, with the sum of their counts."""
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
    """Returns the values of each column, one for each record."""
    data: Dict[str, List[Any]] = {name: [] for name, _ in columns}
    for record in records:
        for name, values in data.items():
            values.append(record.get(name))
    return data


def _column_kind(kind: str, values: Sequence[Any]) -> str:
    """Returns the kind of a column: `integer`, `number`, `boolean`, `date`, `text`, or `mixed` for several types."""
    types: Set[Any] = {type(value) for value in values if value is not None}
    if kind == "number" and types <= {int, float}:
        return "number" if float in types else "integer"
    if kind == "boolean" and types <= {bool}:
        return "boolean"
    if kind == "date" and all(value is None or _parse_datetime(value) is not None for value in values):
        return "date"
    return "text" if types <= {str} else "mixed"


def _to_text(value: Any) -> str:
    """Returns the text of a value: a boolean in capitals, an error as its code."""
    if isinstance(value, dict):
        return str(cast("Dict[str, Any]", value).get("error"))
    return str(value).upper() if isinstance(value, bool) else str(value)


def _import_package(name: str) -> Any:
    """Imports an optional package. Type checkers need not find it."""
    return importlib.import_module(name)


def to_pandas(columns: Columns, records: Iterable[Mapping[str, Any]]) -> Any:
    """Returns records as a DataFrame of pandas with types by column."""
    pandas = _import_package("pandas")

    data = _column_values(columns, records)
    frame: Dict[str, Any] = {}
    for name, kind in columns:
        values = data[name]
        column_kind = _column_kind(kind, values)
        if column_kind == "date":
            moments = [_parse_datetime(value) for value in values]
            frame[name] = pandas.Series(moments, dtype=f"datetime64[{_choose_time_unit(moments)}]")
        elif column_kind == "mixed":
            texts = [None if value is None else _MixedText.of(value) for value in values]
            # This storage keeps the `_MixedText` objects. Arrow would copy only their characters.
            frame[name] = pandas.Series(texts, dtype=pandas.StringDtype("python"))
        else:
            dtype = {"integer": "Int64", "number": "float64", "boolean": "boolean", "text": "string"}[column_kind]
            frame[name] = pandas.Series(values, dtype=dtype)
    return pandas.DataFrame(frame)


def _choose_time_unit(moments: Sequence[Optional[datetime.datetime]]) -> str:
    """Returns the unit for a column of dates: nanoseconds if all dates are between 1677 and 2262, else microseconds."""
    return "ns" if all(moment is None or 1677 < moment.year < 2262 for moment in moments) else "us"


def to_polars(columns: Columns, records: Iterable[Mapping[str, Any]]) -> Any:
    """Returns records as a DataFrame of Polars with types by column."""
    polars = _import_package("polars")

    data = _column_values(columns, records)
    series: List[Any] = []
    for name, kind in columns:
        values = data[name]
        column_kind = _column_kind(kind, values)
        if column_kind == "date":
            moments = [_parse_datetime(value) for value in values]
            series.append(polars.Series(name, moments, dtype=polars.Datetime("us")))
        else:
            dtypes = {
                "integer": polars.Int64,
                "number": polars.Float64,
                "boolean": polars.Boolean,
                "text": polars.String,
                "mixed": polars.Object,
            }
            series.append(polars.Series(name, values, dtype=dtypes[column_kind]))
    return polars.DataFrame(series)


def _parse_datetime(value: Any) -> Optional[datetime.datetime]:
    """Returns a local time of the API as a `datetime`; None for other values."""
    parsed = parse_iso_text(value)
    if isinstance(parsed, datetime.datetime):
        return parsed
    return datetime.datetime.combine(parsed, datetime.time()) if isinstance(parsed, datetime.date) else None
