"""The resources of the API."""

from __future__ import annotations

import os
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    TypedDict,
    Union,
    cast,
    overload,
)

from . import _frames
from ._address import path
from ._errors import CellwireError
from ._follow import ChangeReader, Following, Item, parse_position
from ._streams import LinesRequest, read_lines
from ._table import Table
from ._transport import Request, Secret, Transport, write_request

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types as t

_DEFAULT_URL = "http://127.0.0.1:8080"
_DEFAULT_ATTEMPTS = 3
_DEFAULT_TIMEOUT = 30.0
_DOCUMENTS_A_PAGE = 1_000
_ENTRIES_PER_PAGE = 200
_MEDIA_TYPES = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv",
}

Matrix = Sequence[Sequence[Any]]
WebhookEvent = Literal["document.updated", "proposal.opened", "proposal.decided"]


class Resource:
    """Sends the calls of one resource."""

    def __init__(self, transport: Transport, path: str) -> None:
        self._transport = transport
        self._path = path

    def _get(self, path: str, options: Mapping[str, Any], **query: Any) -> Any:
        """Sends a GET request with the call's options and a query."""
        return self._send_in_query("GET", path, options, **query)

    def _send_in_query(self, method: str, path: str, options: Mapping[str, Any], **query: Any) -> Any:
        """Sends a request with the options of the API in the query."""
        settings, api = self._transport.settings(options)
        arguments = {name: value for name, value in query.items() if value is not None}
        return self._transport.request_json(Request(method, self._path + path, query={**api, **arguments}), settings)

    def _send_in_body(self, method: str, path: str, options: Mapping[str, Any], **body: Any) -> Any:
        """Sends a request with the options of the API in the body."""
        settings, api = self._transport.settings(options)
        arguments = {name: value for name, value in body.items() if value is not None}
        request = Request(method, self._path + path, body={**api, **arguments}, has_body=True)
        return self._transport.request_json(request, settings)

    def _send_write(self, method: str, path: str, options: Mapping[str, Any], **body: Any) -> Any:
        """Sends a write that may become a proposal."""
        settings, api = self._transport.settings(options)
        arguments = {name: value for name, value in body.items() if value is not None}
        return self._transport.request_json(write_request(method, self._path + path, {**api, **arguments}), settings)

    def _iterate_entries(
        self, page: Callable[[Dict[str, int]], Any], options: Mapping[str, Any], id_name: str
    ) -> Iterator[Any]:
        """Yields the entries of all pages, or of one page with `offset` or `limit`."""
        if options.get("offset") is not None or options.get("limit") is not None:
            yield from page({})["entries"]
            return
        yielded: Set[Any] = set()
        offset = 0
        while True:
            answer = page({"offset": offset, "limit": _ENTRIES_PER_PAGE})
            for entry in answer["entries"]:
                # If an entry moves to a later page meanwhile, it is yielded only once.
                if entry[id_name] not in yielded:
                    yielded.add(entry[id_name])
                    yield entry
            offset += len(answer["entries"])
            if not answer["entries"] or offset >= answer["total"]:
                return


def _iterate_pages(page: Callable[[Optional[str]], Tuple[Any, Optional[str]]], limit: Optional[int]) -> Iterator[Any]:
    """Yields the entries of all pages, at most `limit`. If an entry moves to a later page meanwhile, it is yielded
    only once.
    """
    yielded: Set[str] = set()
    cursor: Optional[str] = None
    while True:
        entries, cursor = page(cursor)
        for entry in entries:
            if entry["id"] in yielded:
                continue
            if limit is not None and len(yielded) >= limit:
                return
            yielded.add(entry["id"])
            yield entry
        if cursor is None:
            return


