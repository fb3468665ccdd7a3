"""Persistent connections to the service, and their pool."""

from __future__ import annotations

import errno
import http.client
import io
import os
import select
import selectors
import socket
import ssl
import threading
import time
from typing import Any, List, Optional, Tuple, cast

from ._address import ServiceAddress
from ._errors import ConnectionError
from ._scope import CallScope, current_call

_MAX_IDLE_CONNECTIONS = 16
# Codes of a socket whose connection is not established yet.
_CONNECTING = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EAGAIN})
# Seconds between two checks whether the client was closed while it connects.
_CONNECT_POLL_INTERVAL = 0.1


class ConnectionPool:
    """The connections of one client. Threads may share it."""

    def __init__(self, address: ServiceAddress) -> None:
        self._address = address
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._calls = CallScope()
        self._tls = ssl.create_default_context() if address.is_secure else None

    def close(self) -> None:
        """Ends all calls and their waits, and closes the connections."""
        self._calls.end()
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def check_open(self) -> None:
        """Raises an error if the client is closed or the current call was ended."""
        scope = current_call.get()
        if self._calls.is_ended or (scope is not None and scope.is_ended):
            raise ConnectionError("The client is closed")

    def wait(self, seconds: float) -> None:
        """Waits until the time has passed or the call was ended."""
        scope = current_call.get()
        if scope is not None:
            self._calls.contain(scope)
        (scope or self._calls).wait(seconds)
        self.check_open()

    def connect(self, deadline: float) -> Tuple[http.client.HTTPConnection, socket.socket]:
        """Returns an idle connection or opens one. The caller must pass it to `release` afterwards."""
        self.check_open()
        connection = self._take_idle() or self._open_connection(deadline)
        sock = connection.sock
        assert sock is not None
        try:
            sock.settimeout(remaining(deadline))
            self._register_socket(sock)
        except OSError:
            connection.close()
            raise
        return connection, sock

    def release(self, connection: http.client.HTTPConnection, sock: socket.socket, is_whole: bool) -> None:
        """Keeps a connection for reuse if its response was read completely and there are not enough idle connections.
        Otherwise closes it.
        """
        self._calls.discard(sock)
        scope = current_call.get()
        if scope is not None:
            scope.discard(sock)
        with self._lock:
            is_kept = is_whole and connection.sock is sock and len(self._idle) < _MAX_IDLE_CONNECTIONS
            if is_kept and not self._calls.is_ended:
                self._idle.append(connection)
                return
        connection.close()
        # A partly read response would keep the socket open.
        sock.close()

    def _take_idle(self) -> Optional[http.client.HTTPConnection]:
        """Removes and returns an idle connection that can still be used; None if there is none."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None or _is_usable(connection):
                return connection
            connection.close()

    def _open_connection(self, deadline: float) -> http.client.HTTPConnection:
        """Opens a connection to the service before the deadline."""
        host, port, timeout = self._address.host, self._address.port, remaining(deadline)
        if self._tls is None:
            connection = http.client.HTTPConnection(host, port, timeout=timeout)
        else:
            connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        # The standard function would wait for the connection even after the client was closed. The type stubs do not name
        # this attribute of the standard library.
        cast(Any, connection)._create_connection = self._create_socket
        connection.connect()
        assert connection.sock is not None
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _create_socket(self, address: Tuple[str, int], timeout: float, _: object) -> socket.socket:
        """Connects to the first address that accepts. Ends when the client is closed or the call was ended."""
        deadline = time.monotonic() + timeout
        failure = OSError("the name of the service has no address")
        targets = socket.getaddrinfo(*address, 0, socket.SOCK_STREAM)
        for i, (family, kind, protocol, _name, target) in enumerate(targets):
            sock = socket.socket(family, kind, protocol)
            try:
                # An address that does not answer leaves time for the next one.
                self._connect_socket(sock, target, time.monotonic() + remaining(deadline) / (len(targets) - i))
            except OSError as error:
                sock.close()
                failure = error
            else:
                return sock
        raise failure

    def _connect_socket(self, sock: socket.socket, target: Any, deadline: float) -> None:
        """Connects a socket before the deadline. Raises an error if the client is closed or the call is ended meanwhile."""
        sock.setblocking(False)
        code = sock.connect_ex(target)
        with selectors.DefaultSelector() as selector:
            selector.register(sock, selectors.EVENT_WRITE)
            while code in _CONNECTING:
                self.check_open()
                if selector.select(min(remaining(deadline), _CONNECT_POLL_INTERVAL)):
                    code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code != 0:
            raise OSError(code, os.strerror(code))
        sock.settimeout(remaining(deadline))

    def _register_socket(self, sock: socket.socket) -> None:
        """Makes the end of the client or of the current call close the socket."""
        self._calls.add(sock)
        scope = current_call.get()
        if scope is not None:
            scope.add(sock)


class SocketFile(io.RawIOBase):
    """Reads from a socket. `deadline`: the time at which all reads must have ended; None before it is set."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._raw = cast(io.RawIOBase, sock.makefile("rb", buffering=0))
        self.deadline: Optional[float] = None
        # Bytes that `receive_arrived` received and that are not read yet.
        self.arrived = bytearray()

    def receive_arrived(self) -> bool:
        """Receives the bytes that have arrived, without waiting. Returns False if the connection has ended."""
        timeout = self._socket.gettimeout()
        self._socket.settimeout(0)
        try:
            while True:
                part = self._socket.recv(io.DEFAULT_BUFFER_SIZE)
                if not part:
                    return False
                self.arrived += part
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return True
        finally:
            self._socket.settimeout(timeout)

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        if self.arrived:
            count = min(len(buffer), len(self.arrived))
            buffer[:count] = self.arrived[:count]
            del self.arrived[:count]
            return count
        if self.deadline is not None:
            self._socket.settimeout(remaining(self.deadline))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def remaining(deadline: float) -> float:
    """Returns the seconds until a deadline. Raises `socket.timeout` after it."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout()
    return left


def _is_usable(connection: http.client.HTTPConnection) -> bool:
    """True if the service has not closed an idle connection. A closed connection is readable."""
    sock = connection.sock
    if sock is None:
        return False
    try:
        readable, _, _ = select.select([sock], [], [], 0)
    except (OSError, ValueError):
        return False
    return not readable
