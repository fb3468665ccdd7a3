"""Streams of NDJSON lines and of server-sent events."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, cast

from ._dates import json_bytes
from ._errors import ConnectionError
from ._failure import Failure, connection_failure, line_failure, parse_line
from ._transport import LINES_TYPE, CallSettings, Exchange, Request, Transport, create_idempotency_key, failure_from_exception

# The header with the revision of an NDJSON answer.
_REVISION_HEADER = "x-revision"
# Maximum number of batches that are read from the source and not yet written.
_BATCHES_AHEAD = 2
# Maximum number of warnings that the service lists for one stream.
_MAX_WARNINGS = 100
# If a connection breaks after this number of bytes, it does not count as a failed attempt, because the service is
# reachable.
_PARTLY_SENT_BYTES = 4_096
# Maximum number of such connections between two written batches, for each attempt after the first.
_PARTLY_SENT_REPEATS = 20
# Seconds between two checks for acknowledgements while the source is read.
_POLL_INTERVAL = 0.1
# Maximum number of seconds to wait for a response after the service has stopped reading the body.
_REFUSAL_TIMEOUT = 1.0


def split_lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the lines of a body. An incomplete last line is dropped."""
    rest = b""
    for part in parts:
        lines = (rest + part).split(b"\n")
        rest = lines.pop()
        yield from lines


class LinesRequest(NamedTuple):
    """A request whose answer is NDJSON."""

    # Creates the request for the items after an offset, at the revision of the first attempt.
    request_from: Callable[[int, Optional[str]], Request]
    # Returns the items of a response that is a JSON page although the request accepts only NDJSON, and whether more
    # pages follow.
    page_items: Callable[[Any], Tuple[List[Any], bool]]
    # Maximum number of items. If a stream has this number of items, it needs no end line.
    limit: Optional[int] = None


def read_lines(transport: Transport, settings: CallSettings, stream: LinesRequest) -> Iterator[Any]:
    """Yields the items of an NDJSON response.

    If the stream breaks, it continues after the last item, at the same revision. Each item resets the number of
    attempts.
    """
    offset = 0
    revision: Optional[str] = None
    attempt_number = 1
    while True:
        offset_before = offset
        failure: Failure
        request = stream.request_from(offset, revision)
        request.accept = LINES_TYPE
        transport.prepare(request, settings)
        try:
            with transport.exchange(request, settings, time.monotonic() + settings.timeout) as exchange:
                exchange.refuse_page()
                if exchange.headers.get("content-type", "").startswith("application/json"):
                    page = exchange.parse_json(b"".join(exchange.parts()))
                    yield from _iterate_pages(transport, settings, stream, page)
                    return
                revision = revision or exchange.headers.get(_REVISION_HEADER)
                for line in split_lines(exchange.parts()):
                    if not line:
                        continue
                    item: Any = parse_line(line)
                    if isinstance(item, dict) and cast("Dict[str, Any]", item).get("end") is True:
                        exchange.drain()
                        return
                    offset += 1
                    yield item
                    if offset == stream.limit:
                        return
            failure = connection_failure()
        except Failure as caught:
            failure = caught
        # If the revision is not known, the rest of the stream could come from another state.
        if offset > 0 and (revision is None or failure.error.status in (404, 422)):
            raise ConnectionError("The stream broke and cannot be taken up again where it ended")
        if offset > offset_before:
            attempt_number = 1
        transport.pause(failure, attempt_number, settings.attempts)
        attempt_number += 1


def _iterate_pages(transport: Transport, settings: CallSettings, stream: LinesRequest, page: Any) -> Iterator[Any]:
    """Yields the items of a page and of all following pages."""
    offset = 0
    while True:
        items, has_more = stream.page_items(page)
        yield from items
        offset += len(items)
        if not has_more or not items:
            return
        page = transport.request_json(stream.request_from(offset, None), settings)


class Progress(NamedTuple):
    """The part of a stream of records that is written."""

    records: int
    batches: int
    revision_id: str


class RecordUpload(NamedTuple):
    """A request that sends records as NDJSON."""

    path: str
    query: Mapping[str, Any]
    records: Iterable[Any]
    # Number of records in each commit.
    batch: int
    on_progress: Optional[Callable[[Progress], None]]


class _Batch(NamedTuple):
    """Records that become one commit, as encoded lines."""

    number: int
    records: int
    data: bytes


