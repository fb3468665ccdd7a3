"""Requests with the token, retries and time limits, over persistent connections."""

from __future__ import annotations

import contextvars
import http.client
import json
import os
import re
import select
import socket
import ssl
import threading
import time
import urllib.parse
import weakref
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Set, Tuple, TypeVar, cast

from ._dates import json_bytes
from ._errors import CellwireError, ConnectionError
from ._failure import Failure, connection_failure, failure_from_response, timeout_failure, wait_before_retry

JSON_TYPE = "application/json"
LINES_TYPE = "application/x-ndjson"
_PIECE_BYTES = 65_536
# Maximum seconds for the end of a body whose content is complete.
_DRAIN_SECONDS = 1.0
_MAX_IDLE_CONNECTIONS = 16
_CALL_OPTIONS = ("timeout", "attempts", "idempotency_key", "headers")
_PROPOSE_MEMBERS = ("propose", "title", "note")

T = TypeVar("T")


class Secret:
    """Hides the token from `repr`, `vars` and pickle."""

    __slots__ = ("reveal",)

    def __init__(self, value: str) -> None:
        self.reveal: Callable[[], str] = lambda: value

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> Any:
        raise TypeError("a token cannot be pickled")


class CallScope:
    """Calls that another thread can end."""

    def __init__(self) -> None:
        self._finish = threading.Event()
        self._sockets: Set[socket.socket] = set()
        self._inner: weakref.WeakSet[CallScope] = weakref.WeakSet()
        self._lock = threading.Lock()

    @property
    def is_ended(self) -> bool:
        return self._finish.is_set()

    def end(self) -> None:
        """Closes the connections of the calls and ends their waits."""
        with self._lock:
            self._finish.set()
            sockets = list(self._sockets)
            inner = list(self._inner)
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for scope in inner:
            scope.end()

    def contain(self, inner: CallScope) -> None:
        """Makes the end of this scope end another one too."""
        with self._lock:
            self._inner.add(inner)
        if self.is_ended:
            inner.end()

    def add(self, one: socket.socket) -> None:
        with self._lock:
            self._sockets.add(one)
        if self.is_ended:
            raise OSError("the client is closed")

    def discard(self, one: socket.socket) -> None:
        with self._lock:
            self._sockets.discard(one)

    def wait(self, seconds: float) -> None:
        self._finish.wait(seconds)


# The call that a task of `cellwire.aio` can cancel, or that `close()` of an iteration can end.
current_call: contextvars.ContextVar[Optional[CallScope]] = contextvars.ContextVar("cellwire_call", default=None)


class Request:
    """The request of one call."""

    def __init__(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        has_body: bool = False,
        accept: str = JSON_TYPE,
        content_type: str = JSON_TYPE,
    ) -> None:
        self.method = method
        self.path = path
        self.query = query or {}
        self.body = body
        self.has_body = has_body
        self.accept = accept
        self.content_type = content_type


class CallSettings:
    """The options of one call, with the client's defaults."""

    def __init__(self, attempts: int, timeout: float, key: Optional[str], headers: Mapping[str, str]) -> None:
        self.attempts = attempts
        self.timeout = timeout
        self.idempotency_key = key
        self.headers = headers


