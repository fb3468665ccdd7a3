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
        following = 0
        for record in book.table("A:B"):
            if record["Sum"] != following:
                raise ValueError(f"{record['Sum']} is not {following}")
            following += 1
        print(f"{following} read, each once and in order, {memory()}")
    else:
        following = 2
        for change in book.follow(1):
            if change.get("gap") or change["revision"] != following:
                raise ValueError(f"{change['revision']} is not {following}")
            following += 1
            if following > int(rest[0]) + 1:
                break
        print(f"{following - 2} changes followed, each once and in order")


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
        more = {"Idempotency-Key": key} if key else {}
        content = None if body is None else json.dumps(body)
        connection.request(method, f"{path}/{address}", content, {**headers, **more})
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
        for way in (0, 1) if i % 2 else (1, 0):
            start = time.perf_counter()
            (bare, client)[way]()
            if i >= 30:
                times[way].append((time.perf_counter() - start) * 1000)
    first, second = (statistics.median(one) for one in times)
    print(f"Python, {name}: bare {first:.2f} ms, client {second:.2f} ms, {second / first:.2f} times")


if __name__ == "__main__":
    main()