class _CallerError(Exception):
    """The caller's iterable or `on_progress` raised an exception."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__()
        self.reason = reason


class LineSender:
    """Writes records as NDJSON, each batch once.

    After a broken connection, sends the unacknowledged batches again.
    """

    def __init__(self, transport: Transport, settings: CallSettings, stream: RecordUpload) -> None:
        if settings.idempotency_key is None:
            settings.idempotency_key = create_idempotency_key()
        self._transport = transport
        self._settings = settings
        self._stream = stream
        self._source = iter(stream.records)
        self._is_source_done = False
        self._batch_count = 0
        # Lines of the next batch. They are kept if a connection breaks.
        self._lines: List[bytes] = []
        # Batches that were read and are not acknowledged, the oldest first.
        self._pending: List[_Batch] = []
        self._acknowledged = 0
        self._records = 0
        # False after a time limit was exceeded: a proxy that buffers bodies does not forward acknowledgements.
        self._can_stream = True
        self.counts: Dict[str, Any] = {}
        self.warnings: List[Any] = []
        self.is_truncated = False

    def run(self) -> None:
        """Sends all records. Returns when the service has acknowledged every batch."""
        try:
            self._send_batches()
        except _CallerError as error:
            reason = error.reason
        else:
            return
        finally:
            self._end_source()
        raise reason

    def _send_batches(self) -> None:
        """Sends requests until all batches are acknowledged or no further attempt is allowed."""
        attempt_number = 1
        partly_sent = 0
        is_begun = False
        while self._pending or self._read_batch(None) or (not is_begun and self._acknowledged == 0):
            is_begun = True
            acknowledged_before = self._acknowledged
            sent = [0]
            failure = self._send_request(sent)
            # The end of a connection without unacknowledged batches is not a failed attempt.
            if failure is None or (not self._pending and failure.is_retryable):
                attempt_number = 1
                continue
            if self._acknowledged > acknowledged_before:
                attempt_number = 1
                partly_sent = 0
            if type(failure.error).__name__ == "TimeoutError":
                self._can_stream = False
            failure.error.batch = self._acknowledged + 1
            attempts = self._settings.attempts
            if sent[0] >= _PARTLY_SENT_BYTES:
                partly_sent += 1
                if partly_sent <= (attempts - 1) * _PARTLY_SENT_REPEATS:
                    self._transport.pause(failure, 1, 2)
                    continue
            self._transport.pause(failure, attempt_number, attempts)
            attempt_number += 1

    def _end_source(self) -> None:
        """Closes the caller's iterable if it was not read to its end."""
        close = getattr(self._source, "close", None)
        if not self._is_source_done and callable(close):
            close()

    def _read_batch(self, poll: Optional[Callable[[], None]]) -> bool:
        """Reads a batch; returns False at the end. Calls `poll` at intervals."""
        lines = self._lines
        polled_at = time.monotonic()
        while not self._is_source_done and len(lines) < self._stream.batch:
            try:
                line = json_bytes(next(self._source))
            except StopIteration:
                self._is_source_done = True
                break
            except BaseException as reason:
                self._is_source_done = True
                error = _CallerError(reason)
            else:
                lines.append(line)
                if poll is not None and time.monotonic() - polled_at > _POLL_INTERVAL:
                    poll()
                    polled_at = time.monotonic()
                continue
            raise error
        if not lines:
            return False
        self._lines = []
        self._batch_count += 1
        self._pending.append(_Batch(self._batch_count, len(lines), b"\n".join(lines) + b"\n"))
        return True

    def _create_request(self) -> Request:
        """Creates the request for the batches that are not acknowledged."""
        start = self._acknowledged + 1
        query = {**self._stream.query, "batch": self._stream.batch, **({"from": start} if start > 1 else {})}
        return Request(
            "POST", self._stream.path, query=query, accept=LINES_TYPE, content_type=LINES_TYPE
        )

    def _send_request(self, sent: List[int]) -> Optional[Failure]:
        """Sends one request. Returns None if the service acknowledged all batches."""
        settings = self._settings
        try:
            exchange = self._transport.send(
                self._create_request(), settings, time.monotonic() + settings.timeout, is_streamed=True
            )
        except (OSError, ValueError) as error:
            failure = failure_from_exception(error, settings.timeout)
        else:
            try:
                return self._exchange_batches(exchange, sent)
            except Failure as caught:
                failure = Failure(caught.error, caught.is_retryable)
            except (OSError, ValueError, http.client.HTTPException) as error:
                failure = failure_from_exception(error, settings.timeout)
            finally:
                exchange.close()
        self._transport.check_open()
        return failure

    def _exchange_batches(self, exchange: Exchange, sent: List[int]) -> Optional[Failure]:
        """Sends batches and reads acknowledgements at the same time. Returns the failure, if any."""
        answer = _AnswerLines(self._transport, exchange, self._settings.timeout)

        def poll() -> None:
            while exchange.has_line():
                self._handle_line(answer)

        next_number = self._acknowledged + 1
        try:
            while True:
                ready = next((batch for batch in self._pending if batch.number == next_number), None)
                if ready is not None:
                    exchange.socket.settimeout(self._settings.timeout)
                    sent[0] += len(ready.data)
                    exchange.socket.sendall(b"%x\r\n%b\r\n" % (len(ready.data), ready.data))
                    next_number += 1
                elif not self._can_stream or self._is_source_done:
                    break
                elif len(self._pending) >= _BATCHES_AHEAD:
                    if self._handle_line(answer):
                        return self._finish()
                elif not self._read_batch(poll):
                    break
            exchange.socket.sendall(b"0\r\n\r\n")
            exchange.is_body_sent = True
        except _CallerError:
            raise
        except OSError as error:
            # The service may have refused the stream before it read the whole body.
            answer.timeout = _REFUSAL_TIMEOUT
            body_error: OSError = error
            try:
                while not self._handle_line(answer):
                    pass
            except (OSError, ValueError, http.client.HTTPException):
                pass
            raise body_error from None
        while not self._handle_line(answer):
            pass
        exchange.drain()
        return self._finish()

    def _finish(self) -> Optional[Failure]:
        """Handles the end of a response. It is a failure if a batch was not acknowledged."""
        return connection_failure() if self._pending else None

    def _handle_line(self, answer: _AnswerLines) -> bool:
        """Handles the next line of the response. Returns True for the last line."""
        line = answer.next()
        if line is None:
            raise connection_failure()
        if line.get("end") is True:
            return True
        status = line.get("status")
        if status is not None:
            raise line_failure(status, line.get("message"), answer.request_id)
        if not self._pending or line.get("batch") != self._pending[0].number:
            return False
        others = ("batch", "warnings", "warningsTruncated", "replayed")
        first_member: Any = next((line[name] for name in line if name not in others), None)
        counts = cast("Dict[str, Any]", first_member or {})
        for name, value in counts.items():
            self.counts[name] = self.counts.get(name, 0) + value if isinstance(value, int) else value
        self.warnings.extend(line.get("warnings", []))
        self.is_truncated = self.is_truncated or bool(line.get("warningsTruncated")) or len(self.warnings) > _MAX_WARNINGS
        del self.warnings[_MAX_WARNINGS:]
        first = self._pending.pop(0)
        self._acknowledged = first.number
        self._records += first.records
        if self._stream.on_progress is not None:
            self._report_progress(self._stream.on_progress)
        return False

    def _report_progress(self, on_progress: Callable[[Progress], None]) -> None:
        """Calls `on_progress` with the acknowledged part. Raises `_CallerError` if it raises an exception."""
        try:
            on_progress(Progress(self._records, self._acknowledged, str(self.counts.get("revisionId"))))
        except BaseException as reason:
            # The error may come from another call of the client. It must not cause a retry of this call.
            error = _CallerError(reason)
        else:
            return
        raise error


