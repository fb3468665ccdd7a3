# Generated from _resources.py and _table.py by scripts/make_aio.py.
"""The client for asyncio: the same names, with `await` and `async for`. Calls run in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, List, Literal, Mapping, Optional, Sequence, Union, cast, overload

from ._aio import AsyncRecords, Tasks, bridge_records
from ._follow import Item
from ._resources import Client as SyncClient
from ._resources import Document as SyncDocument
from ._resources import Documents as SyncDocuments
from ._resources import History as SyncHistory
from ._resources import HttpWebhookAnswer, Matrix, WebhookEvent
from ._resources import Proposals as SyncProposals
from ._resources import Sheets as SyncSheets
from ._resources import Webhooks as SyncWebhooks
from ._table import Fields, OnProgress
from ._table import Table as SyncTable
from ._transport import Secret

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types as t


class Table:
    """The rows below a header as records. Iteration yields the fields of all records."""

    def __init__(self, sync: SyncTable, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks

    def __aiter__(self) -> AsyncIterator[Fields]:
        return self._tasks.iterate(lambda: iter(self._sync))

    async def find(self, **options: Unpack[t.QueryRecordsOptions]) -> List[Fields]:
        """Returns the fields of all records that match a filter."""
        return await self._tasks.run(lambda: self._sync.find(**options))


    async def query(self, body: Optional[Mapping[str, Any]]=None, **options: Unpack[t.QueryRecordsOptions]) -> t.QueryRecordsAnswer:
        """Returns one page in the form of the API. `body` uses the API's names."""
        return await self._tasks.run(lambda: self._sync.query(body, **options))


    async def aggregate(self, *, group_by: Optional[Sequence[str]]=None, measures: Optional[Mapping[str, Mapping[str, str]]]=None, **options: Unpack[t.QueryRecordsOptions]) -> List[Fields]:
        """Returns one record with the aggregates for each group."""
        return await self._tasks.run(lambda: self._sync.aggregate(group_by=group_by, measures=measures, **options))


    async def append(self, records: AsyncRecords, *, batch: Optional[int]=None, on_progress: Optional[OnProgress]=None, **options: Unpack[t.AppendRecordsOptions]) -> t.AppendRecordsAnswer:
        """Appends records.

        A list of at most 10,000 is one commit. Any other iterable is a stream of commits of `batch` records each.
        """
        bridged = bridge_records(records, batch)
        return await self._tasks.run(lambda: self._sync.append(bridged, batch=batch, on_progress=on_progress, **options))


    async def upsert(self, records: AsyncRecords, *, key: Union[str, Sequence[str], None]=None, batch: Optional[int]=None, on_progress: Optional[OnProgress]=None, **options: Unpack[t.UpsertRecordsOptions]) -> t.UpsertRecordsAnswer:
        """Updates records with existing keys, and appends the others as `append` does."""
        bridged = bridge_records(records, batch)
        return await self._tasks.run(lambda: self._sync.upsert(bridged, key=key, batch=batch, on_progress=on_progress, **options))


    async def update(self, *, set: Mapping[str, Any], **options: Unpack[t.UpdateRecordsOptions]) -> t.UpdateRecordsAnswer:
        """Sets fields of the records that match a filter; `all=True` instead of a filter selects all records."""
        return await self._tasks.run(lambda: self._sync.update(set=set, **options))


    async def delete(self, **options: Unpack[t.DeleteRecordsOptions]) -> t.DeleteRecordsAnswer:
        """Deletes the records that match a filter; `all=True` instead of a filter selects all records."""
        return await self._tasks.run(lambda: self._sync.delete(**options))


    async def to_pandas(self, **options: Unpack[t.QueryRecordsOptions]) -> Any:
        """Returns the records as a DataFrame of pandas, which must be installed."""
        return await self._tasks.run(lambda: cast(Any, self._sync).to_pandas(**options))


    async def to_polars(self, **options: Unpack[t.QueryRecordsOptions]) -> Any:
        """Returns the records as a DataFrame of Polars, which must be installed."""
        return await self._tasks.run(lambda: cast(Any, self._sync).to_polars(**options))


    async def upsert_frame(self, df: Any, *, key: Union[str, Sequence[str], None]=None, batch: Optional[int]=None, on_progress: Optional[OnProgress]=None, **options: Unpack[t.UpsertRecordsOptions]) -> t.UpsertRecordsAnswer:
        """Upserts the rows of a DataFrame of pandas or Polars, without its index.

        Columns of dates, times or durations get these types, unless `types` specifies others.
        """
        return await self._tasks.run(lambda: self._sync.upsert_frame(df, key=key, batch=batch, on_progress=on_progress, **options))