class Sheets(Resource):
    """The sheets of a document."""

    def list(self, **options: Unpack[t.ListSheetsOptions]) -> List[t.Sheet]:
        """Lists the sheets."""
        return cast("List[t.Sheet]", self._get("", options)["sheets"])

    def create(self, name: Optional[str] = None, **options: Unpack[t.AddSheetOptions]) -> t.AddSheetAnswer:
        """Adds a sheet. Without `name` the service chooses one."""
        return cast("t.AddSheetAnswer", self._send_write("POST", "", options, name=name))

    def rename(self, sheet: str, name: str, **options: Unpack[t.RenameSheetOptions]) -> t.RenameSheetAnswer:
        """Gives a sheet another name."""
        return cast("t.RenameSheetAnswer", self._send_write("PATCH", path(sheet), options, name=name))

    def hide(self, sheet: str, hidden: bool, **options: Unpack[t.RenameSheetOptions]) -> t.RenameSheetAnswer:
        """Hides a sheet in the console, or shows it again."""
        return cast("t.RenameSheetAnswer", self._send_write("PATCH", path(sheet), options, hidden=hidden))

    def delete(self, sheet: str, **options: Unpack[t.DeleteSheetOptions]) -> t.DeleteSheetAnswer:
        """Deletes a sheet."""
        return cast("t.DeleteSheetAnswer", self._send_in_query("DELETE", path(sheet), options))

    def protection(self, sheet: str, **options: Unpack[t.GetProtectionOptions]) -> t.GetProtectionResponseProtection:
        """Returns who may see and edit a sheet."""
        answer = self._get(f"{path(sheet)}/protection", options)
        return cast("t.GetProtectionResponseProtection", answer["protection"])

    def protect(self, sheet: str, **options: Unpack[t.ProtectSheetOptions]) -> t.ProtectSheetAnswer:
        """Hides a sheet's values or locks it. Replaces its previous protection."""
        return cast("t.ProtectSheetAnswer", self._send_in_body("PUT", f"{path(sheet)}/protection", options))

    def unprotect(self, sheet: str, **options: Unpack[t.UnprotectSheetOptions]) -> t.UnprotectSheetAnswer:
        """Removes the protection of a sheet."""
        return cast("t.UnprotectSheetAnswer", self._send_in_query("DELETE", f"{path(sheet)}/protection", options))


class History(Resource):
    """The revisions of a document."""

    def list(self, **options: Unpack[t.ListRevisionsOptions]) -> List[t.Revision]:
        """Lists the stored revisions, the newest first, or one page with `offset` or `limit`."""

        def page(query: Dict[str, int]) -> Any:
            return self._get("", options, **query)["revisions"]

        return list(self._iterate_entries(page, options, "revision"))

    def name(
        self, revision: Union[int, str], name: str, **options: Unpack[t.NameRevisionOptions]
    ) -> t.NameRevisionAnswer:
        """Gives a revision a name. A named revision is never deleted because of its age."""
        return cast("t.NameRevisionAnswer", self._send_in_body("PUT", path(revision), options, name=name))

    def undo(self, revision: Union[int, str], **options: Unpack[t.UndoRevisionOptions]) -> t.UndoRevisionAnswer:
        """Undoes a revision with a new commit."""
        return cast("t.UndoRevisionAnswer", self._send_write("POST", f"{path(revision)}/undo", options))

    def restore(
        self, revision: Union[int, str], **options: Unpack[t.RestoreRevisionOptions]
    ) -> t.RestoreRevisionAnswer:
        """Restores the document to a revision with a new commit."""
        return cast("t.RestoreRevisionAnswer", self._send_write("POST", f"{path(revision)}/restore", options))


class HttpWebhookAnswer(TypedDict):
    """The answer to the creation of a subscription of the channel `http`."""

    webhook: t.Webhook
    secret: str


