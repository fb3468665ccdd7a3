"""Runs the methods of the client in threads, for tasks of an event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
from typing import Any, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, List, Mapping, Optional, Tuple, TypeVar, Union

from ._scope import CallScope, current_call

T = TypeVar("T")

AsyncRecords = Union[Iterable[Mapping[str, Any]], AsyncIterable[Mapping[str, Any]]]

_MAX_THREADS = 128
# Maximum number of items that move between a thread and the event loop in one step.
_ITEMS_PER_STEP = 500
# Seconds between two checks of a waiting thread whether its call is cancelled.
_POLL_INTERVAL = 0.25


class Tasks:
    """The threads of one client. Cancelling a task ends its call."""

    def __init__(self) -> None:
        self._threads = concurrent.futures.ThreadPoolExecutor(_MAX_THREADS, "cellwire")

    def close(self) -> None:
        """Ends the threads when their calls have ended."""
        self._threads.shutdown(wait=False)

    async def run(self, work: Callable[[], T]) -> T:
        """Runs a call in a thread. A cancelled task gets `CancelledError` immediately, and the call sends nothing more."""
        return await self._run_in_scope(CallScope(), work)

    async def _run_in_scope(self, scope: CallScope, work: Callable[[], T]) -> T:
        """Runs a call in a thread. If the task is cancelled, ends all calls of the scope."""
        context = contextvars.copy_context()
        context.run(current_call.set, scope)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, context.run, work)
        except asyncio.CancelledError:
            scope.end()
            raise

    def iterate(self, begin: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
        """Yields the items of an iterator that runs in threads."""
        return self._iterate(begin, CallScope(), _ITEMS_PER_STEP)

    def follow(self, begin: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
        """Yields items one by one. The iterator starts immediately, not at the first item."""
        scope = CallScope()
        iterator = asyncio.ensure_future(self._run_in_scope(scope, begin))
        return self._iterate(iterator, scope, 1)

    async def _iterate(
        self, begin: Union[Callable[[], Iterator[T]], asyncio.Future[Iterator[T]]], scope: CallScope, size: int
    ) -> AsyncIterator[T]:
        """Yields the items of an iterator. Each step reads up to `size` items in a thread."""
        iterator = await self._start_iterator(begin, scope)
        try:
            while True:
                items, error, is_end = await self._run_in_scope(scope, lambda: _take_items(iterator, size))
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
                    # A thread still runs the iterator, which ends because its connection was closed.
                    pass

    async def _start_iterator(
        self, begin: Union[Callable[[], Iterator[T]], asyncio.Future[Iterator[T]]], scope: CallScope
    ) -> Iterator[T]:
        """Calls a function that returns an iterator in a thread, or waits for an iterator that is being started."""
        return await self._run_in_scope(scope, begin) if callable(begin) else await begin


def _take_items(iterator: Iterator[T], size: int) -> Tuple[List[T], Optional[Exception], bool]:
    """Returns up to `size` items, the error that ended the iterator, and whether it is at its end."""
    items: List[T] = []
    try:
        while len(items) < size:
            items.append(next(iterator))
    except StopIteration:
        return items, None, True
    except Exception as error:
        return items, error, False
    return items, None, False


def bridge_records(records: AsyncRecords, batch: Optional[int]) -> Any:
    """Returns records that a thread can iterate over. Must be called in the event loop."""
    if not isinstance(records, AsyncIterable):
        return records
    return _iterate_from_loop(records.__aiter__(), asyncio.get_running_loop(), batch or _ITEMS_PER_STEP)


def _iterate_from_loop(
    records: AsyncIterator[Mapping[str, Any]], loop: asyncio.AbstractEventLoop, batch: int
) -> Iterator[Mapping[str, Any]]:
    """Yields records of an asynchronous iterator to a thread. Each step reads a batch, or `_ITEMS_PER_STEP` of it."""
    async def gather(size: int) -> Tuple[List[Mapping[str, Any]], bool]:
        items: List[Mapping[str, Any]] = []
        async for record in records:
            items.append(record)
            if len(items) >= size:
                return items, False
        return items, True

    # A step does not read beyond its batch, whose records the client may not need yet.
    left = batch
    while True:
        future = asyncio.run_coroutine_threadsafe(gather(min(left, _ITEMS_PER_STEP)), loop)
        items, is_end = _wait_for_result(future)
        left = left - len(items) or batch
        yield from items
        if is_end:
            return


def _wait_for_result(future: concurrent.futures.Future[T]) -> T:
    scope = current_call.get()
    while True:
        try:
            return future.result(_POLL_INTERVAL)
        except concurrent.futures.TimeoutError:
            if future.done():
                raise
            if scope is not None and scope.is_ended:
                future.cancel()
                raise
