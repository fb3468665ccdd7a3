"""Rows below a header as records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, cast

from . import _frames
from ._dates import parse_iso_text
from ._errors import CellwireError
from ._streams import LinesRequest, Progress, LineSender, RecordUpload, read_lines
from ._transport import Request, Transport, write_request

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types as t

# Maximum length of a list that is sent as JSON. Longer lists and other iterables are sent as NDJSON.
_MAX_JSON_RECORDS = 10_000
_DEFAULT_BATCH = 10_000
_RECORDS_PER_PAGE = 1_000

Fields = Dict[str, Any]
Records = Iterable[Mapping[str, Any]]
OnProgress = Callable[[Progress], None]


class Table:
    """The rows below a header as records. Iteration yields the fields of all records."""

    def __init__(
        self,
        transport: Transport,
        document_path: str,
        range: str,
        key: Union[str, Sequence[str], None],
        dates: bool,
        types: Optional[Mapping[str, str]],
        columns: Optional[Mapping[str, str]],
        case_sensitive: Optional[bool],
    ) -> None:
        self._transport = transport
        self._path = f"{document_path}/records"
        self._range = range
        self._key: List[str] = [key] if isinstance(key, str) else list(key or [])
        self._dates = dates
        # Options of every call, and options of calls that compare texts (`_compared`).
        self._shared = {"types": types, "columns": columns}
        self._compared = {**self._shared, "case_sensitive": case_sensitive}

    def __iter__(self) -> Iterator[Fields]:
        return self._iterate_records({})

    def find(self, **options: Unpack[t.QueryRecordsOptions]) -> List[Fields]:
        """Returns the fields of all records that match a filter."""
        return list(self._iterate_records(options))

    def query(self, body: Optional[Mapping[str, Any]] = None, **options: Unpack[t.QueryRecordsOptions]) -> t.QueryRecordsAnswer:
        """Returns one page in the form of the API. `body` uses the API's names."""
        settings, api = self._transport.settings({**self._compared, **options})
        content = {"range": self._range, **api, **(body or {})}
        request = Request("POST", f"{self._path}/query", body=content, has_body=True)
        return cast("t.QueryRecordsAnswer", self._transport.request_json(request, settings))

    def aggregate(
        self,
        *,
        group_by: Optional[Sequence[str]] = None,
        measures: Optional[Mapping[str, Mapping[str, str]]] = None,
        **options: Unpack[t.QueryRecordsOptions],
    ) -> List[Fields]:
        """Returns one record with the aggregates for each group."""
        asked = {"groupBy": group_by, "measures": measures}
        given = {name: value for name, value in asked.items() if value is not None}
        return list(self._stream_records({**options, "aggregate": given}))

    def append(
        self,
        records: Records,
        *,
        batch: Optional[int] = None,
        on_progress: Optional[OnProgress] = None,
        **options: Unpack[t.AppendRecordsOptions],
    ) -> t.AppendRecordsAnswer:
        """Appends records.

        A list of at most 10,000 is one commit. Any other iterable is a stream of commits of `batch` records each.
        """
        answer = self._write("append", records, batch, on_progress, {**self._shared, **options})
        return cast("t.AppendRecordsAnswer", answer)

    def upsert(
        self,
        records: Records,
        *,
        key: Union[str, Sequence[str], None] = None,
        batch: Optional[int] = None,
        on_progress: Optional[OnProgress] = None,
        **options: Unpack[t.UpsertRecordsOptions],
    ) -> t.UpsertRecordsAnswer:
        """Updates records with existing keys, and appends the others as `append` does."""
        keys = self._key if key is None else [key] if isinstance(key, str) else list(key)
        if not keys:
            raise CellwireError('upsert needs a key: table(range, key="Number")')
        answer = self._write("upsert", records, batch, on_progress, {**self._compared, **options, "key": keys})
        return cast("t.UpsertRecordsAnswer", answer)

    def update(self, *, set: Mapping[str, Any], **options: Unpack[t.UpdateRecordsOptions]) -> t.UpdateRecordsAnswer:
        """Sets fields of the records that match a filter; `all=True` instead of a filter selects all records."""
        return cast("t.UpdateRecordsAnswer", self._send_change("update", options, {"set": set}))

    def delete(self, **options: Unpack[t.DeleteRecordsOptions]) -> t.DeleteRecordsAnswer:
        """Deletes the records that match a filter; `all=True` instead of a filter selects all records."""
        return cast("t.DeleteRecordsAnswer", self._send_change("delete", options, {}))

    def to_pandas(self, **options: Unpack[t.QueryRecordsOptions]) -> Any:
        """Returns the records as a DataFrame of pandas, which must be installed."""
        return _frames.to_pandas(*self._columns_and_records(options))

    def to_polars(self, **options: Unpack[t.QueryRecordsOptions]) -> Any:
        """Returns the records as a DataFrame of Polars, which must be installed."""
        return _frames.to_polars(*self._columns_and_records(options))

    def upsert_frame(
        self,
        df: Any,
        *,
        key: Union[str, Sequence[str], None] = None,
        batch: Optional[int] = None,
        on_progress: Optional[OnProgress] = None,
        **options: Unpack[t.UpsertRecordsOptions],
    ) -> t.UpsertRecordsAnswer:
        """Upserts the rows of a DataFrame of pandas or Polars, without its index.

        Columns of dates, times or durations get these types, unless `types` specifies others.
        """
        records: Iterable[Mapping[str, Any]] = _frames.frame_records(df)
        if len(df) <= _MAX_JSON_RECORDS and batch is None:
            records = list(records)
        named = options.get("types") or self._shared["types"] or {}
        typed = cast("t.UpsertRecordsOptions", {**options, "types": {**_frames.moment_types(df), **named}})
        return self.upsert(records, key=key, batch=batch, on_progress=on_progress, **typed)

    def _send_change(self, name: str, options: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
        """Sends an update or deletion of records that a filter selects."""
        settings, api = self._transport.settings({**self._compared, **options})
        members = {**api, "range": self._range, **given}
        return self._transport.request_json(write_request("POST", f"{self._path}/{name}", members), settings)

    def _iterate_records(self, options: Mapping[str, Any]) -> Iterator[Fields]:
        """Yields the fields of records, as a stream or page by page."""
        return self._iterate_pages(options) if self._dates else self._stream_records(options)

    def _stream_records(self, options: Mapping[str, Any]) -> Iterator[Fields]:
        """Yields the fields of records from a stream that resumes after a broken connection."""
        settings, query = self._transport.settings({**self._compared, **options})
        limit = query.pop("limit", None)
        first = query.pop("offset", 0)
        start_revision = query.pop("revision", None)
        if limit is not None and limit < 1:
            return

        def request_from(offset: int, revision: Optional[str]) -> Request:
            body = {"range": self._range, **query}
            if limit is not None:
                body["limit"] = limit - offset
            if first + offset > 0:
                body["offset"] = first + offset
            if start_revision is not None:
                body["revision"] = start_revision
            elif revision is not None and offset > 0:
                body["revision"] = int(revision)
            return Request("POST", f"{self._path}/query", body=body, has_body=True)

        def page_items(page: Any) -> Tuple[List[Any], bool]:
            return page["records"], page.get("pagination", {}).get("hasMore", False)

        for record in read_lines(self._transport, settings, LinesRequest(request_from, page_items, limit)):
            yield record["fields"]

    def _iterate_pages(self, options: Mapping[str, Any]) -> Iterator[Fields]:
        """Reads page by page, because only pages contain the types of columns."""
        rest = dict(options)
        left = cast("Optional[int]", rest.pop("limit", None))
        cursor: Optional[str] = None
        while left is None or left > 0:
            size = _RECORDS_PER_PAGE if left is None else min(left, _RECORDS_PER_PAGE)
            # The checker cannot see which options these are: the public methods name them.
            page: Any = self.query({"limit": size, **({} if cursor is None else {"cursor": cursor})}, **cast(Any, rest))
            dates = {column["name"] for column in page["columns"] if column["type"] == "date"}
            for record in page["records"]:
                fields = record["fields"]
                yield {name: parse_iso_text(value) if name in dates else value for name, value in fields.items()}
            left = None if left is None else left - len(page["records"])
            cursor = page["pagination"].get("nextCursor")
            rest.pop("offset", None)
            if cursor is None:
                return

    def _columns_and_records(self, options: Mapping[str, Any]) -> Tuple[List[Tuple[str, str]], Iterator[Fields]]:
        """Returns the columns with their types, and the records at the same revision."""
        # The checker cannot see which options these are: the public methods name them.
        page: Any = self.query({"limit": 1}, **cast(Any, options))
        columns = [(column["name"], column["type"]) for column in page["columns"]]
        return columns, self._stream_records({**options, "revision": int(page["revisionId"])})

    def _write(
        self,
        name: str,
        records: Records,
        batch: Optional[int],
        on_progress: Optional[OnProgress],
        options: Mapping[str, Any],
    ) -> Any:
        """Appends or upserts records: a short list in one request, other records as a stream."""
        settings, api = self._transport.settings(options)
        member = f"{name}ed"
        if isinstance(records, (list, tuple)) and len(records) <= _MAX_JSON_RECORDS:
            members = {**api, "range": self._range, "records": records}
            answer = self._transport.request_json(write_request("POST", f"{self._path}/{name}", members), settings)
            # The answer to a proposal has no counts.
            if on_progress is not None and member in answer:
                on_progress(Progress(len(records), 1, str(answer[member].get("revisionId"))))
            return answer
        stream = RecordUpload(
            f"{self._path}/{name}", {**api, "range": self._range}, records, batch or _DEFAULT_BATCH, on_progress
        )
        sender = LineSender(self._transport, settings, stream)
        sender.run()
        result: Dict[str, Any] = {member: sender.counts}
        if sender.warnings:
            result["warnings"] = sender.warnings
        if sender.is_truncated:
            result["warningsTruncated"] = True
        return result