class Webhooks(Resource):
    """The subscriptions of a document."""

    def list(self, **options: Unpack[t.ListWebhooksOptions]) -> List[t.Webhook]:
        """Lists the subscriptions."""
        return cast("List[t.Webhook]", self._get("", options)["webhooks"])

    @overload
    def create(
        self,
        *,
        url: str,
        channel: Literal["http"] = ...,
        events: Sequence[WebhookEvent] = ...,
        range: str = ...,
        key: Sequence[str] = ...,
        **options: Unpack[t.CallOptions],
    ) -> HttpWebhookAnswer: ...

    @overload
    def create(
        self,
        *,
        channel: Literal["messenger"],
        bot_token: str,
        chat_id: str,
        events: Sequence[WebhookEvent] = ...,
        range: str = ...,
        key: Sequence[str] = ...,
        **options: Unpack[t.CallOptions],
    ) -> t.CreateWebhookAnswer: ...

    def create(self, **options: Any) -> Any:
        """Subscribes to the changes of the document.

        A subscription of the channel `http` has a signing secret. It is only in this response, and in the response
        to a repetition with the same `idempotency_key`. A subscription of the channel `messenger` has no secret.
        """
        return self._send_in_body("POST", "", options)

    def delete(self, webhook: int, **options: Unpack[t.DeleteWebhookOptions]) -> t.DeleteWebhookAnswer:
        """Ends a subscription."""
        return cast("t.DeleteWebhookAnswer", self._send_in_query("DELETE", path(webhook), options))

    def change(self, webhook: int, **options: Unpack[t.ChangeWebhookOptions]) -> t.ChangeWebhookAnswer:
        """Changes a subscription, or switches it off and on."""
        return cast("t.ChangeWebhookAnswer", self._send_in_body("PATCH", path(webhook), options))

    def rotate(self, webhook: int, **options: Unpack[t.RotateWebhookSecretOptions]) -> t.RotateWebhookSecretAnswer:
        """Replaces the signing secret. Until `overlapEndsAt`, deliveries also have a signature made with the old
        secret.
        """
        return cast("t.RotateWebhookSecretAnswer", self._send_in_body("POST", f"{path(webhook)}/secret", options))

    def test(self, webhook: int, **options: Unpack[t.TestWebhookOptions]) -> t.TestWebhookAnswer:
        """Sends a notification without cells."""
        return cast("t.TestWebhookAnswer", self._send_in_query("POST", f"{path(webhook)}/test", options))

    def deliveries(self, webhook: int, **options: Unpack[t.ListDeliveriesOptions]) -> Iterator[t.Delivery]:
        """Yields the deliveries of a subscription, the newest first, or one page with `offset` or `limit`."""

        def page(query: Dict[str, int]) -> Any:
            return self._get(f"{path(webhook)}/deliveries", options, **query)["deliveries"]

        return self._iterate_entries(page, options, "deliveryId")

    def redeliver(self, webhook: int, delivery: str, **options: Unpack[t.RedeliverOptions]) -> t.RedeliverAnswer:
        """Sends a delivery again with the same id."""
        address = f"{path(webhook)}/deliveries{path(delivery)}/redeliver"
        return cast("t.RedeliverAnswer", self._send_in_query("POST", address, options))


class Proposals(Resource):
    """The open and decided proposals of a document. A proposal is a write that needs consent."""

    def list(
        self, *, state: Optional[str] = None, limit: Optional[int] = None, **options: Unpack[t.ListProposalsOptions]
    ) -> Iterator[t.ListedProposal]:
        """Yields the proposals without their changes, the newest first."""

        def page(cursor: Optional[str]) -> Tuple[Any, Optional[str]]:
            answer = self._get("", options, state=state, limit=_ENTRIES_PER_PAGE, cursor=cursor)["proposals"]
            return answer["entries"], answer.get("nextCursor")

        return _iterate_pages(page, limit)

    def get(self, proposal: str, **options: Unpack[t.GetProposalOptions]) -> t.Proposal:
        """Returns a proposal with its changes."""
        return cast("t.Proposal", self._get(path(proposal), options)["proposal"])

    def apply(self, proposal: str, **options: Unpack[t.ApplyProposalOptions]) -> t.ApplyProposalAnswer:
        """Applies a proposal: writes exactly the previewed values. If they would be different now, writes nothing."""
        return cast("t.ApplyProposalAnswer", self._send_in_body("POST", f"{path(proposal)}/apply", options))

    def reject(self, proposal: str, **options: Unpack[t.RejectProposalOptions]) -> t.RejectProposalAnswer:
        """Rejects a proposal."""
        return cast("t.RejectProposalAnswer", self._send_in_body("POST", f"{path(proposal)}/reject", options))

    def withdraw(self, proposal: str, **options: Unpack[t.WithdrawProposalOptions]) -> t.WithdrawProposalAnswer:
        """Withdraws a proposal of the caller's user."""
        return cast("t.WithdrawProposalAnswer", self._send_in_body("POST", f"{path(proposal)}/withdraw", options))

    def rebase(self, proposal: str, **options: Unpack[t.RebaseProposalOptions]) -> t.RebaseProposalAnswer:
        """Computes the preview of a proposal again, for the newest state of the document."""
        return cast("t.RebaseProposalAnswer", self._send_in_body("POST", f"{path(proposal)}/rebase", options))


