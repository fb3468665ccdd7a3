"""The client of the Cellwire service."""

from ._dates import as_date, from_date
from ._errors import (
    AuthenticationError,
    CellwireError,
    ConnectionError,
    NotFoundError,
    PermissionError,
    PreconditionError,
    RateLimitError,
    ServiceError,
    SignatureError,
    TimeoutError,
    ValidationError,
)
from ._range import range
from ._resources import Client, Document, Documents, History, Proposals, Sheets, Webhooks
from ._streams import Progress
from ._table import Table
from ._verify import verify
from ._version import __version__

__all__ = [
    "AuthenticationError",
    "CellwireError",
    "Client",
    "ConnectionError",
    "Document",
    "Documents",
    "History",
    "NotFoundError",
    "PermissionError",
    "PreconditionError",
    "Progress",
    "Proposals",
    "RateLimitError",
    "ServiceError",
    "Sheets",
    "SignatureError",
    "Table",
    "TimeoutError",
    "ValidationError",
    "Webhooks",
    "__version__",
    "as_date",
    "from_date",
    "range",
    "verify",
]
