"""Runs calls of the Python client for the tests: reads one as a line of JSON, answers its outcome as a line."""

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
    threads: List[threading.Thread] = []
    for line in sys.stdin:
        threads.append(threading.Thread(target=answer, args=(json.loads(line),)))
        threads[-1].start()
    for thread in threads:
        thread.join()


def answer(asked: Dict[str, Any]) -> None:
    outcome = asyncio.run(outcome_of_task(asked)) if _IS_ASYNC else outcome_of(asked)
    with _OUTPUT:
        print(json.dumps({"id": asked["id"], **outcome}), flush=True)


def outcome_of(asked: Dict[str, Any]) -> Dict[str, Any]:
    call = asked["call"]
    progress: List[Any] = []
    try:
        client = cellwire.Client(asked["url"], asked["token"], **settings_of(asked))
        if "abortAfter" in call:
            threading.Timer(call["abortAfter"] / 1000, client.close).start()
        target = target_of(cellwire, client, call)
        made = target if call["method"] == "iterate" else made_by(target, call, progress)
        result = list(made) if call.get("collect") else taken(made, call["take"]) if "take" in call else made
        client.close()
    except Exception as error:
        return {"error": described(error), **({"progress": progress} if call.get("progress") else {})}
    return {"result": encoded(result), **({"progress": progress} if call.get("progress") else {})}


async def outcome_of_task(asked: Dict[str, Any]) -> Dict[str, Any]:
    call = asked["call"]
    progress: List[Any] = []
    try:
        async with cellwire.aio.Client(asked["url"], asked["token"], **settings_of(asked)) as client:
            target = target_of(cellwire.aio, client, call)
            made = target if call["method"] == "iterate" else made_by(target, call, progress)
            result: Any
            if hasattr(made, "__aiter__") and ("take" in call or call.get("collect")):
                result = []
                async for item in made:
                    result.append(item)
                    if len(result) == call.get("take"):
                        break
            else:
                result = await made if asyncio.iscoroutine(made) else made
    except Exception as error:
        return {"error": described(error), **({"progress": progress} if call.get("progress") else {})}
    return {"result": encoded(result), **({"progress": progress} if call.get("progress") else {})}


def made_by(target: Any, call: Dict[str, Any], progress: List[Any]) -> Any:
    options = {snake_case(name): decoded(value) for name, value in call.get("options", {}).items()}
    if "timeout" in options:
        options["timeout"] /= 1000
    if call.get("progress"):
        options["on_progress"] = lambda step: progress.append(
            {"records": step.records, "batches": step.batches, "revisionId": step.revision_id}
        )
    args = [decoded(value) for value in call.get("args", [])]
    return getattr(target, snake_case(call["method"]))(*args, **options)


def target_of(module: Any, client: Any, call: Dict[str, Any]) -> Any:
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
        return book.table(call["table"]["range"], **{snake_case(name): value for name, value in options.items()})
    return getattr(book, on)


def settings_of(asked: Dict[str, Any]) -> Dict[str, Any]:
    settings = dict(asked.get("settings") or {})
    if "timeout" in settings:
        settings["timeout"] /= 1000
    return settings


def taken(made: Any, count: int) -> List[Any]:
    items = list(itertools.islice(made, count))
    made.close()
    return items


def snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "$date" in value:
        text = value["$date"]
        return datetime.datetime.fromisoformat(text) if len(text) > 10 else datetime.date.fromisoformat(text)
    if "$repeat" in value:
        return repeated(*value["$repeat"])
    if "$count" in value:
        return ({"Number": f"R-{i}", "Sum": i} for i in range(1, value["$count"] + 1))
    return {name: decoded(one) for name, one in value.items()}


def repeated(record: Any, count: int) -> Iterator[Any]:
    for _ in range(count):
        yield record


def encoded(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.decode()}
    if isinstance(value, datetime.datetime):
        text = value.isoformat()
        return {"date": text[:-9] if text.endswith("T00:00:00") else text}
    if isinstance(value, datetime.date):
        return {"date": value.isoformat()}
    if isinstance(value, (list, tuple)):
        return [encoded(one) for one in value]
    if isinstance(value, dict):
        return {name: encoded(one) for name, one in value.items()}
    return value


def described(error: Exception) -> Dict[str, Any]:
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
    found = {shown: getattr(error, name, None) for name, shown in names.items()}
    members = {name: value for name, value in found.items() if value is not None}
    return {"class": type(error).__name__, "message": str(error), **members}


if __name__ == "__main__":
    main()
