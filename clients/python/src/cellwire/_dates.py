"""Dates as serial numbers, ISO texts and `datetime`."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any, Union

from ._errors import CellwireError

_DAY_ZERO = {
    "1899-12-30": datetime.datetime(1899, 12, 30),
    "1900": datetime.datetime(1899, 12, 30),
    "1904": datetime.datetime(1904, 1, 1),
}
# Excel's `1900` system counts 29 February 1900, which did not exist. Serial numbers below it are one less than in the
# first system.
_FALSE_LEAP_DAY = 60
_DAY_MS = 86_400_000
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?")


def as_date(serial: float, epoch: str = "1899-12-30") -> datetime.datetime:
    """Returns a serial number as a local time, to the millisecond."""
    shift = 1 if epoch == "1900" and serial < _FALSE_LEAP_DAY + 1 else 0
    return _day_zero(epoch) + datetime.timedelta(milliseconds=round((serial + shift) * _DAY_MS))


def from_date(date: datetime.date, epoch: str = "1899-12-30") -> float:
    """Returns the serial number of a date or a local time."""
    moment = date if isinstance(date, datetime.datetime) else datetime.datetime(date.year, date.month, date.day)
    delta = moment.replace(tzinfo=None) - _day_zero(epoch)
    serial = delta.days + (delta.seconds + delta.microseconds / 1_000_000) / 86_400
    return serial - 1 if epoch == "1900" and serial < _FALSE_LEAP_DAY + 1 else serial


def _day_zero(epoch: str) -> datetime.datetime:
    """The day with the serial number 0."""
    day = _DAY_ZERO.get(epoch)
    if day is None:
        raise CellwireError(f"epoch must be one of {', '.join(_DAY_ZERO)}")
    return day


def iso_text(value: Union[datetime.date, datetime.time]) -> str:
    """Returns the ISO text of a local time without a time zone; at midnight only the date."""
    if isinstance(value, datetime.datetime):
        moment = value.replace(tzinfo=None)
        if moment.time() == datetime.time():
            return moment.date().isoformat()
        return moment.isoformat(timespec=_choose_timespec(moment.microsecond))
    if isinstance(value, datetime.time):
        return value.replace(tzinfo=None).isoformat(timespec=_choose_timespec(value.microsecond))
    return value.isoformat()


def duration_text(value: datetime.timedelta) -> str:
    """Returns an elapsed time in the form of the API: `25:30:00`, `-00:00:01.500`."""
    sign = "-" if value < datetime.timedelta() else ""
    length = abs(value)
    hours, rest = divmod(length.days * 86_400 + length.seconds, 3_600)
    clock = datetime.time(0, rest // 60, rest % 60, length.microseconds)
    return f"{sign}{hours:02d}{clock.isoformat(timespec=_choose_timespec(clock.microsecond))[2:]}"


def _choose_timespec(microseconds: int) -> str:
    """The `timespec` of `isoformat` that shows these microseconds with the fewest digits."""
    if microseconds % 1_000 > 0:
        return "microseconds"
    return "milliseconds" if microseconds > 0 else "seconds"


def parse_iso_text(value: Any) -> Any:
    """Converts an ISO text to a `date`, or to a `datetime` if it has a time. Returns other values unchanged."""
    found = _ISO.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return value
    if found[2] is None:
        return datetime.date.fromisoformat(found[1])
    time, _, fraction = found[2].partition(".")
    microseconds = int((fraction + "000000")[:6])
    moment = datetime.datetime.fromisoformat(f"{found[1]}T{time}")
    return moment.replace(microsecond=microseconds)


def json_bytes(value: Any) -> bytes:
    """Returns a value as JSON, with dates and times as ISO texts of their local time."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_json_fallback)
    # UTF-8 cannot encode lone surrogates. They are sent as escapes, so that the error of the service can name their
    # position.
    return text.encode("utf-8", "surrogatepass")


def _json_fallback(value: Any) -> Any:
    """Converts dates, times and durations to texts, and numbers of NumPy to numbers. Raises `TypeError` for others."""
    if isinstance(value, (datetime.date, datetime.time)):
        return iso_text(value)
    if isinstance(value, datetime.timedelta):
        return duration_text(value)
    item = getattr(value, "item", None)
    if callable(item):
        # Converts a number of NumPy.
        return item()
    raise TypeError(f"a value of type {type(value).__name__} cannot be written")
