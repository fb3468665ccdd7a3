"""Tests of the Python client that are not shared scenarios: secrecy, threads, cancelled tasks, frames, the command."""

from __future__ import annotations

import asyncio
import datetime
import http.server
import importlib.util
import json
import os
import pathlib
import pickle
import re
import socket
import subprocess
import sys
import threading
import time
import traceback
import unittest
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

import cellwire
import cellwire.aio
from cellwire import _frames, types
from cellwire._dates import json_bytes

TOKEN = "cw_very-secret-token"


class Server:
    """An HTTP server that answers requests with a function."""

    def __init__(self, answer: Callable[[http.server.BaseHTTPRequestHandler, bytes], None]) -> None:
        self.requests: List[Tuple[str, Dict[str, str], bytes]] = []
        self.closed_connections = 0
        requests = self.requests
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                requests.append((self.path, dict(self.headers.items()), body))
                answer(self, body)

            do_GET = do_POST = do_PUT = do_DELETE = handle_one

            def log_message(self, *_: Any) -> None:
                pass

        class CountingServer(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def shutdown_request(self, request: Any) -> None:
                super().shutdown_request(request)
                server.closed_connections += 1

        self._server = CountingServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def reply(handler: http.server.BaseHTTPRequestHandler, status: int, body: Any) -> None:
    """Sends a JSON answer."""
    data = json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def count_connecting(port: int) -> int:
    """Returns the number of connections to a port that are not established yet."""
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    fields = [line.split() for line in lines]
    return sum(1 for _, _, target, state, *_ in fields if target.endswith(f":{port:04X}") and state == "02")


def hang(_: http.server.BaseHTTPRequestHandler, __: bytes) -> None:
    """Does not answer for longer than a test may take."""
    time.sleep(20)


class Secrecy(unittest.TestCase):
    """Errors and objects do not show the token."""

    def texts_of(self, error: BaseException) -> str:
        """Returns all texts of an error and its causes, with the local variables of the client's frames."""
        parts: List[str] = []
        current: Optional[BaseException] = error
        while current is not None:
            trace = traceback.TracebackException.from_exception(current, capture_locals=True)
            frames = [frame for frame in trace.stack if "test_client" not in frame.filename]
            parts.extend(repr(frame.locals) for frame in frames)
            parts.extend([repr(current), str(current), repr(vars(current))])
            current = current.__cause__ or current.__context__
        return "".join(parts)

    def test_no_error_shows_the_token(self) -> None:
        def repeat_authorization(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            reply(handler, 500, {"message": f"bad {handler.headers['authorization']}"})

        server = Server(repeat_authorization)
        client = cellwire.Client(server.url, TOKEN, attempts=1)
        errors: List[BaseException] = []
        for work in (client.userinfo, lambda: client.document("D").table("A:B").append(iter([{"n": 1}]))):
            with self.assertRaises(cellwire.CellwireError) as caught:
                work()
            errors.append(caught.exception)
        server.close()
        client.close()
        for url, token in ((server.url, TOKEN), ("ftp://h", TOKEN), (server.url, f"{TOKEN}\n")):
            for module in (cellwire.Client, cellwire.aio.Client):
                with self.assertRaises(cellwire.CellwireError) as caught:
                    made: Any = module(url, token, attempts=1)
                    if isinstance(made, cellwire.Client):
                        made.userinfo()
                    else:
                        asyncio.run(made.userinfo())
                errors.append(caught.exception)
        for error in errors:
            self.assertNotIn(TOKEN, self.texts_of(error))

    def test_no_object_shows_the_token(self) -> None:
        client = cellwire.Client("http://h", TOKEN)
        for shown in (client, client._transport, client.document("D"), client.documents):
            self.assertNotIn(TOKEN, repr(shown) + repr(vars(shown)))
        with self.assertRaises(Exception) as caught:
            pickle.dumps(client)
        self.assertNotIn(TOKEN, str(caught.exception))

    def test_errors_can_be_pickled(self) -> None:
        error = cellwire.ValidationError("no", status=422, request_id="r", details={"errors": {"a": ["b"]}})
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(copy), copy.status, copy.errors), ("no", 422, {"a": ["b"]}))
        self.assertIsInstance(cellwire.TimeoutError("x"), TimeoutError)
        self.assertIsInstance(cellwire.ConnectionError("x"), ConnectionError)


