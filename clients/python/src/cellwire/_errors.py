"""The errors of the client."""

from __future__ import annotations

import builtins
from typing import Any, Dict, List, Mapping, Optional, Type


class CellwireError(Exception):
    """The base class of all errors of the client.

    `status` is the HTTP status, None if there was no answer. `request_id` is the `X-Request-Id` of the answer.
    `retry_after` says how many seconds to wait before another request. `batch` is the number of the refused batch of a
    stream of records, counted from 1.
    """

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        details: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        self.batch: Optional[int] = None
        self._read(details or {})

    def _read(self, details: Mapping[str, Any]) -> None:
        """Reads the members of the body that belong to this class."""

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r}, status={self.status})"

    def __reduce__(self) -> Any:
        return (_restore, (type(self), self.message, dict(self.__dict__)))


def _restore(kind: Type[CellwireError], message: str, state: Dict[str, Any]) -> CellwireError:
    """Creates an error from its pickled state."""
    error = kind(message)
    error.__dict__.update(state)
    return error


class AuthenticationError(CellwireError):
    """401: the token is missing, expired, revoked or unknown."""


class PermissionError(CellwireError):
    """403: a scope, a role, the plan or sheet protection does not allow the request."""

    required_scope: Optional[str]

    def _read(self, details: Mapping[str, Any]) -> None:
        scope = details.get("requiredScope")
        self.required_scope = scope if isinstance(scope, str) else None


class NotFoundError(CellwireError):
    """404: the resource does not exist."""


class ValidationError(CellwireError):
    """422: the request is invalid; `errors` has the messages by field."""

    errors: Dict[str, List[str]]

    def _read(self, details: Mapping[str, Any]) -> None:
        errors: Any = details.get("errors")
        self.errors = errors if isinstance(errors, dict) else {}


class PreconditionError(CellwireError):
    """412: the document does not have the state that the request expects."""

    revision_id: Optional[str]
    differences: Optional[List[Dict[str, Any]]]
    conflicts: Optional[List[str]]

    def _read(self, details: Mapping[str, Any]) -> None:
        self.revision_id = details.get("revisionId")
        self.differences = details.get("differences")
        self.conflicts = details.get("conflicts")


class RateLimitError(CellwireError):
    """429: `retry_after` says how many seconds to wait."""


class ServiceError(CellwireError):
    """5xx: the service failed."""


class TimeoutError(CellwireError, builtins.TimeoutError):
    """An attempt took longer than its time limit."""


class ConnectionError(CellwireError, builtins.ConnectionError):
    """The service could not be reached, or the connection broke before the answer was complete."""


class SignatureError(CellwireError):
    """A webhook has no valid signature or time stamp."""


_CLASSES: Dict[int, Type[CellwireError]] = {
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    412: PreconditionError,
    422: ValidationError,
    429: RateLimitError,
}


def error_class(status: int) -> Type[CellwireError]:
    """Returns the class of errors for a status."""
    return _CLASSES.get(status, ServiceError if status >= 500 else CellwireError)
