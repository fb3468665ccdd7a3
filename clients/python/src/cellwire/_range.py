"""Creates the texts of ranges such as `Sheet1!A1:B2`."""

from __future__ import annotations

import re
from typing import Any, Optional

from ._errors import CellwireError

_MAX_ROWS = 1_048_576
_MAX_COLUMNS = 16_384
_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]+")
_NUMBER = re.compile(r"[0-9]+(?:[eE][0-9]+)?")


def range(
    sheet: str,
    a1: Optional[str] = None,
    *,
    row: Optional[int] = None,
    column: Optional[int] = None,
    rows: Optional[int] = None,
    columns: Optional[int] = None,
) -> str:
    """Returns the A1 text of a range in a sheet. Quotes the sheet's name if necessary.

    Rows and columns count from 1. Without `rows` or `columns` the range is open on that side. Without any of these
    arguments it is the whole sheet.
    """
    text = _block_text(row, column, rows, columns) if a1 is None else a1
    return _quote_sheet_name(sheet) if text == "" else f"{_quote_sheet_name(sheet)}!{text}"


def _quote_sheet_name(name: str) -> str:
    """Returns a sheet's name for use before `!`, with quotes if it needs them."""
    letters = name.replace("_", "a")
    is_plain = letters != "" and all(one.isalpha() or one in "0123456789" for one in letters)
    if is_plain and not _CELL.fullmatch(name) and not _NUMBER.fullmatch(name):
        return name
    return "'" + name.replace("'", "''") + "'"


def _block_text(row: Optional[int], column: Optional[int], rows: Optional[int], columns: Optional[int]) -> str:
    """Returns the A1 text of a block without a sheet; empty for the whole sheet."""
    top = _check_number(row, "row", _MAX_ROWS)
    left = _check_number(column, "column", _MAX_COLUMNS)
    bottom = None if rows is None else top + _check_number(rows, "rows", _MAX_ROWS) - 1
    right = None if columns is None else left + _check_number(columns, "columns", _MAX_COLUMNS) - 1
    if right is None and left == 1 and bottom is not None:
        return f"{top}:{bottom}"
    if right is None and left == 1 and top == 1:
        return ""
    last = column_letters(_MAX_COLUMNS if right is None else right)
    if bottom is None:
        return f"{column_letters(left)}{'' if top == 1 else top}:{last}"
    first = f"{column_letters(left)}{top}"
    return first if rows == 1 and columns == 1 else f"{first}:{last}{bottom}"


def _check_number(value: Optional[int], name: str, largest: int) -> int:
    """Returns a number; 1 for None. Raises `CellwireError` if it is not a whole number from 1 to `largest`."""
    number: Any = 1 if value is None else value
    if type(number) is int and 1 <= number <= largest:
        return number
    raise CellwireError(f"range: {name} must be a whole number from 1 to {largest}")


def column_letters(column: int) -> str:
    """Returns the letters of a column, counted from 1."""
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
