"""Failed attempts: their error, and whether and when another attempt is made."""

from __future__ import annotations

import datetime
import email.utils
import json
import random
import re
import time
from typing import Any, Dict, Mapping, Optional, Union, cast

from ._errors import CellwireError, ConnectionError, TimeoutError, error_class

# Statuses for which another attempt may succeed.
_RETRIED = frozenset({429, 502, 503, 504})
# Number of attempts after which the waits no longer grow.
_MAX_GROWTH = 4
# Maximum `Retry-After` in seconds. A longer wait ends the call.
_MAX_RETRY_AFTER = 60.0
_MIN_WAIT = 0.25
_MAX_WAIT = 8.0


class Failure(Exception):
    """Raised by one attempt and caught by the loop over attempts."""

    def __init__(self, error: CellwireError, is_retryable: bool) -> None:
        super().__init__()
        self.error = error
        self.is_retryable = is_retryable


def failure_from_response(status: int, headers: Mapping[str, str], text: str) -> Failure:
    """Returns the failure for an unsuccessful answer. `headers` have lower-case names."""
    body = _parse_body(text)
    scope = re.search(r'scope="([^"]+)"', headers.get("www-authenticate", ""))
    wait = _parse_retry_after(headers.get("retry-after"))
    if wait is None and type(body.get("retryAfter")) in (int, float):
        wait = float(body["retryAfter"])
    message = body.get("message")
    error = error_class(status)(
        message if isinstance(message, str) and message else _default_message(status),
        status=status,
        request_id=headers.get("x-request-id"),
        retry_after=wait,
        details={**body, "requiredScope": scope[1] if scope else None},
    )
    return Failure(error, status in _RETRIED)


def line_failure(status: int, message: Optional[str], request_id: Optional[str]) -> Failure:
    """Returns the failure for a line that refuses a batch."""
    error = error_class(status)(message or _default_message(status), status=status, request_id=request_id)
    return Failure(error, status in _RETRIED)


def connection_failure(cause: Optional[BaseException] = None) -> Failure:
    """Returns the failure for a broken connection, which may be retried."""
    # The message of a system error is omitted, because it may contain parts of the request.
    name = f" ({type(cause).__name__})" if cause is not None else ""
    return Failure(ConnectionError(f"The connection to the service broke{name}"), True)


def parse_line(line: Union[bytes, str]) -> Any:
    """Parses a line of JSON. A malformed line counts as a broken connection."""
    try:
        return json.loads(line)
    except ValueError as error:
        failure = connection_failure(error)
    raise failure


def timeout_failure(seconds: float) -> Failure:
    """Returns the failure for an attempt that took longer than its time limit."""
    return Failure(TimeoutError(f"The service did not answer within {seconds:g} s"), True)


def failure_from_error(error: CellwireError) -> Failure:
    """Returns the failure for an error of the client."""
    is_broken = isinstance(error, (ConnectionError, TimeoutError))
    return Failure(error, is_broken or error.status in _RETRIED)


def wait_before_retry(failure: Failure, attempt_number: int, attempts: int) -> Optional[float]:
    """Returns the wait before the next attempt in seconds; None if there is no further attempt."""
    wait = failure.error.retry_after
    if not failure.is_retryable or attempt_number >= attempts or (wait or 0) > _MAX_RETRY_AFTER:
        return None
    return random.uniform(_MIN_WAIT, min(_MAX_WAIT, 0.5 * 2 ** min(attempt_number, _MAX_GROWTH))) if wait is None else wait


def _default_message(status: int) -> str:
    """The message for an answer without one."""
    if status == 401:
        return "The service does not accept the token (401)"
    if status == 403:
        return "The token may not do this: its scope, its user or the plan does not allow it (403)"
    if 300 <= status < 400:
        return f"The service redirects ({status}); the client follows no redirects"
    return f"The service answered with status {status}"


def _parse_body(text: str) -> Dict[str, Any]:
    """Returns the JSON object of a body; an empty one if the body is no JSON object."""
    try:
        body: Any = json.loads(text)
    except ValueError:
        return {}
    return cast("Dict[str, Any]", body) if isinstance(body, dict) else {}


def _parse_retry_after(header: Optional[str]) -> Optional[float]:
    """Returns seconds from now; None if the header is missing or malformed (RFC 9110 section 10.2.3)."""
    if header is None:
        return None
    if re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", header):
        return float(header)
    try:
        moment = email.utils.parsedate_to_datetime(header)
    except (TypeError, ValueError, IndexError):
        return None
    # The asctime form of a date names no time zone. All forms are in GMT.
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return max(0.0, moment.timestamp() - time.time())