class Ending(unittest.TestCase):
    """Calls end when the client is closed or a task is cancelled."""

    def test_close_ends_the_calls_of_all_threads(self) -> None:
        server = Server(hang)
        client = cellwire.Client(server.url, TOKEN)
        outcomes: List[BaseException] = []

        def call() -> None:
            try:
                client.userinfo()
            except cellwire.CellwireError as error:
                outcomes.append(error)

        threads = [threading.Thread(target=call) for _ in range(3)]
        for thread in threads:
            thread.start()
        while len(server.requests) < 3:
            time.sleep(0.01)
        client.close()
        for thread in threads:
            thread.join(60)
        self.assertEqual([type(error) for error in outcomes], [cellwire.ConnectionError] * 3)
        with self.assertRaises(cellwire.ConnectionError):
            client.userinfo()
        self.assertEqual(len(server.requests), 3)
        server.close()

    @unittest.skipUnless(os.path.exists("/proc/net/tcp"), "the system does not list its connections")
    def test_close_ends_a_call_that_still_connects(self) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(0)
            address = listener.getsockname()
            # The service accepts no more connections than these.
            others = [socket.socket() for _ in range(6)]
            for other in others:
                other.setblocking(False)
                other.connect_ex(address)
            connecting = count_connecting(address[1])
            client = cellwire.Client(f"http://127.0.0.1:{address[1]}", TOKEN, timeout=60)
            errors: List[Exception] = []

            def call() -> None:
                try:
                    client.userinfo()
                except Exception as error:
                    errors.append(error)

            thread = threading.Thread(target=call, daemon=True)
            thread.start()
            deadline = time.monotonic() + 20
            while count_connecting(address[1]) == connecting and time.monotonic() < deadline:
                time.sleep(0.01)
            client.close()
            thread.join(20)
            for other in others:
                other.close()
        self.assertIsInstance(errors[0], cellwire.ConnectionError)
        self.assertEqual(str(errors[0]), "The client is closed")

    def test_a_cancelled_task_sends_no_further_attempt(self) -> None:
        def busy(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            reply(handler, 503, {})

        server = Server(busy)

        async def main() -> None:
            client = cellwire.aio.Client(server.url, TOKEN)
            task = asyncio.ensure_future(client.userinfo())
            while not server.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await asyncio.sleep(1.2)

        asyncio.run(main())
        self.assertEqual(len(server.requests), 1)
        server.close()

    def test_close_of_a_followed_document_ends_it_in_another_thread(self) -> None:
        def stream(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            if "/changes" in handler.path:
                changes = {"entries": [], "revision": 1, "next": 1, "hasMore": False, "incarnation": "i", "gap": False}
                return reply(handler, 200, {"changes": changes})
            if len(server.requests) == 2:
                return hang(handler, b"")
            reply(handler, 503, {"retryAfter": 50})

        server = Server(stream)
        # A shorter time limit would repeat a request that a busy machine answers late.
        client = cellwire.Client(server.url, TOKEN, timeout=10)
        for requests in (2, 4):
            # First closes it while the connection is open, then while the thread waits for the next attempt.
            following = client.document("D").follow(1)
            items: List[Any] = []
            thread = threading.Thread(target=lambda: items.extend(following))
            thread.start()
            while len(server.requests) < requests:
                time.sleep(0.01)
            time.sleep(0.1)
            following.close()
            thread.join(60)
            self.assertFalse(thread.is_alive())
            self.assertEqual((items, list(following)), ([], []))
        server.close()

    def test_the_time_limit_includes_headers_that_arrive_slowly(self) -> None:
        def drip(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            for byte in b"HTTP/1.1 200 OK\r\n" + b"x-slow: 1\r\n" * 100:
                handler.wfile.write(bytes([byte]))
                time.sleep(0.02)

        server = Server(drip)
        client = cellwire.Client(server.url, TOKEN, timeout=0.3, attempts=1)
        started = time.monotonic()
        with self.assertRaises(cellwire.TimeoutError):
            client.userinfo()
        # All the headers would take 24 seconds.
        self.assertLess(time.monotonic() - started, 10)
        client.close()
        server.close()

    def test_calls_after_an_error_use_different_connections(self) -> None:
        def echo(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            if "missing" in handler.path:
                return reply(handler, 404, {"message": "no"})
            time.sleep(0.05)
            reply(handler, 200, {"path": handler.path})

        server = Server(echo)
        client = cellwire.Client(server.url, TOKEN, attempts=1)
        with self.assertRaises(cellwire.NotFoundError):
            client.request("GET", "/missing")
        outcomes: Dict[int, Any] = {}

        def call(number: int) -> None:
            outcomes[number] = client.request("GET", f"/{number}")["path"]

        threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(outcomes, {number: f"/api/v1/{number}" for number in range(4)})
        client.close()
        server.close()

    def test_close_ends_a_task_that_waits_between_two_attempts(self) -> None:
        def busy(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            reply(handler, 503, {"retryAfter": 50})

        server = Server(busy)

        async def main() -> None:
            client = cellwire.aio.Client(server.url, TOKEN)
            task = asyncio.ensure_future(client.userinfo())
            while not server.requests:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            await client.close()
            with self.assertRaises(cellwire.ConnectionError):
                await asyncio.wait_for(task, 5)

        asyncio.run(main())
        self.assertEqual(len(server.requests), 1)
        server.close()

    def test_a_header_that_cannot_be_sent_is_no_broken_connection(self) -> None:
        book = cellwire.Client("http://127.0.0.1:1", TOKEN).document("D")
        unsent: List[Dict[str, Any]] = [
            {"idempotency_key": "\u043a\u043b\u044e\u0447"},
            {"headers": {"X-A": "a\r\nX-B: b"}},
            {"headers": {"X A": "a"}},
        ]
        for options in unsent:
            with self.assertRaisesRegex(cellwire.CellwireError, "is not a header"):
                book.write("A1", [[1]], **options)

    def test_a_time_limit_can_be_longer_than_sockets_accept(self) -> None:
        server = Server(lambda request, _: reply(request, 200, {"scopes": []}))
        client = cellwire.Client(server.url, TOKEN, timeout=float("inf"))
        self.assertEqual(client.userinfo()["scopes"], [])
        client.close()
        server.close()

    def test_a_connection_that_the_service_closed_is_not_used_again(self) -> None:
        def once(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            reply(handler, 200, {"scopes": []})
            handler.close_connection = True

        server = Server(once)
        client = cellwire.Client(server.url, TOKEN, attempts=1)
        for count in range(1, 4):
            client.userinfo()
            while server.closed_connections < count:
                time.sleep(0.01)
        server.close()


class Streams(unittest.TestCase):
    """Uploads of records as a stream."""

    def test_a_connection_that_breaks_while_a_batch_is_read_loses_no_record(self) -> None:
        received: List[str] = []

        def answer(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            def lines() -> List[str]:
                size = int(handler.rfile.readline(), 16)
                data = handler.rfile.read(size).decode()
                handler.rfile.readline()
                return data.splitlines()

            def acknowledge(number: int) -> None:
                line = json.dumps({"batch": number, "appended": {"created": 3, "revisionId": "2"}}).encode() + b"\n"
                handler.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))

            first = 1 if "from=" not in handler.path else int(handler.path.split("from=")[1])
            handler.send_response(200)
            handler.send_header("content-type", "application/x-ndjson")
            handler.send_header("transfer-encoding", "chunked")
            handler.end_headers()
            for number in range(first, 4):
                received.extend(lines())
                acknowledge(number)
                if len(server.requests) == number == 1:
                    handler.close_connection = True
                    return
            end = b'{"end":true}\n'
            handler.rfile.readline()
            handler.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(end), end))

        def slow() -> Any:
            for number in range(9):
                time.sleep(0.06)
                yield {"n": number}

        server = Server(answer)
        client = cellwire.Client(server.url, TOKEN)
        appended = client.document("D").table("A:B").append(slow(), batch=3)["appended"]
        self.assertEqual([json.loads(line)["n"] for line in received], list(range(9)))
        self.assertEqual(appended["created"], 9)
        client.close()
        server.close()

    def test_a_slow_source_does_not_wait_for_the_rest_of_an_acknowledgement(self) -> None:
        is_written, is_reported, is_complete = threading.Event(), threading.Event(), threading.Event()

        def answer(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            handler.send_response(200)
            handler.send_header("content-type", "application/x-ndjson")
            handler.send_header("transfer-encoding", "chunked")
            handler.end_headers()
            for number in (1, 2):
                handler.rfile.read(int(handler.rfile.readline(), 16) + 2)
                line = json.dumps({"batch": number, "appended": {"created": 4, "revisionId": "2"}}).encode() + b"\n"
                handler.wfile.write(b"%x\r\n%b" % (len(line), line))
                is_written.set()
                is_reported.wait(30)
                handler.wfile.write(b"\r\n")
                is_complete.set()
            end = b'{"end":true}\n'
            handler.rfile.readline()
            handler.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(end), end))

        def slow() -> Any:
            for number in range(8):
                for event in {4: [is_written], 5: [is_reported, is_complete]}.get(number, []):
                    event.wait(30)
                    # Longer than the interval between two checks for acknowledgements.
                    time.sleep(0.2)
                yield {"n": number}

        server = Server(answer)
        client = cellwire.Client(server.url, TOKEN, timeout=5)
        table = client.document("D").table("A:B")
        appended = table.append(slow(), batch=4, on_progress=lambda _: is_reported.set())["appended"]
        self.assertEqual(appended["created"], 8)
        self.assertEqual(len(server.requests), 1)
        client.close()
        server.close()


    def test_an_error_of_the_caller_ends_a_stream_without_another_attempt(self) -> None:
        def acknowledge(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            line = b'{"batch":1,"appended":{"created":1,"revisionId":"2"}}\n'
            handler.send_response(200)
            handler.send_header("content-type", "application/x-ndjson")
            handler.end_headers()
            handler.wfile.write(line)
            handler.close_connection = True

        def slowly(records: Any) -> Any:
            for record in records:
                yield record
                # The service receives the first batch before the next record is read.
                deadline = time.monotonic() + 30
                while not server.requests and time.monotonic() < deadline:
                    time.sleep(0.01)
                time.sleep(0.1)

        def unreachable(_: cellwire.Progress) -> None:
            raise cellwire.ConnectionError("the log cannot be reached")

        def read_broken() -> Any:
            yield {"n": 1}
            raise OSError("the file is broken")

        cases: List[Tuple[Any, Any, type]] = [
            ([{"n": 1}, {"n": 2}], unreachable, cellwire.ConnectionError),
            ([{"n": 1}, {"n": float("nan")}, {"n": 3}], None, ValueError),
            ([{"n": 1}, {"n": object()}, {"n": 3}], None, TypeError),
            (read_broken(), None, OSError),
        ]
        for records, on_progress, kind in cases:
            server = Server(acknowledge)
            client = cellwire.Client(server.url, TOKEN)
            # Each call raises another class.
            caught: Any
            with self.assertRaises(kind) as caught:
                client.document("D").table("A:B").append(slowly(records), batch=1, on_progress=on_progress)
            self.assertIs(type(caught.exception), kind)
            self.assertEqual(len(server.requests), 1)
            client.close()
            server.close()


    def test_an_async_source_is_read_no_further_than_two_batches_ahead(self) -> None:
        def refuse(handler: http.server.BaseHTTPRequestHandler, _: bytes) -> None:
            deadline = time.monotonic() + 30
            while records_read < 1400 and time.monotonic() < deadline:
                time.sleep(0.01)
            # Time in which a client that reads too far would go on.
            time.sleep(0.5)
            reply(handler, 422, {"message": "no"})

        server = Server(refuse)
        records_read = 0

        async def source() -> Any:
            nonlocal records_read
            while True:
                records_read += 1
                yield {"n": records_read}

        async def main() -> None:
            async with cellwire.aio.Client(server.url, TOKEN) as client:
                with self.assertRaises(cellwire.ValidationError):
                    await client.document("D").table("A:B").append(source(), batch=700)

        asyncio.run(main())
        self.assertEqual(records_read, 1400)
        server.close()


class Command(unittest.TestCase):
    """The command `python -m cellwire`."""

    def run_command(self, env: Dict[str, str]) -> Tuple[int, str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CELLWIRE_")}
        done = subprocess.run(
            [sys.executable, "-m", "cellwire"], env={**clean, **env}, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def test_prints_version_address_and_scopes(self) -> None:
        server = Server(lambda handler, _: reply(handler, 200, {"scopes": ["sheets.read", "sheets.write"]}))
        code, said, complaint = self.run_command({"CELLWIRE_URL": server.url, "CELLWIRE_TOKEN": TOKEN})
        lines = [f"cellwire {cellwire.__version__}", f"{server.url}/api/v1", "sheets.read sheets.write"]
        self.assertEqual((code, said.splitlines(), complaint), (0, lines, ""))
        server.close()

    def test_prints_the_reason_of_a_failure(self) -> None:
        server = Server(lambda handler, _: reply(handler, 401, {"message": "Unauthenticated"}))
        for env in ({}, {"CELLWIRE_URL": server.url, "CELLWIRE_TOKEN": TOKEN}):
            code, said, complaint = self.run_command(env)
            self.assertEqual((code, said, len(complaint.splitlines())), (1, "", 1))
            self.assertNotIn(TOKEN, complaint)
        server.close()


class Types(unittest.TestCase):
    """Finds errors that a type checker would find, on machines without a type checker."""

    def test_all_annotations_exist(self) -> None:
        folder = pathlib.Path(cellwire.__file__).parent
        for file in ("_resources.py", "_table.py", "aio.py"):
            names = set(re.findall(r"\bt\.([A-Z]\w+)", (folder / file).read_text()))
            self.assertGreater(len(names), 5)
            self.assertEqual([name for name in sorted(names) if not hasattr(types, name)], [], file)

    def test_options_are_the_members_of_the_body_and_of_a_proposal(self) -> None:
        names = {"value_input_option", "if_revision", "expect", "dry_run", "propose", "title", "note"}
        self.assertLessEqual(names, set(types.PutValuesOptions.__annotations__))
        self.assertNotIn("values", types.PutValuesOptions.__annotations__)
        self.assertNotIn("propose", types.CreateDocumentOptions.__annotations__)


def has(name: str) -> bool:
    """True if a package is installed. Tests that need the optional pandas and Polars are skipped without them."""
    return importlib.util.find_spec(name) is not None


class Moments(unittest.TestCase):
    """Dates, times and durations."""

    def test_moments_are_written_with_their_microseconds(self) -> None:
        texts = {
            "2026-03-26": datetime.date(2026, 3, 26),
            "2026-03-26T08:30:00.608325": datetime.datetime(2026, 3, 26, 8, 30, 0, 608_325),
            "08:30:00": datetime.time(8, 30),
            "08:30:00.600": datetime.time(8, 30, 0, 600_000),
            "25:30:00.000001": datetime.timedelta(hours=25.5, microseconds=1),
            "-00:00:01": -datetime.timedelta(seconds=1),
        }
        self.assertEqual(json.loads(json_bytes(list(texts.values()))), list(texts))


class Frames(unittest.TestCase):
    """DataFrames of pandas and Polars."""

    COLUMNS = [("n", "number"), ("s", "number"), ("b", "boolean"), ("d", "date"), ("t", "text"), ("m", "mixed")]
    RECORDS: List[Dict[str, Any]] = [
        {"n": 1, "s": 1.5, "b": True, "d": "2026-03-26", "t": "x", "m": 1},
        {"n": None, "s": None, "b": None, "d": None, "t": None, "m": None},
        {"n": 3, "s": 2, "b": False, "d": "2026-03-26T08:30:00", "t": "", "m": True},
    ]

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_pandas_keeps_types(self) -> None:
        df = _frames.to_pandas(self.COLUMNS, self.RECORDS)
        names = [str(dtype) for dtype in df.dtypes]
        self.assertEqual(names, ["Int64", "float64", "boolean", "datetime64[ns]", "string", "string"])
        self.assertEqual(list(df["m"].dropna()), ["1", "TRUE"])
        self.check_written(df)

    @unittest.skipUnless(has("polars"), "Polars is not installed")
    def test_polars_keeps_types(self) -> None:
        self.check_written(_frames.to_polars(self.COLUMNS, self.RECORDS))

    def check_written(self, df: Any) -> None:
        records = list(_frames.frame_records(df))
        day = datetime.datetime(2026, 3, 26)
        self.assertEqual(records[0], {"n": 1, "s": 1.5, "b": True, "d": day, "t": "x", "m": 1})
        self.assertEqual(set(records[1].values()), {None})
        self.assertEqual([type(records[2][name]) for name in ("n", "s", "b", "m")], [int, float, bool, bool])

    # Each list contains the values of one column with the type that the service reports.
    UNEVEN_COLUMNS: List[Tuple[str, List[Any]]] = [
        ("date", ["2026-03-26", "TBD"]),
        ("date", ["2026-03-26T08:30:00.608325", "1850-05-05", "9999-12-31", "2026-03-26"]),
        ("date", ["2026-03-26", 7, True]),
        ("number", [1, 2.5, "501", True, {"error": "#N/A"}]),
        ("number", [1, True]),
        ("boolean", [True, 1, "TRUE"]),
        ("time", ["08:30:00", "TBD", "08:30:00.608325"]),
        ("duration", ["25:30:00", 1.5]),
        ("text", ["501", "TRUE", "nan", "<NA>", " "]),
        ("text", [{"error": "#DIV/0!"}, "x"]),
    ]

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_a_pandas_frame_is_written_back_as_it_was_read(self) -> None:
        self.check_written_back(_frames.to_pandas)

    @unittest.skipUnless(has("polars"), "Polars is not installed")
    def test_a_polars_frame_is_written_back_as_it_was_read(self) -> None:
        self.check_written_back(_frames.to_polars)

    def check_written_back(self, to_frame: Callable[[Any, Any], Any]) -> None:
        for kind, values in self.UNEVEN_COLUMNS:
            with self.subTest(kind=kind, values=values):
                df = to_frame([("c", kind)], [{"c": value} for value in values])
                written = json.loads(json_bytes([record["c"] for record in _frames.frame_records(df)]))
                self.assertEqual([(type(value), value) for value in written], [(type(value), value) for value in values])

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_the_rows_of_a_filtered_and_sorted_pandas_frame_keep_their_values(self) -> None:
        df = _frames.to_pandas([("c", "mixed")], [{"c": 3}, {"c": "b"}, {"c": True}])
        rest = df[df["c"] != "b"].sort_values("c", ascending=False)
        self.assertEqual([record["c"] for record in _frames.frame_records(rest)], [True, 3])

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_moments_of_a_frame_name_the_types_of_their_columns(self) -> None:
        # Its types are not installed if pandas is missing.
        pandas: Any = importlib.import_module("pandas")
        moment, time, duration = datetime.date(2026, 3, 26), datetime.time(8, 30), datetime.timedelta(hours=25.5)
        columns = {
            "date": [None, moment],
            "datetime": pandas.to_datetime(["2026-03-26T08:30", None]),
            "time": [time, None],
            "duration": pandas.to_timedelta(["25:30:00", "-00:00:01.5"]),
            "both": [time, duration],
            "text": [moment, "TBD"],
        }
        df = pandas.DataFrame(columns)
        types = {"date": "date", "datetime": "date", "time": "time", "duration": "duration"}
        self.assertEqual(_frames.moment_types(df), types)

        inputs: List[Any] = []

        def write(range: str, values: List[List[Any]], **options: Any) -> Dict[str, Any]:
            inputs.extend(values)
            return {"updated": {"updatedRange": "Sheet1!A1:F2"}}

        _frames.write_frame(write, "A1", df, False, {})
        self.assertEqual(inputs[0][2:4], [{"value": "08:30:00", "as": "time"}, {"value": "25:30:00", "as": "duration"}])
        self.assertEqual(inputs[1][3], {"value": "-00:00:01.500", "as": "duration"})

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_too_large_integers_are_texts_with_one_warning(self) -> None:
        # Its types are not installed if pandas is missing.
        pandas: Any = importlib.import_module("pandas")

        df = pandas.DataFrame({"n": [2**53, 2**60, 1]})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            values = [record["n"] for record in _frames.frame_records(df)]
        self.assertEqual(values, [str(2**53), str(2**60), 1])
        self.assertEqual([warning.category for warning in caught], [UserWarning])

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_a_frame_is_written_in_blocks_below_each_other(self) -> None:
        # Its types are not installed if pandas is missing.
        pandas: Any = importlib.import_module("pandas")

        written: List[Tuple[str, int]] = []

        def write(range: str, values: List[List[Any]], **options: Any) -> Dict[str, Any]:
            written.append((range, len(values)))
            row = 1 + sum(count for _, count in written[:-1])
            last = row + len(values) - 1
            updated = {"updatedRange": f"'a b'!B{row}:C{last}", "updatedRows": len(values), "updatedCells": 1, "cells": 1}
            return {"updated": updated}

        df = pandas.DataFrame({"a": range(25_000), "b": [None] * 25_000})
        answer = _frames.write_frame(write, "'a b'!B1", df, True, {})
        self.assertEqual(written, [("'a b'!B1", 10_000), ("'a b'!B10001", 10_000), ("'a b'!B20001", 5_001)])
        self.assertEqual(answer["updated"]["updatedRange"], "'a b'!B1:C25001")
        self.assertEqual(answer["updated"]["updatedRows"], 25_001)

    def test_a_frame_is_one_proposal_or_none(self) -> None:
        written: List[int] = []

        def write(range: str, values: List[List[Any]], **options: Any) -> Dict[str, Any]:
            written.append(len(values))
            return {"proposal": {"id": "p"}}

        answer = _frames.write_frame(write, "A1", Frame(9_999), True, {"propose": True})
        self.assertEqual((answer, written), ({"proposal": {"id": "p"}}, [10_000]))
        with self.assertRaises(cellwire.CellwireError):
            _frames.write_frame(write, "A1", Frame(10_000), True, {"propose": True})
        self.assertEqual(written, [10_000])
        # Without the option, the first answer shows that the token may only propose.
        with self.assertRaises(cellwire.CellwireError):
            _frames.write_frame(write, "A1", Frame(10_000), True, {})


class Frame:
    """The members of a pandas DataFrame that a write uses."""

    columns = ["n"]

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def itertuples(self, index: bool, name: Optional[str]) -> Any:
        return ((row,) for row in range(self.rows))


if __name__ == "__main__":
    unittest.main()
