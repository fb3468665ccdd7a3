"""Streams of lines and of events."""

from __future__ import annotations

import http.client
import json
import select
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, cast

from ._dates import json_bytes
from ._errors import ConnectionError
from ._failure import Failure, connection_failure, line_failure
from ._transport import LINES_TYPE, CallSettings, Exchange, Request, Transport, new_key, problem

# Names the revision that an answer in lines is read at.
_REVISION_HEADER = "x-revision"
# The source is read at most this many batches ahead of the last written batch.
_BATCHES_AHEAD = 2
# The service lists at most this many warnings of one stream.
_MAX_WARNINGS = 100
# A connection that broke after this many bytes does not count as a failed attempt: the service can be reached.
_PARTLY_SENT_BYTES = 4_096
# How often this may happen between two written batches, for each attempt after the first.
_PARTLY_SENT_REPEATS = 20
# How often acknowledgements are looked for while the source is read, in seconds.
_LOOK_INTERVAL = 0.1
# How long an answer may take after the service has stopped to take the body, in seconds.
_REFUSAL_TIMEOUT = 1.0


def lines_of(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Splits the parts of a body into its lines. A last line without an end is left out."""
    rest = b""
    for part in parts:
        lines = (rest + part).split(b"\n")
        rest = lines.pop()
        yield from lines


class LinesRequest(NamedTuple):
    """A request that is answered in lines."""

    # The request for the items after an offset; the revision is that of the first attempt.
    request_from: Callable[[int, Optional[str]], Request]
    # The items of an answer that is a JSON page in spite of `Accept`, and whether more pages follow.
    page_items: Callable[[Any], Tuple[List[Any], bool]]


def read_lines(transport: Transport, settings: CallSettings, stream: LinesRequest) -> Iterator[Any]:
    """Yields the items of an answer in lines.

    A broken stream continues after its last item, at the same revision. Attempts count anew after each item.
    """
    offset = 0
    revision: Optional[str] = None
    made = 1
    while True:
        before = offset
        failure: Failure
        request = stream.request_from(offset, revision)
        request.accept = LINES_TYPE
        transport.prepare(request, settings)
        try:
            with transport.exchange(request, settings, time.monotonic() + settings.timeout) as exchange:
                if exchange.headers.get("content-type", "").startswith("application/json"):
                    page = json.loads(b"".join(exchange.parts()))
                    yield from _pages(transport, settings, stream, page)
                    return
                revision = revision or exchange.headers.get(_REVISION_HEADER)
                for line in lines_of(exchange.parts()):
                    if not line:
                        continue
                    item: Any = json.loads(line)
                    if isinstance(item, dict) and cast("Dict[str, Any]", item).get("end") is True:
                        for _ in exchange.parts():
                            pass
                        return
                    offset += 1
                    yield item
            failure = connection_failure()
        except Failure as caught:
            failure = caught
        # Without its revision the rest of a stream could be of another state.
        if offset > 0 and (revision is None or failure.error.status in (404, 422)):
            raise ConnectionError("The stream broke and cannot be taken up again where it ended")
        if offset > before:
            made = 1
        transport.pause(failure, made, settings.attempts)
        made += 1


def _pages(transport: Transport, settings: CallSettings, stream: LinesRequest, page: Any) -> Iterator[Any]:
    """Reads the rest by pages if the service or a proxy answers with pages."""
    offset = 0
    while True:
        items, has_more = stream.page_items(page)
        yield from items
        offset += len(items)
        if not has_more or not items:
            return
        page = transport.json(stream.request_from(offset, None), settings)


class Progress(NamedTuple):
    """What has been written of a stream of records."""

    records: int
    batches: int
    revision_id: str


class SendLines(NamedTuple):
    path: str
    query: Mapping[str, Any]
    records: Iterable[Any]
    # Records of one commit.
    batch: int
    on_progress: Optional[Callable[[Progress], None]]


class _Batch(NamedTuple):
    number: int
    records: int
    data: bytes


class _SourceError(Exception):
    """The caller's iterable raised an exception."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__()
        self.reason = reason


class Sending:
    """Writes records as lines, each batch once.

    Batches that were not acknowledged when a connection broke are sent again.
    """

    def __init__(self, transport: Transport, settings: CallSettings, stream: SendLines) -> None:
        if settings.idempotency_key is None:
            settings.idempotency_key = new_key()
        self._transport = transport
        self._settings = settings
        self._stream = stream
        self._source = iter(stream.records)
        self._is_source_done = False
        self._read = 0
        # Belong to the batch that is being read, so that they survive a broken connection.
        self._lines: List[bytes] = []
        # Batches that are read and not acknowledged, the oldest first.
        self._pending: List[_Batch] = []
        self._acknowledged = 0
        self._records = 0
        # A proxy that holds a body back until it is whole lets no acknowledgement through.
        self._streams = True
        self.counts: Dict[str, Any] = {}
        self.warnings: List[Any] = []
        self.is_truncated = False

    def run(self) -> None:
        try:
            self._run()
        except _SourceError as error:
            reason = error.reason
        else:
            return
        finally:
            self._end_source()
        raise reason

    def _run(self) -> None:
        made = 1
        partly = 0
        is_begun = False
        while self._pending or self._read_batch(None) or (not is_begun and self._acknowledged == 0):
            is_begun = True
            before = self._acknowledged
            sent = [0]
            failure = self._round(sent)
            # A connection that ends while the source has nothing to send is no failed attempt.
            if failure is None or (not self._pending and failure.is_retried):
                made = 1
                continue
            if self._acknowledged > before:
                made = 1
                partly = 0
            if type(failure.error).__name__ == "TimeoutError":
                self._streams = False
            failure.error.batch = self._acknowledged + 1
            attempts = self._settings.attempts
            if sent[0] >= _PARTLY_SENT_BYTES:
                partly += 1
                if partly <= (attempts - 1) * _PARTLY_SENT_REPEATS:
                    self._transport.pause(failure, 1, 2)
                    continue
            self._transport.pause(failure, made, attempts)
            made += 1

    def _end_source(self) -> None:
        """Lets the caller's iterable clean up if it was not read to its end."""
        close = getattr(self._source, "close", None)
        if not self._is_source_done and callable(close):
            close()

    def _read_batch(self, look: Optional[Callable[[], None]]) -> bool:
        """Reads one more batch; False at the end. `look` is called now and then."""
        lines = self._lines
        looked = time.monotonic()
        while not self._is_source_done and len(lines) < self._stream.batch:
            try:
                record = next(self._source)
            except StopIteration:
                self._is_source_done = True
                break
            except BaseException as reason:
                self._is_source_done = True
                error = _SourceError(reason)
            else:
                lines.append(json_bytes(record))
                if look is not None and time.monotonic() - looked > _LOOK_INTERVAL:
                    look()
                    looked = time.monotonic()
                continue
            raise error
        if not lines:
            return False
        self._lines = []
        self._read += 1
        self._pending.append(_Batch(self._read, len(lines), b"\n".join(lines) + b"\n"))
        return True

    def _request(self) -> Request:
        start = self._acknowledged + 1
        query = {**self._stream.query, "batch": self._stream.batch, **({"from": start} if start > 1 else {})}
        return Request(
            "POST", self._stream.path, query=query, accept=LINES_TYPE, content_type=LINES_TYPE
        )

    def _round(self, sent: List[int]) -> Optional[Failure]:
        """Sends one request; None if the service took all of it."""
        settings = self._settings
        try:
            exchange = self._transport.send(
                self._request(), settings, time.monotonic() + settings.timeout, is_streamed=True
            )
        except (OSError, ValueError) as error:
            failure = problem(error, settings.timeout)
        else:
            try:
                return self._exchange(exchange, sent)
            except Failure as caught:
                failure = Failure(caught.error, caught.is_retried)
            except (OSError, ValueError, http.client.HTTPException) as error:
                failure = problem(error, settings.timeout)
            finally:
                exchange.close()
        self._transport.check_open()
        return failure

    def _exchange(self, exchange: Exchange, sent: List[int]) -> Optional[Failure]:
        answer = _AnswerLines(self._transport, exchange, self._settings.timeout)

        def look() -> None:
            while answer.is_ready():
                self._take(answer.next())

        following = self._acknowledged + 1
        try:
            while True:
                ready = next((one for one in self._pending if one.number == following), None)
                if ready is not None:
                    exchange.socket.settimeout(self._settings.timeout)
                    sent[0] += len(ready.data)
                    exchange.socket.sendall(b"%x\r\n%b\r\n" % (len(ready.data), ready.data))
                    following += 1
                elif not self._streams or self._is_source_done:
                    break
                elif len(self._pending) >= _BATCHES_AHEAD:
                    if self._take(answer.next()):
                        return self._ended()
                elif not self._read_batch(look):
                    break
            exchange.socket.sendall(b"0\r\n\r\n")
        except _SourceError:
            raise
        except OSError as error:
            # The service may have refused the stream before it took all of it.
            answer.timeout = _REFUSAL_TIMEOUT
            problem_of_body: OSError = error
            try:
                while not self._take(answer.next()):
                    pass
            except (OSError, ValueError, http.client.HTTPException):
                pass
            raise problem_of_body from None
        while not self._take(answer.next()):
            pass
        answer.finish()
        return self._ended()

    def _ended(self) -> Optional[Failure]:
        """Handles the end of an answer: every batch that was sent must be acknowledged."""
        return connection_failure() if self._pending else None

    def _take(self, line: Optional[Dict[str, Any]]) -> bool:
        """Takes a line of the answer in; True if it is the last."""
        if line is None:
            raise connection_failure()
        if line.get("end") is True:
            return True
        status = line.get("status")
        if status is not None:
            raise line_failure(status, line.get("message"))
        if not self._pending or line.get("batch") != self._pending[0].number:
            return False
        others = ("batch", "warnings", "warningsTruncated", "replayed")
        found: Any = next((line[name] for name in line if name not in others), None)
        counts = cast("Dict[str, Any]", found or {})
        for name, value in counts.items():
            self.counts[name] = self.counts.get(name, 0) + value if isinstance(value, int) else value
        self.warnings.extend(line.get("warnings", []))
        self.is_truncated = self.is_truncated or bool(line.get("warningsTruncated")) or len(self.warnings) > _MAX_WARNINGS
        del self.warnings[_MAX_WARNINGS:]
        first = self._pending.pop(0)
        self._acknowledged = first.number
        self._records += first.records
        if self._stream.on_progress is not None:
            self._stream.on_progress(
                Progress(self._records, self._acknowledged, str(self.counts.get("revisionId")))
            )
        return False


class _AnswerLines:
    """The lines of an answer that comes while the body is sent."""

    def __init__(self, transport: Transport, exchange: Exchange, timeout: float) -> None:
        self._transport = transport
        self._exchange = exchange
        self._lines: Optional[Iterator[bytes]] = None
        self.timeout = timeout

    def is_ready(self) -> bool:
        sock = self._exchange.socket
        readable, _, _ = select.select([sock], [], [], 0)
        return bool(readable)

    def next(self) -> Optional[Dict[str, Any]]:
        """Waits for a line; None at the end."""
        self._exchange.socket.settimeout(self.timeout)
        if self._lines is None:
            response = self._exchange.receive()
            if not 200 <= response.status < 300:
                body = self._exchange.whole(time.monotonic() + self.timeout)
                raise self._transport.failure(response.status, self._exchange.headers, body)
            self._lines = lines_of(self._exchange.parts())
        for line in self._lines:
            if line:
                parsed: Dict[str, Any] = json.loads(line)
                return parsed
        return None

    def finish(self) -> None:
        """Reads what follows the last line, so that the connection can be kept."""
        if self._lines is not None:
            for _ in self._lines:
                pass


class ServerEvent(NamedTuple):
    name: str
    data: str


def events_of(parts: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Reads server-sent events (HTML standard, section 9.2). A last event without a blank line behind it is left out."""
    name = "message"
    data: List[str] = []
    for raw in lines_of(parts):
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
