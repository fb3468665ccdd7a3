"""Requests with the token, retries and time limits."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, TypeVar, cast

from ._address import escape_target, parse_address, query_text
from ._connections import ConnectionPool, SocketFile, remaining
from ._dates import json_bytes
from ._errors import CellwireError
from ._failure import Failure, connection_failure, failure_from_response, timeout_failure, wait_before_retry

JSON_TYPE = "application/json"
LINES_TYPE = "application/x-ndjson"
_PIECE_BYTES = 65_536
# Maximum number of seconds to wait for the end of a body whose content is complete.
_DRAIN_SECONDS = 1.0
# Maximum time limit in seconds. Sockets refuse longer ones.
_MAX_TIMEOUT = 2_147_483.0
_CALL_OPTIONS = ("timeout", "attempts", "idempotency_key", "headers")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
# The end of a line of JSON. Lines of the protocol end in a carriage return and a line feed.
_END_OF_LINE = b"}\n"
_END_OF_HEADERS = b"\r\n\r\n"
_SUCCESS = re.compile(rb"HTTP/1\.\d 2")
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
        self,
        pool: ConnectionPool,
        connection: http.client.HTTPConnection,
        sock: socket.socket,
        settings: CallSettings,
        is_streamed: bool = False,
    ) -> None:
        self._pool = pool
        self._connection = connection
        self._settings = settings
        self.socket = sock
        self.response: Optional[http.client.HTTPResponse] = None
        self._file: Optional[SocketFile] = None
        # Bytes of the body that `Content-Length` announces and that have not arrived.
        self._announced: Optional[int] = None
        self._is_whole = False
        self._is_closed = False
        # On a connection with an incomplete body, the service would take the next request for the rest of the body.
        self.is_body_sent = not is_streamed

    def receive(self, deadline: float) -> http.client.HTTPResponse:
        """Waits for the headers of the answer."""
        file = self._open_file()
        file.deadline = deadline

        def create_response(_: socket.socket, **options: Any) -> http.client.HTTPResponse:
            return http.client.HTTPResponse(cast(Any, file), **options)

        self._connection.response_class = cast(Any, create_response)
        self.response = self._connection.getresponse()
        # 0 for a response to HEAD, whose `Content-Length` is the length of the body of GET.
        self._announced = self.response.length
        file.deadline = None
        return self.response

    def has_line(self) -> bool:
        """True if a line of JSON, an error or the end of the connection has arrived. Does not wait."""
        file = self._open_file()
        if not file.receive_arrived() or _END_OF_LINE in file.arrived:
            return True
        return self.response is None and _END_OF_HEADERS in file.arrived and not _SUCCESS.match(file.arrived)

    def _open_file(self) -> SocketFile:
        """The file from which the answer is read."""
        if self._file is None:
            self._file = SocketFile(self.socket)
        return self._file

    @property
    def status(self) -> int:
        """The HTTP status of the answer."""
        assert self.response is not None
        return self.response.status

    @property
    def headers(self) -> Dict[str, str]:
        """The headers of the answer, by lower-case names."""
        assert self.response is not None
        return {name.lower(): value for name, value in self.response.getheaders()}

    def read_all(self, deadline: float) -> bytes:
        """Reads the whole body."""
        parts: List[bytes] = []
        while True:
            self.socket.settimeout(remaining(deadline))
            part = self._read_part()
            if not part:
                return b"".join(parts)
            parts.append(part)

    def _read_part(self) -> bytes:
        """Waits for a part of the body. Returns an empty part at its end."""
        response = self.response
        assert response is not None
        part = response.read1(_PIECE_BYTES)
        if self._announced is not None:
            self._announced -= len(part)
        # `read1` does not notice that the connection ended before the announced length.
        if not part and self._announced:
            raise http.client.IncompleteRead(b"", self._announced)
        self._is_whole = not part
        return part

    def drain(self) -> None:
        """Reads the end of a body whose content is complete, so that the connection can be reused."""
        assert self.response is not None
        try:
            self.socket.settimeout(_DRAIN_SECONDS)
            self._is_whole = self.response.read1(_PIECE_BYTES) == b""
        except (OSError, http.client.HTTPException):
            pass

    def parse_json(self, body: bytes) -> Any:
        """Parses a body. If it is empty or truncated, it counts as a broken connection."""
        try:
            return json.loads(body)
        except ValueError as error:
            failure = connection_failure(error)
        raise failure if _is_json(self.content_type) else self._create_not_json_failure()

    def refuse_page(self) -> None:
        """Raises an error if the response is a page of a proxy instead of a stream."""
        if "html" in self.content_type:
            raise self._create_not_json_failure()

    def _create_not_json_failure(self) -> Failure:
        """Returns the failure for an answer that is not JSON, such as a page of a proxy."""
        message = "The answer is not JSON: is this the address of the service?"
        request_id = self.headers.get("x-request-id")
        return Failure(CellwireError(message, status=self.status, request_id=request_id), False)

    @property
    def content_type(self) -> str:
        """The media type of the answer."""
        return self.headers.get("content-type", JSON_TYPE)

    def parts(self) -> Iterator[bytes]:
        """Yields the parts of the body when they arrive."""
        while True:
            self.socket.settimeout(self._settings.timeout)
            part = self._read_part()
            if not part:
                return
            yield part

    def close(self) -> None:
        """Keeps the connection for reuse if the body was sent and the answer read completely, else closes it."""
        # If a connection were released twice, two calls would use it at the same time.
        if self._is_closed:
            return
        self._is_closed = True
        if self.response is not None:
            self.response.close()
        if self._file is not None:
            self._file.close()
        self._pool.release(self._connection, self.socket, self.is_body_sent and self._is_whole)


class Transport:
    """Sends requests with the token, retries and time limits. Threads may share it."""

    def __init__(self, url: str, token: Secret, attempts: int, timeout: float) -> None:
        self.attempts = attempts
        self.timeout = timeout
        self._token = token
        self._address = parse_address(url)
        self._pool = ConnectionPool(self._address)

    @property
    def address(self) -> str:
        """The address of the API."""
        return self._address.url

    def close(self) -> None:
        """Ends all calls and closes the connections."""
        self._pool.close()

    def settings(self, options: Mapping[str, Any]) -> Tuple[CallSettings, Dict[str, Any]]:
        """Separates the call's options from the API's options, and converts the API's options to its spelling."""
        attempts = options.get("attempts")
        timeout = options.get("timeout")
        settings = CallSettings(
            self.attempts if attempts is None else attempts,
            min(self.timeout if timeout is None else timeout, _MAX_TIMEOUT),
            options.get("idempotency_key"),
            options.get("headers") or {},
        )
        rest = {to_camel_case(name): value for name, value in options.items() if name not in _CALL_OPTIONS}
        return settings, {name: value for name, value in rest.items() if value is not None}

    def request_json(self, request: Request, settings: CallSettings) -> Any:
        """Sends a request and returns the parsed body. `Any`, because callers state the type of their JSON."""
        def read(body: bytes, exchange: Exchange) -> Any:
            return None if exchange.status == 204 else exchange.parse_json(body)

        return self._send_with_retries(request, settings, read)

    def request_bytes(self, request: Request, settings: CallSettings) -> bytes:
        """Sends a request and returns the body unchanged."""
        request.accept = "*/*"
        return self._send_with_retries(request, settings, lambda body, _: body)

    def request_any(self, request: Request, settings: CallSettings) -> Any:
        """Sends a request and returns the parsed body; bytes if it is not JSON."""
        def read(body: bytes, exchange: Exchange) -> Any:
            if not body:
                return None
            return exchange.parse_json(body) if _is_json(exchange.content_type) else body

        return self._send_with_retries(request, settings, read)

    def _send_with_retries(self, request: Request, settings: CallSettings, read: Callable[[bytes, Exchange], T]) -> T:
        """Sends a request until an attempt succeeds, and returns the result of `read`."""
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
            # Drops the traceback, because its frames contain the request.
            raise error.with_traceback(None) from None
        self._pool.wait(wait)

    def check_open(self) -> None:
        """Raises an error if the client is closed or the current call was ended."""
        self._pool.check_open()

    def prepare(self, request: Request, settings: CallSettings) -> None:
        """Encodes the body and sets the key of a write. Both stay the same in all attempts."""
        if request.has_body and not isinstance(request.body, bytes):
            content_type = _find_header(settings.headers, "content-type") or JSON_TYPE
            # If the content type is not JSON, a text is sent unchanged as the body.
            is_text = isinstance(request.body, str) and not _is_json(content_type)
            request.body = request.body.encode() if is_text else json_bytes(request.body)
        is_query = request.method == "POST" and request.path.endswith("/records/query")
        is_read = request.method in ("GET", "HEAD") or is_query
        has_key = settings.idempotency_key is not None or _find_header(settings.headers, "idempotency-key") is not None
        if not is_read and not has_key:
            settings.idempotency_key = create_idempotency_key()
        for name, value in {**settings.headers, "idempotency-key": settings.idempotency_key or ""}.items():
            # The connection would refuse such a header too, but that is no broken connection.
            if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(str(value)):
                raise CellwireError(f"{name} is not a header that can be sent")

    def exchange(self, request: Request, settings: CallSettings, deadline: float) -> _Attempt:
        """Returns a context manager for one attempt. It raises connection errors as `Failure`."""
        return _Attempt(self, request, settings, deadline)

    def send(self, request: Request, settings: CallSettings, deadline: float, is_streamed: bool = False) -> Exchange:
        """Sends a request on a connection and returns the exchange, before the answer arrives."""
        connection, sock = self._pool.connect(deadline)
        exchange = Exchange(self._pool, connection, sock, settings, is_streamed)
        try:
            body: Optional[bytes] = request.body if request.has_body else None
            connection.putrequest(
                request.method, self._build_target(request), skip_host=False, skip_accept_encoding=True
            )
            for name, value in self._build_headers(request, settings, body, is_streamed):
                connection.putheader(name, value)
            connection.endheaders(body)
        except BaseException:
            exchange.close()
            raise
        return exchange

    def _build_target(self, request: Request) -> str:
        """The path and query of a request, as sent in its first line."""
        path = request.path if request.path.startswith("/") else f"/{request.path}"
        return escape_target(f"{self._address.prefix}{path}{query_text(request.query)}")

    def _build_headers(
        self, request: Request, settings: CallSettings, body: Optional[bytes], is_streamed: bool
    ) -> Iterable[Tuple[str, str]]:
        """The headers of a request. `is_streamed`: the body is sent in chunks."""
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
        """Returns the failure for an unsuccessful answer, without the token in its texts."""
        # The body may repeat headers of the request, which contain the token.
        text = body.decode("utf-8", "replace").replace(self._token.reveal(), "[token]")
        return failure_from_response(status, headers, text)

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
        response = exchange.receive(self._deadline)
        if 200 <= response.status < 300:
            return exchange
        body = exchange.read_all(self._deadline)
        exchange.close()
        raise transport.failure(response.status, exchange.headers, body)

    def _run(self, work: Callable[[], T]) -> T:
        """Runs work. Raises its failure outside of the exception handler, so that the failure has no context with the
        request's frames.
        """
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


def _find_header(headers: Mapping[str, str], name: str) -> Optional[str]:
    """The value of a header in any letter case; None if it is missing."""
    return next((value for one, value in headers.items() if one.lower() == name), None)


def _is_json(content_type: str) -> bool:
    """True for media types of JSON."""
    return re.search(r"\bjson\b", content_type) is not None


def write_request(method: str, path: str, members: Mapping[str, Any]) -> Request:
    """Creates a write that may become a proposal. `propose`, `title` and `note` are sent in the query."""
    query = {name: value for name, value in members.items() if name in _PROPOSE_MEMBERS}
    body = {name: value for name, value in members.items() if name not in _PROPOSE_MEMBERS}
    return Request(method, path, query=query, body=body, has_body=True)


def to_camel_case(name: str) -> str:
    """Converts an option's name to the API's spelling: `dry_run` becomes `dryRun`."""
    first, *others = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in others)


def create_idempotency_key() -> str:
    """Returns a new random key, under which the service executes a write once."""
    return os.urandom(16).hex()
