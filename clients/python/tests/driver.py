"""Performs calls of the Python client. Reads each call as a line of JSON, and writes its outcome as a line of JSON."""

from __future__ import annotations

import asyncio
import datetime
import itertools
import json
import re
import sys
import threading
from typing import Any, Dict, Iterator, List

import cellwire
import cellwire.aio

_OUTPUT = threading.Lock()
_IS_ASYNC = "--async" in sys.argv


def main() -> None:
    """Answers each call in a thread of its own."""
    threads: List[threading.Thread] = []
    for line in sys.stdin:
        threads.append(threading.Thread(target=answer_message, args=(json.loads(line),)))
        threads[-1].start()
    for thread in threads:
        thread.join()


def answer_message(message: Dict[str, Any]) -> None:
    """Performs a call and prints its outcome."""
    outcome = asyncio.run(perform_call_async(message)) if _IS_ASYNC else perform_call(message)
    with _OUTPUT:
        print(json.dumps({"id": message["id"], **outcome}), flush=True)


def perform_call(message: Dict[str, Any]) -> Dict[str, Any]:
    """Performs a call with the client for threads. Returns the result or the error."""
    call = message["call"]
    progress: List[Any] = []
    try:
        client = cellwire.Client(message["url"], message["token"], **read_settings(message))
        if "abortAfter" in call:
            threading.Timer(call["abortAfter"] / 1000, client.close).start()
        target = find_target(cellwire, client, call)
        returned = target if call["method"] == "iterate" else call_method(target, call, progress)
        if call.get("collect"):
            result = list(returned)
        else:
            result = take_items(returned, call["take"]) if "take" in call else returned
        client.close()
    except Exception as error:
        return {"error": describe_error(error), **({"progress": progress} if call.get("progress") else {})}
    return {"result": encode_value(result), **({"progress": progress} if call.get("progress") else {})}


async def perform_call_async(message: Dict[str, Any]) -> Dict[str, Any]:
    """Performs a call with the client for asyncio. Returns the result or the error."""
    call = message["call"]
    progress: List[Any] = []
    try:
        async with cellwire.aio.Client(message["url"], message["token"], **read_settings(message)) as client:
            target = find_target(cellwire.aio, client, call)
            returned = target if call["method"] == "iterate" else call_method(target, call, progress)
            result: Any
            if hasattr(returned, "__aiter__") and ("take" in call or call.get("collect")):
                result = []
                async for item in returned:
                    result.append(item)
                    if len(result) == call.get("take"):
                        break
            else:
                result = await returned if asyncio.iscoroutine(returned) else returned
    except Exception as error:
        return {"error": describe_error(error), **({"progress": progress} if call.get("progress") else {})}
    return {"result": encode_value(result), **({"progress": progress} if call.get("progress") else {})}


def call_method(target: Any, call: Dict[str, Any], progress: List[Any]) -> Any:
    """Calls a method with decoded arguments. Adds reported progress to `progress`."""
    options = {to_snake_case(name): decode_value(value) for name, value in call.get("options", {}).items()}
    if "timeout" in options:
        options["timeout"] /= 1000
    if call.get("progress"):
        options["on_progress"] = lambda step: progress.append(
            {"records": step.records, "batches": step.batches, "revisionId": step.revision_id}
        )
    args = [decode_value(value) for value in call.get("args", [])]
    return getattr(target, to_snake_case(call["method"]))(*args, **options)


def find_target(module: Any, client: Any, call: Dict[str, Any]) -> Any:
    """Returns the object whose method a call names."""
    on = call.get("on", "document")
    if on == "module":
        return cellwire
    if on == "client":
        return client
    if on == "documents":
        return client.documents
    book = client.document(call.get("document", "D"))
    if on == "document":
        return book
    if on == "table":
        options = call["table"].get("options", {})
        return book.table(call["table"]["range"], **{to_snake_case(name): value for name, value in options.items()})
    return getattr(book, on)


def read_settings(message: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the settings of the client; times in seconds."""
    settings = dict(message.get("settings") or {})
    if "timeout" in settings:
        settings["timeout"] /= 1000
    return settings


def take_items(iterator: Any, count: int) -> List[Any]:
    """Returns the first items of an iterator and closes it."""
    items = list(itertools.islice(iterator, count))
    iterator.close()
    return items


def to_snake_case(name: str) -> str:
    """Converts a name of the API to Python's spelling."""
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def decode_value(value: Any) -> Any:
    """Converts an argument from JSON: `$date` is a date, `$repeat` and `$count` are iterators of records."""
    if isinstance(value, list):
        return [decode_value(member) for member in value]
    if not isinstance(value, dict):
        return value
    if "$date" in value:
        text = value["$date"]
        return datetime.datetime.fromisoformat(text) if len(text) > 10 else datetime.date.fromisoformat(text)
    if "$repeat" in value:
        return repeat_record(*value["$repeat"])
    if "$count" in value:
        return ({"Number": f"R-{i}", "Sum": i} for i in range(1, value["$count"] + 1))
    return {name: decode_value(member) for name, member in value.items()}


def repeat_record(record: Any, count: int) -> Iterator[Any]:
    """Yields the same record several times."""
    for _ in range(count):
        yield record


def encode_value(value: Any) -> Any:
    """Converts a result to JSON."""
    if isinstance(value, bytes):
        return {"bytes": value.decode()}
    if isinstance(value, datetime.datetime):
        text = value.isoformat()
        return {"date": text[:-9] if text.endswith("T00:00:00") else text}
    if isinstance(value, datetime.date):
        return {"date": value.isoformat()}
    if isinstance(value, (list, tuple)):
        return [encode_value(member) for member in value]
    if isinstance(value, dict):
        return {name: encode_value(member) for name, member in value.items()}
    return value


def describe_error(error: Exception) -> Dict[str, Any]:
    """Returns the class, the message and the members of an error as JSON."""
    names = {
        "status": "status",
        "request_id": "requestId",
        "retry_after": "retryAfter",
        "required_scope": "requiredScope",
        "errors": "errors",
        "revision_id": "revisionId",
        "batch": "batch",
        "differences": "differences",
        "conflicts": "conflicts",
    }
    details = {member: getattr(error, name, None) for name, member in names.items()}
    members = {name: value for name, value in details.items() if value is not None}
    return {"class": type(error).__name__, "message": str(error), **members}


if __name__ == "__main__":
    main()