class Exchange:
    """A request on a connection, and its answer."""

    def __init__(
        self, transport: Transport, connection: http.client.HTTPConnection, settings: CallSettings, is_head: bool
    ) -> None:
        self._transport = transport
        self._is_head = is_head
        self._connection = connection
        self._settings = settings
        sock = connection.sock
        assert sock is not None
        self.socket: socket.socket = sock
        self.response: Optional[http.client.HTTPResponse] = None
        self._is_whole = False
        self._is_closed = False

    def receive(self) -> http.client.HTTPResponse:
        """Waits for the headers of the answer."""
        self.response = self._connection.getresponse()
        return self.response

    @property
    def status(self) -> int:
        assert self.response is not None
        return self.response.status

    @property
    def headers(self) -> Dict[str, str]:
        assert self.response is not None
        return {name.lower(): value for name, value in self.response.getheaders()}

    def read_all(self, deadline: float) -> bytes:
        """Reads the whole body."""
        assert self.response is not None
        parts: List[bytes] = []
        while True:
            self.socket.settimeout(_remaining(deadline))
            part = self.response.read1(_PIECE_BYTES)
            if not part:
                break
            parts.append(part)
        # The length of an answer to HEAD is that of the body of GET.
        length = "" if self._is_head else self.headers.get("content-length", "")
        body = b"".join(parts)
        if length.isdigit() and len(body) < int(length):
            raise http.client.IncompleteRead(body)
        self._is_whole = True
        return body

    def drain(self) -> None:
        """Reads the end of a body whose content is complete, so that the connection can be reused."""
        assert self.response is not None
        try:
            self.socket.settimeout(_DRAIN_SECONDS)
            self._is_whole = self.response.read1(_PIECE_BYTES) == b""
        except (OSError, http.client.HTTPException):
            pass

    def parse_json(self, body: bytes) -> Any:
        """Parses a body or a line. An empty or truncated one counts as a broken connection."""
        try:
            return json.loads(body)
        except ValueError as error:
            failure = connection_failure(error)
        raise failure if "json" in self.content_type else self._not_json()

    def refuse_page(self) -> None:
        """Refuses the page of a proxy, which is no stream."""
        if "html" in self.content_type:
            raise self._not_json()

    def _not_json(self) -> Failure:
        message = "The answer is not JSON: is this the address of the service?"
        request_id = self.headers.get("x-request-id")
        return Failure(CellwireError(message, status=self.status, request_id=request_id), False)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", JSON_TYPE)

    def parts(self) -> Iterator[bytes]:
        """Yields the parts of the body when they arrive."""
        assert self.response is not None
        while True:
            self.socket.settimeout(self._settings.timeout)
            part = self.response.read1(_PIECE_BYTES)
            if not part:
                self._is_whole = True
                return
            yield part

    def close(self) -> None:
        """Keeps the connection for reuse if the answer was read completely, else closes it."""
        # A connection that was released twice would be used by two calls at once.
        if self._is_closed:
            return
        self._is_closed = True
        if self.response is not None:
            self.response.close()
        self._transport.release(self._connection, self.socket, self._is_whole)


