"""The address of the service, and the paths and queries of its resources."""

from __future__ import annotations

import re
import urllib.parse
from typing import Any, Iterable, List, Mapping, NamedTuple, cast

from ._dates import json_bytes
from ._errors import CellwireError


class ServiceAddress(NamedTuple):
    """The address of a service. `prefix`: the path before the path of a resource."""

    is_secure: bool
    host: str
    port: int
    prefix: str

    @property
    def url(self) -> str:
        """The address as text."""
        scheme = "https" if self.is_secure else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port == _default_port(self.is_secure)
        return f"{scheme}://{host}{'' if is_usual else f':{self.port}'}{self.prefix}"


def _default_port(is_secure: bool) -> int:
    """The port that an address need not name."""
    return 443 if is_secure else 80


def parse_address(url: str) -> ServiceAddress:
    """Parses the address of a service, with or without `/api/v1`."""
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise CellwireError("The address of the service is not valid") from None
    if parts.scheme not in ("http", "https") or not host:
        raise CellwireError("The address of the service must begin with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise CellwireError("The address of the service must not contain a user name or a password")
    is_secure = parts.scheme == "https"
    path = re.sub(r"/api/v1$", "", parts.path.rstrip("/"))
    return ServiceAddress(is_secure, host, port or _default_port(is_secure), f"{path}/api/v1")


def path(*segments: Any) -> str:
    """Returns the path of a resource with encoded segments: `path("documents", id, "values", "A1:B2")`."""
    return "".join(f"/{_encode_segment(str(segment))}" for segment in segments)


def _encode_segment(text: str) -> str:
    """Encodes one segment of a path. Raises `CellwireError` if it is empty, `.` or `..`."""
    # Proxies remove such a segment, and the request would reach another resource.
    if text in ("", ".", ".."):
        raise CellwireError(f'"{text}" cannot be part of an address')
    return urllib.parse.quote(text, safe="!'()*~", errors="surrogatepass")


def query_text(query: Mapping[str, Any]) -> str:
    """Returns a query with `?`, or an empty text. Lists are repeated as `name[]=…`, objects are JSON."""
    pairs: List[str] = []
    for name, value in query.items():
        if isinstance(value, (list, tuple)):
            items = cast("Iterable[Any]", value)
            pairs.extend(_encode_pair(f"{name}[]", item) for item in items)
        elif value is not None:
            pairs.append(_encode_pair(name, value))
    return f"?{'&'.join(pairs)}" if pairs else ""


def _encode_pair(name: str, value: Any) -> str:
    """Encodes a parameter of a query."""
    text = value if isinstance(value, str) else json_bytes(value).decode("utf-8", "surrogatepass")
    if text.startswith('"') and not isinstance(value, str):
        text = text[1:-1]
    quoted = [urllib.parse.quote(part, safe="!'()*~", errors="surrogatepass") for part in (name, text)]
    return "=".join(quoted)


def escape_target(target: str) -> str:
    """Escapes characters that an address must not contain, in a path that a caller passes to `request`."""
    return urllib.parse.quote(target, safe="/?#[]@!$&'()*+,;=:%-._~", errors="surrogatepass")
