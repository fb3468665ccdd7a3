"""The changes of a document."""

from __future__ import annotations

import re
import sys
import time
from typing import Any, Dict, Generator, Iterator, Mapping, NamedTuple, Optional, Union

from ._errors import CellwireError, ConnectionError
from ._failure import Failure, connection_failure, failure_from_error, parse_line
from ._scope import CallScope, current_call
from ._streams import read_events
from ._transport import CallSettings, Request, Transport

_UNLIMITED_ATTEMPTS = sys.maxsize

# An entry of `/changes` with its `place`, or `{"gap": True, "revision", "place"}`.
Item = Dict[str, Any]


class Position(NamedTuple):
    """The last delivered revision, and the id of the history (`incarnation`) to which it belongs."""

    revision: int
    incarnation: Optional[str]


def parse_position(since: Union[int, str]) -> Position:
    """Parses `since`, which is a revision or the `place` of a change."""
    match = re.fullmatch(r"([0-9]{1,15})(?:\.(.+))?", str(since))
    if match is None:
        raise CellwireError("since must be a revision or a place of a change")
    return Position(int(match[1]), match[2])


def _with_place(item: Item) -> Item:
    """Returns a change with its `place`, from which reading can continue."""
    place = str(item["revision"])
    incarnation = item.get("incarnation")
    return {**item, "place": place if incarnation is None else f"{place}.{incarnation}"}


def _create_gap(position: Position) -> Item:
    """Returns the item that stands for changes that the service no longer has."""
    item = _with_place({"gap": True, "revision": position.revision, "incarnation": position.incarnation})
    del item["incarnation"]
    return item


class ChangeReader:
    """Reads and follows the changes of one document."""

    def __init__(
        self, transport: Transport, path: str, query: Mapping[str, Any], settings: CallSettings
    ) -> None:
        self._transport = transport
        self._path = path
        self._query = query
        self._settings = settings
        self.position = Position(0, None)

    def now(self) -> Position:
        """Returns the position of the newest revision. As in `follow`, the number of attempts is unlimited."""
        settings = self._settings
        unlimited = CallSettings(_UNLIMITED_ATTEMPTS, settings.timeout, settings.idempotency_key, settings.headers)
        answer = self._transport.request_json(Request("GET", self._path), unlimited)
        return Position(int(answer["document"]["revisionId"]), None)

    def changes(self) -> Iterator[Item]:
        """Yields the changes from `position` to the newest."""
        while True:
            request = Request("GET", f"{self._path}/changes", query=self._since_query())
            changes = self._transport.request_json(request, self._settings)["changes"]
            after = Position(changes["next"], changes["incarnation"])
            if changes["gap"]:
                self.position = after
                yield _create_gap(after)
            for entry in changes["entries"]:
                self.position = Position(entry["revision"], entry["incarnation"])
                yield _with_place(entry)
            self.position = after
            if not changes["hasMore"]:
                return

    def follow(self) -> Generator[Item, None, None]:
        """Yields the changes after `position` when they happen. Continues after broken connections and restarts."""
        attempt_number = 1
        while True:
            # Each iteration uses one connection: it first receives the missed changes, then the new ones.
            try:
                yield from self.changes()
                settings = self._settings
                request = Request("GET", f"{self._path}/events", query=self._since_query(), accept="text/event-stream")
                with self._transport.exchange(request, settings, time.monotonic() + settings.timeout) as exchange:
                    exchange.refuse_page()
                    for event in read_events(exchange.parts()):
                        attempt_number = 1
                        item = self._parse_event(event.name, event.data)
                        if item is not None:
                            yield item
                failure = connection_failure()
            except Failure as caught:
                failure = caught
            except CellwireError as error:
                failure = failure_from_error(error)
            # Attempts to reconnect are unlimited; their waits grow up to a maximum.
            self._transport.check_open()
            self._transport.pause(failure, attempt_number, _UNLIMITED_ATTEMPTS)
            attempt_number += 1

    def _since_query(self) -> Dict[str, Any]:
        """The members of a query that name the position."""
        return {**self._query, "since": self.position.revision, "incarnation": self.position.incarnation}

    def _parse_event(self, name: str, data: str) -> Optional[Item]:
        """Parses an event. Returns None for an event that was already delivered, and for one that this client does not
        know.
        """
        if name not in ("reset", "document.updated"):
            return None
        event = parse_line(data)
        position = Position(event["revision"], event.get("incarnation"))
        if name == "reset":
            self.position = position
            return _create_gap(position)
        if position.revision <= self.position.revision:
            return None
        self.position = position
        return _with_place(event)


class Following(Iterator[Item]):
    """The changes that `follow` yields."""

    def __init__(self, items: Generator[Item, None, None]) -> None:
        self._items = items
        self._scope = CallScope()
        self._is_closed = False

    def __next__(self) -> Item:
        if self._is_closed:
            raise StopIteration
        # A task of `cellwire.aio` ends the iteration by the scope of the task.
        previous = current_call.set(current_call.get() or self._scope)
        try:
            return next(self._items)
        except ConnectionError:
            if not self._is_closed:
                raise
        finally:
            current_call.reset(previous)
        raise StopIteration

    def close(self) -> None:
        """Ends the iteration, even while another thread waits for the next change."""
        self._is_closed = True
        self._scope.end()
        try:
            self._items.close()
        except ValueError:
            # The generator is running in another thread. It ends because its connection was closed.
            pass