class Transport:
    """Sends requests with the token, retries and time limits. Threads may share it."""

    def __init__(self, url: str, token: Secret, attempts: int, timeout: float) -> None:
        self.attempts = attempts
        self.timeout = timeout
        self._token = token
        self._is_secure, self._host, self._port, self.prefix = _parse_address(url)
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._all = CallScope()
        self._tls = ssl.create_default_context() if self._is_secure else None

    @property
    def address(self) -> str:
        scheme = "https" if self._is_secure else "http"
        host = f"[{self._host}]" if ":" in self._host else self._host
        is_usual = self._port == (443 if self._is_secure else 80)
        return f"{scheme}://{host}{'' if is_usual else f':{self._port}'}{self.prefix}"

    def close(self) -> None:
        self._all.end()
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def settings(self, options: Mapping[str, Any]) -> Tuple[CallSettings, Dict[str, Any]]:
        """Separates the options of the call from those of the API, in the API's spelling."""
        attempts = options.get("attempts")
        timeout = options.get("timeout")
        settings = CallSettings(
            self.attempts if attempts is None else attempts,
            self.timeout if timeout is None else timeout,
            options.get("idempotency_key"),
            options.get("headers") or {},
        )
        rest = {camel_case(name): value for name, value in options.items() if name not in _CALL_OPTIONS}
        return settings, {name: value for name, value in rest.items() if value is not None}

    def json(self, request: Request, settings: CallSettings) -> Any:
        """Sends a request and returns the parsed body."""
        def read(body: bytes, exchange: Exchange) -> Any:
            return None if exchange.status == 204 else exchange.parse_json(body)

        return self._send_with_retries(request, settings, read)

    def raw(self, request: Request, settings: CallSettings) -> bytes:
        request.accept = "*/*"
        return self._send_with_retries(request, settings, lambda body, _: body)

    def any(self, request: Request, settings: CallSettings) -> Any:
        """Sends a request and returns the parsed body, or the bytes of a body that is not JSON."""
        def read(body: bytes, exchange: Exchange) -> Any:
            if not body:
                return None
            return exchange.parse_json(body) if _is_json(exchange.content_type) else body

        return self._send_with_retries(request, settings, read)

    def _send_with_retries(self, request: Request, settings: CallSettings, read: Callable[[bytes, Exchange], T]) -> T:
        self.prepare(request, settings)

        def attempt() -> T:
            deadline = time.monotonic() + settings.timeout
            with self.exchange(request, settings, deadline) as exchange:
                return read(exchange.read_all(deadline), exchange)

        return self.retry(settings, attempt)

    def retry(self, settings: CallSettings, attempt: Callable[[], T]) -> T:
        """Repeats an attempt until it succeeds or its failure may not be retried."""
        attempt_number = 1
        while True:
            try:
                return attempt()
            except Failure as caught:
                failure = caught
            self.pause(failure, attempt_number, settings.attempts)
            attempt_number += 1

    def pause(self, failure: Failure, attempt_number: int, attempts: int) -> None:
        """Waits for the next attempt, or raises the error if there is none."""
        wait = wait_before_retry(failure, attempt_number, attempts)
        error = failure.error
        if wait is None:
            # The traceback is dropped, because its frames contain the request.
            raise error.with_traceback(None) from None
        scope = current_call.get()
        if scope is not None:
            self._all.contain(scope)
        (scope or self._all).wait(wait)
        self.check_open()

    def check_open(self) -> None:
        scope = current_call.get()
        if self._all.is_ended or (scope is not None and scope.is_ended):
            raise ConnectionError("The client is closed")

    def prepare(self, request: Request, settings: CallSettings) -> None:
        """Encodes the body and sets the key of a write. Both stay the same in all attempts."""
        if request.has_body and not isinstance(request.body, bytes):
            content_type = _header(settings.headers, "content-type") or JSON_TYPE
            # A text of another content type is the body itself, not a JSON value.
            is_text = isinstance(request.body, str) and not _is_json(content_type)
            request.body = request.body.encode() if is_text else json_bytes(request.body)
        is_read = request.method in ("GET", "HEAD") or request.path.endswith("/records/query")
        has_key = settings.idempotency_key is not None or _header(settings.headers, "idempotency-key") is not None
        if not is_read and not has_key:
            settings.idempotency_key = new_key()

    def exchange(self, request: Request, settings: CallSettings, deadline: float) -> _Attempt:
        """Returns a context manager for one attempt. It raises connection errors as `Failure`."""
        return _Attempt(self, request, settings, deadline)

    def send(self, request: Request, settings: CallSettings, deadline: float, is_streamed: bool = False) -> Exchange:
        connection = self._connect(deadline)
        exchange = Exchange(self, connection, settings, request.method == "HEAD")
        try:
            body: Optional[bytes] = request.body if request.has_body else None
            connection.putrequest(
                request.method, self._target(request), skip_host=False, skip_accept_encoding=True
            )
            for name, value in self._headers(request, settings, body, is_streamed):
                connection.putheader(name, value)
            connection.endheaders(body)
        except BaseException:
            exchange.close()
            raise
        return exchange

    def _target(self, request: Request) -> str:
        path = request.path if request.path.startswith("/") else f"/{request.path}"
        return _escape(f"{self.prefix}{path}{query_text(request.query)}")

    def _headers(
        self, request: Request, settings: CallSettings, body: Optional[bytes], is_streamed: bool
    ) -> Iterable[Tuple[str, str]]:
        headers = {"accept": request.accept}
        if request.has_body or is_streamed:
            headers["content-type"] = request.content_type
        headers.update({name.lower(): value for name, value in settings.headers.items()})
        headers["authorization"] = f"Bearer {self._token.reveal()}"
        if settings.idempotency_key is not None:
            headers["idempotency-key"] = settings.idempotency_key
        if is_streamed:
            headers["transfer-encoding"] = "chunked"
        elif body is not None or request.method not in ("GET", "HEAD"):
            headers["content-length"] = str(len(body or b""))
        return headers.items()

    def failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        # The body may repeat headers of the request.
        text = body.decode("utf-8", "replace").replace(self._token.reveal(), "[token]")
        return failure_from_response(status, headers, text)

    def _connect(self, deadline: float) -> http.client.HTTPConnection:
        self.check_open()
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                break
            if _is_usable(connection):
                assert connection.sock is not None
                connection.sock.settimeout(_remaining(deadline))
                self._register(connection.sock)
                return connection
            connection.close()
        timeout = _remaining(deadline)
        if self._tls is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        else:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)
        connection.connect()
        assert connection.sock is not None
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._register(connection.sock)
        except OSError:
            connection.close()
            raise
        return connection

    def _register(self, sock: socket.socket) -> None:
        self._all.add(sock)
        scope = current_call.get()
        if scope is not None:
            scope.add(sock)

    def release(self, connection: http.client.HTTPConnection, sock: socket.socket, is_whole: bool) -> None:
        self._all.discard(sock)
        scope = current_call.get()
        if scope is not None:
            scope.discard(sock)
        with self._lock:
            is_kept = is_whole and connection.sock is sock and len(self._idle) < _MAX_IDLE_CONNECTIONS
            if is_kept and not self._all.is_ended:
                self._idle.append(connection)
                return
        connection.close()
        # A partly read response would keep the socket open.
        sock.close()