class Sheets:
    """The sheets of a document."""

    def __init__(self, sync: SyncSheets, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks

    async def list(self, **options: Unpack[t.ListSheetsOptions]) -> List[t.Sheet]:
        """Lists the sheets."""
        return await self._tasks.run(lambda: self._sync.list(**options))


    async def create(self, name: Optional[str]=None, **options: Unpack[t.AddSheetOptions]) -> t.AddSheetAnswer:
        """Adds a sheet. Without `name` the service chooses one."""
        return await self._tasks.run(lambda: self._sync.create(name, **options))


    async def rename(self, sheet: str, name: str, **options: Unpack[t.RenameSheetOptions]) -> t.RenameSheetAnswer:
        """Gives a sheet another name."""
        return await self._tasks.run(lambda: self._sync.rename(sheet, name, **options))


    async def hide(self, sheet: str, hidden: bool, **options: Unpack[t.RenameSheetOptions]) -> t.RenameSheetAnswer:
        """Hides a sheet in the console, or shows it again."""
        return await self._tasks.run(lambda: self._sync.hide(sheet, hidden, **options))


    async def delete(self, sheet: str, **options: Unpack[t.DeleteSheetOptions]) -> t.DeleteSheetAnswer:
        """Deletes a sheet."""
        return await self._tasks.run(lambda: self._sync.delete(sheet, **options))


    async def protection(self, sheet: str, **options: Unpack[t.GetProtectionOptions]) -> t.GetProtectionResponseProtection:
        """Returns who may see and edit a sheet."""
        return await self._tasks.run(lambda: self._sync.protection(sheet, **options))


    async def protect(self, sheet: str, **options: Unpack[t.ProtectSheetOptions]) -> t.ProtectSheetAnswer:
        """Hides a sheet's values or locks it. Replaces its previous protection."""
        return await self._tasks.run(lambda: self._sync.protect(sheet, **options))


    async def unprotect(self, sheet: str, **options: Unpack[t.UnprotectSheetOptions]) -> t.UnprotectSheetAnswer:
        """Removes the protection of a sheet."""
        return await self._tasks.run(lambda: self._sync.unprotect(sheet, **options))



class History:
    """The revisions of a document."""

    def __init__(self, sync: SyncHistory, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks

    async def list(self, **options: Unpack[t.ListRevisionsOptions]) -> List[t.Revision]:
        """Lists the stored revisions, the newest first, or one page with `offset` or `limit`."""
        return await self._tasks.run(lambda: self._sync.list(**options))


    async def name(self, revision: Union[int, str], name: str, **options: Unpack[t.NameRevisionOptions]) -> t.NameRevisionAnswer:
        """Gives a revision a name. A named revision is never deleted because of its age."""
        return await self._tasks.run(lambda: self._sync.name(revision, name, **options))


    async def undo(self, revision: Union[int, str], **options: Unpack[t.UndoRevisionOptions]) -> t.UndoRevisionAnswer:
        """Undoes a revision with a new commit."""
        return await self._tasks.run(lambda: self._sync.undo(revision, **options))


    async def restore(self, revision: Union[int, str], **options: Unpack[t.RestoreRevisionOptions]) -> t.RestoreRevisionAnswer:
        """Restores the document to a revision with a new commit."""
        return await self._tasks.run(lambda: self._sync.restore(revision, **options))



class Webhooks:
    """The subscriptions of a document."""

    def __init__(self, sync: SyncWebhooks, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks

    async def list(self, **options: Unpack[t.ListWebhooksOptions]) -> List[t.Webhook]:
        """Lists the subscriptions."""
        return await self._tasks.run(lambda: self._sync.list(**options))


    @overload
    async def create(self, *, url: str, channel: Literal['http']=..., events: Sequence[WebhookEvent]=..., range: str=..., key: Sequence[str]=..., **options: Unpack[t.CallOptions]) -> HttpWebhookAnswer: ...

    @overload
    async def create(self, *, channel: Literal['messenger'], bot_token: str, chat_id: str, events: Sequence[WebhookEvent]=..., range: str=..., key: Sequence[str]=..., **options: Unpack[t.CallOptions]) -> t.CreateWebhookAnswer: ...

    async def create(self, **options: Any) -> Any:
        """Subscribes to the changes of the document.

        A subscription of the channel `http` has a signing secret. It is only in this response, and in the response
        to a repetition with the same `idempotency_key`. A subscription of the channel `messenger` has no secret.
        """
        return await self._tasks.run(lambda: cast(Any, self._sync).create(**options))


    async def delete(self, webhook: int, **options: Unpack[t.DeleteWebhookOptions]) -> t.DeleteWebhookAnswer:
        """Ends a subscription."""
        return await self._tasks.run(lambda: self._sync.delete(webhook, **options))


    async def change(self, webhook: int, **options: Unpack[t.ChangeWebhookOptions]) -> t.ChangeWebhookAnswer:
        """Changes a subscription, or switches it off and on."""
        return await self._tasks.run(lambda: self._sync.change(webhook, **options))


    async def rotate(self, webhook: int, **options: Unpack[t.RotateWebhookSecretOptions]) -> t.RotateWebhookSecretAnswer:
        """Replaces the signing secret. Until `overlapEndsAt`, deliveries also have a signature made with the old
        secret.
        """
        return await self._tasks.run(lambda: self._sync.rotate(webhook, **options))


    async def test(self, webhook: int, **options: Unpack[t.TestWebhookOptions]) -> t.TestWebhookAnswer:
        """Sends a notification without cells."""
        return await self._tasks.run(lambda: self._sync.test(webhook, **options))


    def deliveries(self, webhook: int, **options: Unpack[t.ListDeliveriesOptions]) -> AsyncIterator[t.Delivery]:
        """Yields the deliveries of a subscription, the newest first, or one page with `offset` or `limit`."""
        return self._tasks.iterate(lambda: self._sync.deliveries(webhook, **options))


    async def redeliver(self, webhook: int, delivery: str, **options: Unpack[t.RedeliverOptions]) -> t.RedeliverAnswer:
        """Sends a delivery again with the same id."""
        return await self._tasks.run(lambda: self._sync.redeliver(webhook, delivery, **options))



class Proposals:
    """The open and decided proposals of a document. A proposal is a write that needs consent."""

    def __init__(self, sync: SyncProposals, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks

    def list(self, *, state: Optional[str]=None, limit: Optional[int]=None, **options: Unpack[t.ListProposalsOptions]) -> AsyncIterator[t.ListedProposal]:
        """Yields the proposals without their changes, the newest first."""
        return self._tasks.iterate(lambda: self._sync.list(state=state, limit=limit, **options))


    async def get(self, proposal: str, **options: Unpack[t.GetProposalOptions]) -> t.Proposal:
        """Returns a proposal with its changes."""
        return await self._tasks.run(lambda: self._sync.get(proposal, **options))


    async def apply(self, proposal: str, **options: Unpack[t.ApplyProposalOptions]) -> t.ApplyProposalAnswer:
        """Applies a proposal: writes exactly the previewed values. If they would be different now, writes nothing."""
        return await self._tasks.run(lambda: self._sync.apply(proposal, **options))


    async def reject(self, proposal: str, **options: Unpack[t.RejectProposalOptions]) -> t.RejectProposalAnswer:
        """Rejects a proposal."""
        return await self._tasks.run(lambda: self._sync.reject(proposal, **options))


    async def withdraw(self, proposal: str, **options: Unpack[t.WithdrawProposalOptions]) -> t.WithdrawProposalAnswer:
        """Withdraws a proposal of the caller's user."""
        return await self._tasks.run(lambda: self._sync.withdraw(proposal, **options))


    async def rebase(self, proposal: str, **options: Unpack[t.RebaseProposalOptions]) -> t.RebaseProposalAnswer:
        """Computes the preview of a proposal again, for the newest state of the document."""
        return await self._tasks.run(lambda: self._sync.rebase(proposal, **options))



class Document:
    """One document: its cells, tables, sheets, history, subscriptions and proposals."""

    def __init__(self, sync: SyncDocument, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks
        self.id = sync.id
        self.sheets = Sheets(sync.sheets, tasks)
        self.history = History(sync.history, tasks)
        self.webhooks = Webhooks(sync.webhooks, tasks)
        self.proposals = Proposals(sync.proposals, tasks)

    async def get(self, **options: Unpack[t.GetDocumentOptions]) -> t.DocumentWithContent:
        """Describes the document."""
        return await self._tasks.run(lambda: self._sync.get(**options))


    async def read(self, range: str, *, render: str='plain', **options: Unpack[t.GetValuesOptions]) -> List[List[Any]]:
        """Reads all rows of a range at one revision, or one page with `offset` or `limit`.

        `render` is `plain` (values, dates as ISO texts), `display` (texts as shown) or `cells` (objects).
        """
        return await self._tasks.run(lambda: self._sync.read(range, render=render, **options))


    def rows(self, range: str, *, render: str='plain', **options: Unpack[t.GetValuesOptions]) -> AsyncIterator[List[Any]]:
        """Yields the rows of a range, all at one revision, in constant memory."""
        return self._tasks.iterate(lambda: self._sync.rows(range, render=render, **options))


    async def write(self, range: str, values: Matrix, **options: Unpack[t.PutValuesOptions]) -> t.PutValuesAnswer:
        """Writes a block of values at the top left cell of a range."""
        return await self._tasks.run(lambda: self._sync.write(range, values, **options))


    async def append(self, range: str, values: Matrix, **options: Unpack[t.AppendValuesOptions]) -> t.AppendValuesAnswer:
        """Writes below the last filled row of a sheet, beginning in the first column of a range."""
        return await self._tasks.run(lambda: self._sync.append(range, values, **options))


    async def clear(self, range: str, **options: Unpack[t.ClearValuesOptions]) -> t.ClearValuesAnswer:
        """Clears the filled cells of a range."""
        return await self._tasks.run(lambda: self._sync.clear(range, **options))


    async def batch_read(self, ranges: Sequence[str], *, render: str='plain', **options: Unpack[t.BatchGetValuesOptions]) -> List[Dict[str, Any]]:
        """Reads up to 20 ranges at one revision. A range that cannot be read has an `error`."""
        return await self._tasks.run(lambda: self._sync.batch_read(ranges, render=render, **options))


    async def batch_write(self, data: Sequence[Mapping[str, Any]], **options: Unpack[t.BatchUpdateValuesOptions]) -> t.BatchUpdateValuesAnswer:
        """Writes all blocks, each `{"range", "values"}`, or none."""
        return await self._tasks.run(lambda: self._sync.batch_write(data, **options))


    async def structure(self, operations: Sequence[Mapping[str, Any]], **options: Unpack[t.ChangeStructureOptions]) -> t.ChangeStructureAnswer:
        """Applies all changes of rows, columns, sheets, names and tables, or none."""
        return await self._tasks.run(lambda: self._sync.structure(operations, **options))


    def table(self, range: str, *, key: Union[str, Sequence[str], None]=None, dates: bool=False, types: Optional[Mapping[str, str]]=None, columns: Optional[Mapping[str, str]]=None, case_sensitive: Optional[bool]=None) -> Table:
        """Returns the rows below a header as records. `range` is an A1 range, a sheet, a table or a defined name.

        `key`: the columns that identify a record, for `upsert`. `dates`: returns cells of date columns as `date` or
        `datetime`. `types`: types of columns. `columns`: names of columns by letter.
        """
        return Table(self._sync.table(range, key=key, dates=dates, types=types, columns=columns, case_sensitive=case_sensitive), self._tasks)


    def changes(self, since: Union[int, str]=0, **options: Unpack[t.ListChangesOptions]) -> AsyncIterator[Item]:
        """Yields the changes from a revision or `place` to the newest."""
        return self._tasks.iterate(lambda: self._sync.changes(since, **options))


    def follow(self, since: Union[int, str, None]=None, **options: Unpack[t.ListChangesOptions]) -> AsyncIterator[Item]:
        """Yields the changes after a revision or `place` when they happen. Continues after broken connections and
        restarts.

        Without `since` it begins with changes that are written after the call. `close()` of the result ends it,
        even while another thread waits for the next change.
        """
        return self._tasks.follow(lambda: self._sync.follow(since, **options))


    async def export(self, *, format: str='xlsx', sheet: Optional[str]=None, **options: Unpack[t.ExportDocumentOptions]) -> bytes:
        """Returns the bytes of a file: the whole document as `xlsx`, or one sheet as `csv`."""
        return await self._tasks.run(lambda: self._sync.export(format=format, sheet=sheet, **options))


    async def export_report(self, *, format: str='xlsx', sheet: Optional[str]=None, **options: Unpack[t.ExportDocumentOptions]) -> t.ExportDocumentResponseReport:
        """Returns the parts of the document that a file would omit."""
        return await self._tasks.run(lambda: self._sync.export_report(format=format, sheet=sheet, **options))


    async def write_frame(self, range: str, df: Any, *, header: bool=True, **options: Unpack[t.PutValuesOptions]) -> Any:
        """Writes a DataFrame of pandas or Polars at the top left cell of a range, without its index."""
        return await self._tasks.run(lambda: cast(Any, self._sync).write_frame(range, df, header=header, **options))


    async def names(self, **options: Unpack[t.ListNamesOptions]) -> List[Dict[str, Any]]:
        """Lists the defined names."""
        return await self._tasks.run(lambda: self._sync.names(**options))


    async def tables(self, **options: Unpack[t.ListTablesOptions]) -> List[Dict[str, Any]]:
        """Lists the tables with their columns."""
        return await self._tasks.run(lambda: self._sync.tables(**options))


    async def audit(self, **options: Unpack[t.GetAuditOptions]) -> t.GetAuditResponseAudit:
        """Returns a page of the audit log of changes by programs, the newest first."""
        return await self._tasks.run(lambda: self._sync.audit(**options))


    async def content(self, **options: Unpack[t.GetContentOptions]) -> Dict[str, Any]:
        """Returns all cells."""
        return await self._tasks.run(lambda: self._sync.content(**options))


    async def styles(self, **options: Unpack[t.GetStylesOptions]) -> Dict[str, Any]:
        """Returns the number formats."""
        return await self._tasks.run(lambda: self._sync.styles(**options))



class Documents:
    """The documents that the token's user can open."""

    def __init__(self, sync: SyncDocuments, tasks: Tasks) -> None:
        self._sync = sync
        self._tasks = tasks

    def list(self, *, limit: Optional[int]=None, **options: Unpack[t.ListDocumentsOptions]) -> AsyncIterator[t.Document]:
        """Yields the documents, the most recently changed first."""
        return self._tasks.iterate(lambda: self._sync.list(limit=limit, **options))


    async def create(self, title: Optional[str]=None, *, file: Optional[bytes]=None, format: Optional[str]=None, **options: Unpack[t.CreateDocumentOptions]) -> t.CreateDocumentAnswer:
        """Creates a document with one empty sheet, or from the bytes of a file.

        `format` is `xlsx`, `csv` or a media type; by default the service detects it.
        """
        return await self._tasks.run(lambda: self._sync.create(title, file=file, format=format, **options))


    async def copy(self, document: str, *, title: Optional[str]=None, **options: Unpack[t.CopyDocumentOptions]) -> t.CopyDocumentAnswer:
        """Creates a copy of a document, owned by the caller."""
        return await self._tasks.run(lambda: self._sync.copy(document, title=title, **options))


    async def rename(self, document: str, title: str, **options: Unpack[t.RenameDocumentOptions]) -> t.RenameDocumentAnswer:
        """Gives a document another title."""
        return await self._tasks.run(lambda: self._sync.rename(document, title, **options))


    async def delete(self, document: str, **options: Unpack[t.DeleteDocumentOptions]) -> t.DeleteDocumentAnswer:
        """Deletes a document with its history."""
        return await self._tasks.run(lambda: self._sync.delete(document, **options))


    async def share(self, document: str, *, user: Union[int, str], role: str, **options: Unpack[t.ShareDocumentOptions]) -> t.ShareDocumentAnswer:
        """Gives a user a role, changes the user's role, or removes it (`none`)."""
        return await self._tasks.run(lambda: self._sync.share(document, user=user, role=role, **options))



class Client:
    """The client of a Cellwire service. Threads may share it."""

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        attempts: int = 3,
        timeout: float = 30.0,
    ) -> None:
        secret: Any = None if token is None else Secret(token)
        # Tracebacks of later exceptions must not contain the token.
        token = None
        self._sync = SyncClient(url, secret, attempts=attempts, timeout=timeout)
        self._tasks = Tasks()
        self.documents = Documents(self._sync.documents, self._tasks)

    @property
    def address(self) -> str:
        """The address of the API, which ends in `/api/v1`."""
        return self._sync.address

    def document(self, id: str) -> Document:
        """Returns the document with an id, without a request."""
        return Document(self._sync.document(id), self._tasks)

    async def close(self) -> None:
        """Ends all calls with `ConnectionError`."""
        self._sync.close()
        self._tasks.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<cellwire.aio.Client {self.address}>"

    async def userinfo(self, **options: Unpack[t.GetUserinfoOptions]) -> t.GetUserinfoAnswer:
        """Returns the scopes of the token."""
        return await self._tasks.run(lambda: self._sync.userinfo(**options))


    async def usage(self, **options: Unpack[t.GetUsageOptions]) -> t.GetUsageAnswer:
        """Returns the quota of an agent and its use."""
        return await self._tasks.run(lambda: self._sync.usage(**options))


    async def batch_read(self, ranges: Sequence[str], *, render: str='plain', **options: Unpack[t.BatchGetAcrossDocumentsOptions]) -> List[Dict[str, Any]]:
        """Reads ranges of several documents, each as `{document}!{range}`."""
        return await self._tasks.run(lambda: self._sync.batch_read(ranges, render=render, **options))


    async def request(self, method: str, path: str, *, query: Optional[Mapping[str, Any]]=None, body: Any=None, **options: Unpack[t.CallOptions]) -> Any:
        """Sends any request of the API with the retries and errors of the client, and returns the parsed body.

        `path` is relative to `/api/v1`. A body that is not JSON is returned as bytes.
        """
        return await self._tasks.run(lambda: cast(Any, self._sync).request(method, path, query=query, body=body, **options))

