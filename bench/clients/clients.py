"""The measurements of run.mjs with the Python client."""

import http.client
import json
import os
import resource
import statistics
import sys
import time
import urllib.parse

import cellwire

ROUNDS = 300
RANGE = "A1:Z1000"


def main() -> None:
    kind, url, document, *rest = sys.argv[1:]
    client = cellwire.Client(url)
    book = client.document(document)
    if kind == "cost":
        cost(url, document, book)
    elif kind == "in":
        records = ({"Number": f"R-{i}", "Sum": i} for i in range(int(rest[0])))
        appended = book.table("A:B").append(records)["appended"]
        print(f"{appended['created']} written by the client's count, {memory()}")
    elif kind == "out":
        expected = 0
        for record in book.table("A:B"):
            if record["Sum"] != expected:
                raise ValueError(f"{record['Sum']} is not {expected}")
            expected += 1
        print(f"{expected} read, each once and in order, {memory()}")
    else:
        expected = 2
        for change in book.follow(1):
            if change.get("gap") or change["revision"] != expected:
                raise ValueError(f"{change['revision']} is not {expected}")
            expected += 1
            if expected > int(rest[0]) + 1:
                break
        print(f"{expected - 2} changes followed, each once and in order")


def memory() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most"


def cost(url: str, document: str, book: cellwire.Document) -> None:
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    token = os.environ["CELLWIRE_TOKEN"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    path = f"/api/v1/documents/{document}/values"
    count = 0

    def bare(method: str, address: str, body: object = None, key: str = "") -> object:
        key_header = {"Idempotency-Key": key} if key else {}
        content = None if body is None else json.dumps(body)
        connection.request(method, f"{path}/{address}", content, {**headers, **key_header})
        return json.loads(connection.getresponse().read())

    def bare_write() -> None:
        nonlocal count
        count += 1
        bare("PUT", "AA1", {"values": [[count]]}, f"bench-python-{count}")

    def client_write() -> None:
        nonlocal count
        count += 1
        book.write("AA1", [[count]])

    compare("a page", lambda: bare("GET", f"{RANGE}?render=plain"), lambda: book.read(RANGE))
    compare("one cell", bare_write, client_write)


def compare(name: str, bare, client) -> None:
    times = ([], [])
    for i in range(ROUNDS + 30):
        for variant in (0, 1) if i % 2 else (1, 0):
            start = time.perf_counter()
            (bare, client)[variant]()
            if i >= 30:
                times[variant].append((time.perf_counter() - start) * 1000)
    first, second = (statistics.median(samples) for samples in times)
    print(f"Python, {name}: bare {first:.2f} ms, client {second:.2f} ms, {second / first:.2f} times")


if __name__ == "__main__":
    main()
