"""The changes of a document."""

from __future__ import annotations

import json
import re
import time
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Optional, Union

from ._errors import CellwireError
from ._failure import Failure, connection_failure, failure_from
from ._streams import events_of
from ._transport import CallSettings, Request, Transport

# Attempts after which the waits do not grow any more.
_MAX_WAIT_ATTEMPTS = 4

# An entry of `/changes` with its `place`; or `{"gap": True, "revision", "place"}`.
Item = Dict[str, Any]


class Position(NamedTuple):
    """The revision up to which everything was delivered, and the history that it belongs to."""

    revision: int
    incarnation: Optional[str]


def position_from(since: Union[int, str]) -> Position:
    """Returns the position that `since` says: a place, or a revision."""
    found = re.fullmatch(r"([0-9]{1,15})(?:\.(.+))?", str(since))
    if found is None:
        raise CellwireError("since must be a revision or a place of a change")
    return Position(int(found[1]), found[2])


def _placed(item: Item) -> Item:
    place = str(item["revision"])
    incarnation = item.get("incarnation")
    return {**item, "place": place if incarnation is None else f"{place}.{incarnation}"}


def _gap_at(position: Position) -> Item:
    item = _placed({"gap": True, "revision": position.revision, "incarnation": position.incarnation})
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
        """Returns the newest position."""
        answer = self._transport.json(Request("GET", self._path), self._settings)
        return Position(int(answer["document"]["revisionId"]), None)

    def changes(self) -> Iterator[Item]:
        """Yields the changes after `position` up to the newest."""
        while True:
            request = Request("GET", f"{self._path}/changes", query=self._since())
            changes = self._transport.json(request, self._settings)["changes"]
            after = Position(changes["next"], changes["incarnation"])
            if changes["gap"]:
                self.position = after
                yield _gap_at(after)
            for entry in changes["entries"]:
                self.position = Position(entry["revision"], entry["incarnation"])
                yield _placed(entry)
            self.position = after
            if not changes["hasMore"]:
                return

    def follow(self) -> Iterator[Item]:
        """Yields the changes after `position` as they happen, over broken connections and restarts of the service."""
        made = 1
        while True:
            # Each loop is one connection: first the missed changes, then the new ones.
            try:
                yield from self.changes()
                settings = self._settings
                request = Request("GET", f"{self._path}/events", query=self._since(), accept="text/event-stream")
                with self._transport.exchange(request, settings, time.monotonic() + settings.timeout) as exchange:
                    for event in events_of(exchange.parts()):
                        made = 1
                        item = self._item_of(event.name, event.data)
                        if item is not None:
                            yield item
                failure = connection_failure()
            except Failure as caught:
                failure = caught
            except CellwireError as error:
                failure = failure_from(error)
            # Reconnecting has no last attempt: only the waits grow, up to the longest.
            self._transport.check_open()
            self._transport.pause(failure, min(made, _MAX_WAIT_ATTEMPTS), _MAX_WAIT_ATTEMPTS + 1)
            made += 1

    def _since(self) -> Dict[str, Any]:
        return {**self._query, "since": self.position.revision, "incarnation": self.position.incarnation}

    def _item_of(self, name: str, data: str) -> Optional[Item]:
        """None for an event that was delivered, or that this client does not know."""
        if name not in ("reset", "document.updated"):
            return None
        event = json.loads(data)
        position = Position(event["revision"], event.get("incarnation"))
        if name == "reset":
            self.position = position
            return _gap_at(position)
        if position.revision <= self.position.revision:
            return None
        self.position = position
        return _placed(event)