class _Attempt:
    """Opens an exchange. Raises its errors as `Failure`, without frames that contain the request."""

    def __init__(self, transport: Transport, request: Request, settings: CallSettings, deadline: float) -> None:
        self._transport = transport
        self._request = request
        self._settings = settings
        self._deadline = deadline
        self._exchange: Optional[Exchange] = None

    def __enter__(self) -> Exchange:
        return self._run(self._open)

    def _open(self) -> Exchange:
        transport, settings = self._transport, self._settings
        exchange = self._exchange = transport.send(self._request, settings, self._deadline)
        exchange.socket.settimeout(_remaining(self._deadline))
        response = exchange.receive()
        if 200 <= response.status < 300:
            return exchange
        body = exchange.read_all(self._deadline)
        exchange.close()
        raise transport.failure(response.status, exchange.headers, body)

    def _run(self, work: Callable[[], T]) -> T:
        """Runs work. Raises its failure outside the handler, so that it has no context with the request's frames."""
        try:
            return work()
        except Failure as error:
            failure = Failure(error.error, error.is_retryable)
        except (OSError, http.client.HTTPException, ValueError) as error:
            failure = failure_from_exception(error, self._settings.timeout)
        if self._exchange is not None:
            self._exchange.close()
        self._transport.check_open()
        raise failure

    def __exit__(self, kind: object, error: Optional[BaseException], _: object) -> None:
        if self._exchange is not None:
            self._exchange.close()
        if isinstance(error, (CellwireError, Failure)) or not isinstance(
            error, (OSError, http.client.HTTPException)
        ):
            return
        self._transport.check_open()
        raise failure_from_exception(error, self._settings.timeout) from None


def failure_from_exception(error: Exception, timeout: float) -> Failure:
    """Returns the failure for an exception of a connection."""
    if isinstance(error, (socket.timeout, TimeoutError)):
        return timeout_failure(timeout)
    return connection_failure(error)


def _remaining(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout()
    return left


def _is_usable(connection: http.client.HTTPConnection) -> bool:
    """True if the service has not closed an idle connection. A closed connection is readable."""
    sock = connection.sock
    if sock is None:
        return False
    try:
        readable, _, _ = select.select([sock], [], [], 0)
    except (OSError, ValueError):
        return False
    return not readable


def _header(headers: Mapping[str, str], name: str) -> Optional[str]:
    return next((value for one, value in headers.items() if one.lower() == name), None)


def _is_json(content_type: str) -> bool:
    return re.search(r"\bjson\b", content_type) is not None


def _parse_address(url: str) -> Tuple[bool, str, int, str]:
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
    return is_secure, host, port or (443 if is_secure else 80), f"{path}/api/v1"


def write_request(method: str, path: str, members: Mapping[str, Any]) -> Request:
    """Creates a write that may become a proposal. `propose`, `title` and `note` are sent in the query."""
    query = {name: value for name, value in members.items() if name in _PROPOSE_MEMBERS}
    body = {name: value for name, value in members.items() if name not in _PROPOSE_MEMBERS}
    return Request(method, path, query=query, body=body, has_body=True)


def path(*segments: Any) -> str:
    """Returns the path of a resource with encoded segments: `path("documents", id, "values", "A1:B2")`."""
    return "".join(f"/{_segment(str(segment))}" for segment in segments)


def _segment(text: str) -> str:
    # Proxies remove such a segment, so that the request would reach another resource.
    if text in ("", ".", ".."):
        raise CellwireError(f'"{text}" cannot be part of an address')
    return urllib.parse.quote(text, safe="!'()*~", errors="surrogatepass")


def query_text(query: Mapping[str, Any]) -> str:
    """Returns a query with `?`, or an empty text. Lists are repeated as `name[]=…`, objects are JSON."""
    pairs: List[str] = []
    for name, value in query.items():
        if isinstance(value, (list, tuple)):
            items = cast("Iterable[Any]", value)
            pairs.extend(_pair(f"{name}[]", item) for item in items)
        elif value is not None:
            pairs.append(_pair(name, value))
    return f"?{'&'.join(pairs)}" if pairs else ""


def _pair(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else json_bytes(value).decode("utf-8", "surrogatepass")
    if text.startswith('"') and not isinstance(value, str):
        text = text[1:-1]
    quoted = [urllib.parse.quote(part, safe="!'()*~", errors="surrogatepass") for part in (name, text)]
    return "=".join(quoted)


def _escape(target: str) -> str:
    """Escapes characters that an address must not contain, in a path from a caller of `request`."""
    return urllib.parse.quote(target, safe="/?#[]@!$&'()*+,;=:%-._~", errors="surrogatepass")


def camel_case(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in others)


def new_key() -> str:
    return os.urandom(16).hex()
