"""Runs the methods of the client in threads for the tasks of an event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
from typing import Any, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, List, Mapping, Optional, Tuple, TypeVar, Union

from ._transport import CallScope, current_call

T = TypeVar("T")

AsyncRecords = Union[Iterable[Mapping[str, Any]], AsyncIterable[Mapping[str, Any]]]

_MAX_THREADS = 128
# Items that one step of an iteration takes from its thread, and records that one step takes from the event loop.
_ITEMS_A_STEP = 500
# How often a thread that waits for the event loop looks whether its call is cancelled, in seconds.
_LOOK_INTERVAL = 0.25


class Tasks:
    """The threads of one client. A task that is cancelled ends its call."""

    def __init__(self) -> None:
        self._threads = concurrent.futures.ThreadPoolExecutor(_MAX_THREADS, "cellwire")

    def close(self) -> None:
        self._threads.shutdown(wait=False)

    async def run(self, work: Callable[[], T]) -> T:
        """Runs a call in a thread. A cancelled task gets `CancelledError` at once; the call sends nothing more."""
        return await self._in_scope(CallScope(), work)

    async def _in_scope(self, scope: CallScope, work: Callable[[], T]) -> T:
        context = contextvars.copy_context()
        context.run(current_call.set, scope)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, context.run, work)
        except asyncio.CancelledError:
            scope.end()
            raise

    def iterate(self, begin: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
        """Yields the items of an iterator that runs in threads."""
        return self._iterate(begin, CallScope(), _ITEMS_A_STEP)

    def follow(self, begin: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
        """The same one item at a time, from the moment of this call on."""
        scope = CallScope()
        begun = asyncio.ensure_future(self._in_scope(scope, begin))
        return self._iterate(begun, scope, 1)

    async def _iterate(
        self, begin: Union[Callable[[], Iterator[T]], asyncio.Future[Iterator[T]]], scope: CallScope, size: int
    ) -> AsyncIterator[T]:
        iterator = await self._begun(begin, scope)
        try:
            while True:
                items, error, is_end = await self._in_scope(scope, lambda: _take(iterator, size))
                for item in items:
                    yield item
                if error is not None:
                    raise error
                if is_end:
                    return
        finally:
            scope.end()
            close: Any = getattr(iterator, "close", None)
            if callable(close):
                try:
                    close()
                except ValueError:
                    # A thread still runs the iterator; it ends because its connection is broken.
                    pass

    async def _begun(
        self, begin: Union[Callable[[], Iterator[T]], asyncio.Future[Iterator[T]]], scope: CallScope
    ) -> Iterator[T]:
        return await self._in_scope(scope, begin) if callable(begin) else await begin


def _take(iterator: Iterator[T], size: int) -> Tuple[List[T], Optional[Exception], bool]:
    items: List[T] = []
    try:
        while len(items) < size:
            items.append(next(iterator))
    except StopIteration:
        return items, None, True
    except Exception as error:
        return items, error, False
    return items, None, False


def bridged(records: AsyncRecords, batch: Optional[int]) -> Any:
    """Returns records that a thread can iterate over. Call it in the event loop."""
    if not isinstance(records, AsyncIterable):
        return records
    return _from_loop(records.__aiter__(), asyncio.get_running_loop(), min(batch or _ITEMS_A_STEP, _ITEMS_A_STEP))


def _from_loop(
    records: AsyncIterator[Mapping[str, Any]], loop: asyncio.AbstractEventLoop, size: int
) -> Iterator[Mapping[str, Any]]:
    async def gather() -> Tuple[List[Mapping[str, Any]], bool]:
        items: List[Mapping[str, Any]] = []
        async for record in records:
            items.append(record)
            if len(items) >= size:
                return items, False
        return items, True

    while True:
        future = asyncio.run_coroutine_threadsafe(gather(), loop)
        items, is_end = _result(future)
        yield from items
        if is_end:
            return


def _result(future: concurrent.futures.Future[T]) -> T:
    scope = current_call.get()
    while True:
        try:
            return future.result(_LOOK_INTERVAL)
        except concurrent.futures.TimeoutError:
            if future.done():
                raise
            if scope is not None and scope.is_ended:
                future.cancel()
                raise
