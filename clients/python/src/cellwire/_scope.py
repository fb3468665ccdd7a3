"""Scopes of calls. A scope can be ended by another thread, by the cancellation of a task, or by the end of an
iteration.
"""

from __future__ import annotations

import contextvars
import socket
import threading
import weakref
from typing import Optional, Set


class CallScope:
    """Calls that another thread can end."""

    def __init__(self) -> None:
        self._finish = threading.Event()
        self._sockets: Set[socket.socket] = set()
        self._inner: weakref.WeakSet[CallScope] = weakref.WeakSet()
        self._lock = threading.Lock()

    @property
    def is_ended(self) -> bool:
        """True after `end` was called."""
        return self._finish.is_set()

    def end(self) -> None:
        """Closes the connections of the calls and ends their waits."""
        with self._lock:
            self._finish.set()
            sockets = list(self._sockets)
            inner = list(self._inner)
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for scope in inner:
            scope.end()

    def contain(self, inner: CallScope) -> None:
        """Ends an inner scope when this scope ends."""
        with self._lock:
            self._inner.add(inner)
        if self.is_ended:
            inner.end()

    def add(self, one: socket.socket) -> None:
        """Adds a socket, which `end` closes. Raises `OSError` after `end` was called."""
        with self._lock:
            self._sockets.add(one)
        if self.is_ended:
            raise OSError("the client is closed")

    def discard(self, one: socket.socket) -> None:
        """Removes a socket, which `end` then does not close."""
        with self._lock:
            self._sockets.discard(one)

    def wait(self, seconds: float) -> None:
        """Waits until the time has passed or the scope was ended."""
        self._finish.wait(seconds)


# The scope of the current call: a cancelled task of `cellwire.aio`, or `close()` of an iteration, ends it.
current_call: contextvars.ContextVar[Optional[CallScope]] = contextvars.ContextVar("cellwire_call", default=None)