class Document(Resource):
    """One document: its cells, tables, sheets, history, subscriptions and proposals."""

    def __init__(self, transport: Transport, id: str) -> None:
        super().__init__(transport, path("documents", id))
        self.id = id
        self.sheets = Sheets(transport, f"{self._path}/sheets")
        self.history = History(transport, f"{self._path}/revisions")
        self.webhooks = Webhooks(transport, f"{self._path}/webhooks")
        self.proposals = Proposals(transport, f"{self._path}/proposals")

    def get(self, **options: Unpack[t.GetDocumentOptions]) -> t.DocumentWithContent:
        """Describes the document."""
        return cast("t.DocumentWithContent", self._get("", options)["document"])

    def read(self, range: str, *, render: str = "plain", **options: Unpack[t.GetValuesOptions]) -> List[List[Any]]:
        """Reads all rows of a range at one revision, or one page with `offset` or `limit`.

        `render` is `plain` (values, dates as ISO texts), `display` (texts as shown) or `cells` (objects).
        """
        first = self._get(f"/values{path(range)}", options, render=_render(render))["values"]
        is_page = options.get("offset") is not None or options.get("limit") is not None
        if is_page or not first["pagination"]["hasMore"]:
            return cast("List[List[Any]]", first["cells"])
        # A page does not tell the revision at which the next page could be read, so all rows are read again in one
        # stream.
        others: Dict[str, Any] = {name: value for name, value in options.items() if name != "major_dimension"}
        rows = list(self._row_lines(range, _render(render), others))
        if options.get("major_dimension") != "COLUMNS":
            return rows
        return [list(column) for column in zip(*rows)]

    def rows(self, range: str, *, render: str = "plain", **options: Unpack[t.GetValuesOptions]) -> Iterator[List[Any]]:
        """Yields the rows of a range, all at one revision, in constant memory."""
        return self._row_lines(range, _render(render), options)

    def _row_lines(self, range: str, render: Optional[str], options: Mapping[str, Any]) -> Iterator[List[Any]]:
        """Yields the rows of a range from a stream that resumes after a broken connection."""
        settings, query = self._transport.settings(options)
        start = query.pop("offset", 0)
        limit = query.pop("limit", None)
        if render is not None:
            query["render"] = render

        def request_from(done: int, revision: Optional[str]) -> Request:
            rest = {} if limit is None else {"limit": limit - done}
            offset = {} if start + done == 0 else {"offset": start + done}
            at = {} if revision is None or done == 0 else {"revision": revision}
            return Request("GET", f"{self._path}/values{path(range)}", query={**query, **rest, **offset, **at})

        def page_items(page: Any) -> Tuple[List[Any], bool]:
            return page["values"]["cells"], page["values"]["pagination"]["hasMore"]

        return read_lines(self._transport, settings, LinesRequest(request_from, page_items, limit))

    def write(self, range: str, values: Matrix, **options: Unpack[t.PutValuesOptions]) -> t.PutValuesAnswer:
        """Writes a block of values at the top left cell of a range."""
        return cast("t.PutValuesAnswer", self._send_write("PUT", f"/values{path(range)}", options, values=values))

    def append(self, range: str, values: Matrix, **options: Unpack[t.AppendValuesOptions]) -> t.AppendValuesAnswer:
        """Writes below the last filled row of a sheet, beginning in the first column of a range."""
        answer = self._send_write("POST", "/values/append", options, range=range, values=values)
        return cast("t.AppendValuesAnswer", answer)

    def clear(self, range: str, **options: Unpack[t.ClearValuesOptions]) -> t.ClearValuesAnswer:
        """Clears the filled cells of a range."""
        return cast("t.ClearValuesAnswer", self._send_write("POST", "/values/clear", options, range=range))

    def batch_read(
        self, ranges: Sequence[str], *, render: str = "plain", **options: Unpack[t.BatchGetValuesOptions]
    ) -> List[Dict[str, Any]]:
        """Reads up to 20 ranges at one revision. A range that cannot be read has an `error`."""
        answer = self._get("/values/batchGet", options, ranges=list(ranges), render=_render(render))
        return cast("List[Dict[str, Any]]", answer["valueRanges"])

    def batch_write(
        self, data: Sequence[Mapping[str, Any]], **options: Unpack[t.BatchUpdateValuesOptions]
    ) -> t.BatchUpdateValuesAnswer:
        """Writes all blocks, each `{"range", "values"}`, or none."""
        return cast(
            "t.BatchUpdateValuesAnswer", self._send_write("POST", "/values/batchUpdate", options, data=data)
        )

    def structure(
        self, operations: Sequence[Mapping[str, Any]], **options: Unpack[t.ChangeStructureOptions]
    ) -> t.ChangeStructureAnswer:
        """Applies all changes of rows, columns, sheets, names and tables, or none."""
        return cast(
            "t.ChangeStructureAnswer", self._send_write("POST", "/structure", options, operations=operations)
        )

    def table(
        self,
        range: str,
        *,
        key: Union[str, Sequence[str], None] = None,
        dates: bool = False,
        types: Optional[Mapping[str, str]] = None,
        columns: Optional[Mapping[str, str]] = None,
        case_sensitive: Optional[bool] = None,
    ) -> Table:
        """Returns the rows below a header as records. `range` is an A1 range, a sheet, a table or a defined name.

        `key`: the columns that identify a record, for `upsert`. `dates`: returns cells of date columns as `date` or
        `datetime`. `types`: types of columns. `columns`: names of columns by letter.
        """
        return Table(self._transport, self._path, range, key, dates, types, columns, case_sensitive)

    def changes(self, since: Union[int, str] = 0, **options: Unpack[t.ListChangesOptions]) -> Iterator[Item]:
        """Yields the changes from a revision or `place` to the newest."""
        reader = self._change_reader(options)
        reader.position = parse_position(since)
        return reader.changes()

    def follow(
        self, since: Union[int, str, None] = None, **options: Unpack[t.ListChangesOptions]
    ) -> Following:
        """Yields the changes after a revision or `place` when they happen. Continues after broken connections and
        restarts.

        Without `since` it begins with changes that are written after the call. `close()` of the result ends it,
        even while another thread waits for the next change.
        """
        reader = self._change_reader(options)
        reader.position = reader.now() if since is None else parse_position(since)
        return Following(reader.follow())

    def _change_reader(self, options: Mapping[str, Any]) -> ChangeReader:
        """Creates the reader for `changes` and `follow`."""
        settings, query = self._transport.settings(options)
        return ChangeReader(self._transport, self._path, query, settings)

    def export(
        self, *, format: str = "xlsx", sheet: Optional[str] = None, **options: Unpack[t.ExportDocumentOptions]
    ) -> bytes:
        """Returns the bytes of a file: the whole document as `xlsx`, or one sheet as `csv`."""
        settings, query = self._transport.settings({**options, "format": format, "sheet": sheet})
        return self._transport.request_bytes(Request("GET", f"{self._path}/export", query=query), settings)

    def export_report(
        self, *, format: str = "xlsx", sheet: Optional[str] = None, **options: Unpack[t.ExportDocumentOptions]
    ) -> t.ExportDocumentResponseReport:
        """Returns the parts of the document that a file would omit."""
        answer = self._get("/export", options, format=format, sheet=sheet, report=True)
        return cast("t.ExportDocumentResponseReport", answer["report"])

    def write_frame(self, range: str, df: Any, *, header: bool = True, **options: Unpack[t.PutValuesOptions]) -> Any:
        """Writes a DataFrame of pandas or Polars at the top left cell of a range, without its index."""
        return _frames.write_frame(self.write, range, df, header, cast("Dict[str, Any]", options))

    def names(self, **options: Unpack[t.ListNamesOptions]) -> List[Dict[str, Any]]:
        """Lists the defined names."""
        return cast("List[Dict[str, Any]]", self._get("/names", options)["names"])

    def tables(self, **options: Unpack[t.ListTablesOptions]) -> List[Dict[str, Any]]:
        """Lists the tables with their columns."""
        return cast("List[Dict[str, Any]]", self._get("/tables", options)["tables"])

    def audit(self, **options: Unpack[t.GetAuditOptions]) -> t.GetAuditResponseAudit:
        """Returns a page of the audit log of changes by programs, the newest first."""
        return cast("t.GetAuditResponseAudit", self._get("/audit", options)["audit"])

    def content(self, **options: Unpack[t.GetContentOptions]) -> Dict[str, Any]:
        """Returns all cells."""
        return cast("Dict[str, Any]", self._get("/content", options))

    def styles(self, **options: Unpack[t.GetStylesOptions]) -> Dict[str, Any]:
        """Returns the number formats."""
        return cast("Dict[str, Any]", self._get("/styles", options))