class _AnswerLines:
    """The lines of a response that arrives while the body is sent."""

    def __init__(self, transport: Transport, exchange: Exchange, timeout: float) -> None:
        self._transport = transport
        self._exchange = exchange
        self._lines: Optional[Iterator[bytes]] = None
        self.timeout = timeout

    def next(self) -> Optional[Dict[str, Any]]:
        """Waits for a line. Returns None at the end."""
        self._exchange.socket.settimeout(self.timeout)
        if self._lines is None:
            response = self._exchange.receive(time.monotonic() + self.timeout)
            if not 200 <= response.status < 300:
                body = self._exchange.read_all(time.monotonic() + self.timeout)
                raise self._transport.failure(response.status, self._exchange.headers, body)
            self._exchange.refuse_page()
            self._lines = split_lines(self._exchange.parts())
        for line in self._lines:
            if line:
                parsed: Dict[str, Any] = json.loads(line)
                return parsed
        return None

    @property
    def request_id(self) -> Optional[str]:
        """The `X-Request-Id` of the answer."""
        return self._exchange.headers.get("x-request-id")


class ServerEvent(NamedTuple):
    """One server-sent event."""

    name: str
    data: str


def read_events(parts: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Reads server-sent events (HTML standard, section 9.2). An incomplete last event is dropped."""
    name = "message"
    data: List[str] = []
    for raw in split_lines(parts):
        line = raw.rstrip(b"\r").decode("utf-8", "replace")
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if line == "":
            if data:
                yield ServerEvent(name, "\n".join(data))
            name = "message"
            data = []
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)