class Documents(Resource):
    """The documents that the token's user can open."""

    def list(self, *, limit: Optional[int] = None, **options: Unpack[t.ListDocumentsOptions]) -> Iterator[t.Document]:
        """Yields the documents, the most recently changed first."""

        def page(cursor: Optional[str]) -> Tuple[Any, Optional[str]]:
            answer = self._get("", options, limit=_DOCUMENTS_A_PAGE, cursor=cursor)
            return answer["documents"], answer.get("nextCursor")

        return _iterate_pages(page, limit)

    def create(
        self,
        title: Optional[str] = None,
        *,
        file: Optional[bytes] = None,
        format: Optional[str] = None,
        **options: Unpack[t.CreateDocumentOptions],
    ) -> t.CreateDocumentAnswer:
        """Creates a document with one empty sheet, or from the bytes of a file.

        `format` is `xlsx`, `csv` or a media type; by default the service detects it.
        """
        if file is None:
            return cast("t.CreateDocumentAnswer", self._send_in_body("POST", "", options, title=title))
        settings, query = self._transport.settings({**options, "title": title})
        media_type = _MEDIA_TYPES.get(format or "", format or "application/octet-stream")
        request = Request("POST", self._path, query=query, body=bytes(file), has_body=True, content_type=media_type)
        return cast("t.CreateDocumentAnswer", self._transport.request_json(request, settings))

    def copy(
        self, document: str, *, title: Optional[str] = None, **options: Unpack[t.CopyDocumentOptions]
    ) -> t.CopyDocumentAnswer:
        """Creates a copy of a document, owned by the caller."""
        return cast("t.CopyDocumentAnswer", self._send_in_body("POST", f"{path(document)}/copy", options, title=title))

    def rename(self, document: str, title: str, **options: Unpack[t.RenameDocumentOptions]) -> t.RenameDocumentAnswer:
        """Gives a document another title."""
        return cast("t.RenameDocumentAnswer", self._send_in_body("PATCH", path(document), options, title=title))

    def delete(self, document: str, **options: Unpack[t.DeleteDocumentOptions]) -> t.DeleteDocumentAnswer:
        """Deletes a document with its history."""
        return cast("t.DeleteDocumentAnswer", self._send_in_query("DELETE", path(document), options))

    def share(
        self, document: str, *, user: Union[int, str], role: str, **options: Unpack[t.ShareDocumentOptions]
    ) -> t.ShareDocumentAnswer:
        """Gives a user a role, changes the user's role, or removes it (`none`)."""
        answer = self._send_in_body("POST", f"{path(document)}/share", options, user=user, role=role)
        return cast("t.ShareDocumentAnswer", answer)


class Client:
    """The client of a Cellwire service. Threads may share it."""

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        attempts: int = _DEFAULT_ATTEMPTS,
        timeout: float = _DEFAULT_TIMEOUT,
    ) -> None:
        value: Any = os.environ.get("CELLWIRE_TOKEN", "") if token is None else token
        secret = value if isinstance(value, Secret) else Secret(value)
        # Tracebacks of later exceptions must not contain the token.
        token = value = None
        if not _is_token(secret.reveal):
            raise CellwireError("A token is required, of printable ASCII characters: give token or set CELLWIRE_TOKEN")
        if attempts < 1:
            raise CellwireError("attempts must be a whole number from 1 on")
        if not timeout > 0:
            raise CellwireError("timeout must be more than 0 seconds")
        address = url if url is not None else os.environ.get("CELLWIRE_URL") or _DEFAULT_URL
        self._transport = Transport(address, secret, attempts, timeout)
        self.documents = Documents(self._transport, "/documents")

    @property
    def address(self) -> str:
        """The address of the API, which ends in `/api/v1`."""
        return self._transport.address

    def document(self, id: str) -> Document:
        """Returns the document with an id. Sends no request."""
        return Document(self._transport, id)

    def userinfo(self, **options: Unpack[t.GetUserinfoOptions]) -> t.GetUserinfoAnswer:
        """Returns the scopes of the token."""
        return cast("t.GetUserinfoAnswer", self._get("/userinfo", options))

    def usage(self, **options: Unpack[t.GetUsageOptions]) -> t.GetUsageAnswer:
        """Returns the quota of an agent and its use."""
        return cast("t.GetUsageAnswer", self._get("/usage", options))

    def batch_read(
        self, ranges: Sequence[str], *, render: str = "plain", **options: Unpack[t.BatchGetAcrossDocumentsOptions]
    ) -> List[Dict[str, Any]]:
        """Reads ranges of several documents, each as `{document}!{range}`."""
        settings, query = self._transport.settings(options)
        request = Request("GET", "/values/batchGet", query={**query, "ranges": list(ranges), "render": _render(render)})
        return cast("List[Dict[str, Any]]", self._transport.request_json(request, settings)["valueRanges"])

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        **options: Unpack[t.CallOptions],
    ) -> Any:
        """Sends any request of the API with the retries and errors of the client, and returns the parsed body.

        `path` is relative to `/api/v1`. A body that is not JSON is returned as bytes.
        """
        settings, _ = self._transport.settings(options)
        request = Request(method.upper(), path, query=query, body=body, has_body=body is not None)
        return self._transport.request_any(request, settings)

    def close(self) -> None:
        """Ends the calls of all threads; they raise `ConnectionError`."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<cellwire.Client {self.address}>"

    def _get(self, path: str, options: Mapping[str, Any]) -> Any:
        settings, query = self._transport.settings(options)
        return self._transport.request_json(Request("GET", path, query=query), settings)


def _is_token(reveal: Callable[[], str]) -> bool:
    """True if a function returns a text that can be a token."""
    return reveal() != "" and all("!" <= one <= "~" for one in reveal())


def _render(render: str) -> Optional[str]:
    """Returns the value of the API's option; None for cells, which are the default of the API."""
    return None if render == "cells" else render
