# Generated from openapi.json by `npm run client:types`.
"""The shapes of the API's answers, and the options of the client's methods."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Sequence, TypedDict, Union

Value = Union[str, int, float, bool, None]


class CallOptions(TypedDict, total=False):
    """Options that every method takes."""

    timeout: float
    attempts: int
    idempotency_key: str
    headers: Mapping[str, str]



class Document(TypedDict):
    id: str
    type: str
    title: str
    permission: Literal["owner", "edit", "comment", "view"]
    revisionId: str
    createdAt: str
    updatedAt: str
    dateSystem: Literal["1899-12-30", "1900", "1904"]
    openProposals: int


class _ListDocumentsResponse(TypedDict):
    documents: List[Document]


class ListDocumentsResponse(_ListDocumentsResponse, total=False):
    nextCursor: Union[str, None]


class Refused(TypedDict):
    message: str


class Closed(TypedDict, total=False):
    message: str
    success: Literal[False]
    access: Literal[False]


class PreconditionFailedDifferencesItem(TypedDict):
    cell: str
    expected: Union[str, float, bool, None, Dict[str, Any]]
    actual: Union[str, float, bool, None, Dict[str, Any]]


class _PreconditionFailed(TypedDict):
    message: str
    revisionId: str


class PreconditionFailed(_PreconditionFailed, total=False):
    differences: List[PreconditionFailedDifferencesItem]


class _Invalid(TypedDict):
    message: str


class Invalid(_Invalid, total=False):
    errors: Dict[str, Any]


class TooMany(TypedDict):
    message: str
    retryAfter: int


class ServerError(TypedDict):
    message: str
    requestId: str


class CreateDocumentRequestObject(TypedDict, total=False):
    title: str
    locale: str


CreateDocumentRequest = Union[CreateDocumentRequestObject, None]


class DocumentWithContentContent(TypedDict):
    contentUrl: str
    stylesUrl: str


class DocumentWithContent(TypedDict):
    id: str
    type: str
    title: str
    permission: Literal["owner", "edit", "comment", "view"]
    revisionId: str
    createdAt: str
    updatedAt: str
    dateSystem: Literal["1899-12-30", "1900", "1904"]
    openProposals: int
    content: DocumentWithContentContent


class _CreateDocumentResponseColumnsItem(TypedDict):
    column: str
    type: str
    why: str


class CreateDocumentResponseColumnsItem(_CreateDocumentResponseColumnsItem, total=False):
    name: str


class CreateDocumentResponseCsv(TypedDict):
    delimiter: Union[str, None]
    encoding: str
    decimal: Literal[".", ","]
    dateOrder: Literal["dmy", "mdy"]
    preview: List[List[Any]]


class CreateDocumentResponseLeftOutItem(TypedDict):
    kind: str
    count: int
    what: str


class CreateDocumentResponseCachedItem(TypedDict):
    kind: str
    count: int
    what: str
    cells: List[str]


class _CreateDocumentResponse(TypedDict):
    document: DocumentWithContent


class CreateDocumentResponse(_CreateDocumentResponse, total=False):
    columns: List[CreateDocumentResponseColumnsItem]
    csv: CreateDocumentResponseCsv
    leftOut: List[CreateDocumentResponseLeftOutItem]
    cached: List[CreateDocumentResponseCachedItem]


class GetDocumentResponse(TypedDict):
    document: DocumentWithContent


class RenameDocumentRequest(TypedDict):
    title: str


class RenameDocumentResponse(TypedDict):
    document: DocumentWithContent


class DeleteDocumentResponse(TypedDict):
    deleted: Document


GetContentResponse = Dict[str, Any]


GetStylesResponse = Dict[str, Any]


class CopyDocumentRequestObject(TypedDict, total=False):
    title: str


CopyDocumentRequest = Union[CopyDocumentRequestObject, None]


class CopyDocumentResponse(TypedDict):
    document: DocumentWithContent


class ShareDocumentRequest(TypedDict):
    user: Union[str, int]
    role: Literal["edit", "comment", "view", "none"]


class ShareDocumentResponseShared(TypedDict):
    user: int
    role: Literal["edit", "comment", "view", "none"]


class ShareDocumentResponse(TypedDict):
    shared: ShareDocumentResponseShared


class ExportDocumentResponseReportLeftOutItem(TypedDict):
    kind: str
    count: int
    what: str


ExportDocumentResponseReportRenamedItem = TypedDict("ExportDocumentResponseReportRenamedItem", {"from": str, "to": str})


class ExportDocumentResponseReportShortenedItem(TypedDict):
    cell: str
    length: int


class ExportDocumentResponseReport(TypedDict):
    leftOut: List[ExportDocumentResponseReportLeftOutItem]
    renamed: List[ExportDocumentResponseReportRenamedItem]
    shortened: List[ExportDocumentResponseReportShortenedItem]


class ExportDocumentResponse(TypedDict):
    report: ExportDocumentResponseReport


class CellError(TypedDict):
    code: str
    message: str


class _CellObject(TypedDict):
    v: Union[float, bool, str]
    m: str


class CellObject(_CellObject, total=False):
    f: str
    t: Literal["d"]
    error: CellError


Cell = Union[CellObject, str, float, bool, None]


class Pagination(TypedDict):
    offset: int
    limit: int
    total: int
    returned: int
    hasMore: bool
    nextOffset: Union[int, None]


class ValueRange(TypedDict):
    sheet: str
    range: str
    majorDimension: Literal["ROWS", "COLUMNS"]
    cells: List[List[Cell]]
    pagination: Pagination


class GetValuesResponse(TypedDict):
    values: ValueRange


class _PutValuesRequest(TypedDict):
    values: List[List[Union[str, float, bool, None, Dict[str, Any]]]]


class PutValuesRequest(_PutValuesRequest, total=False):
    valueInputOption: Literal["RAW", "USER_ENTERED"]
    inputLocale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    majorDimension: Literal["ROWS", "COLUMNS"]
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool


class PutValuesResponseUpdated(TypedDict):
    sheet: str
    updatedRange: str
    updatedRows: int
    updatedColumns: int
    updatedCells: int
    cells: int


class PutValuesResponseWarningsItem(TypedDict):
    cell: str
    message: str


class _PutValuesResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class PutValuesResponseChangesItem(_PutValuesResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _PutValuesResponse(TypedDict):
    updated: PutValuesResponseUpdated


class PutValuesResponse(_PutValuesResponse, total=False):
    warnings: List[PutValuesResponseWarningsItem]
    dryRun: bool
    changes: List[PutValuesResponseChangesItem]
    truncated: bool


class BatchGetValuesResponseValueRangesItem1(TypedDict):
    range: str
    error: str


class BatchGetValuesResponse(TypedDict):
    valueRanges: List[Union[ValueRange, BatchGetValuesResponseValueRangesItem1]]


class BatchGetAcrossDocumentsResponseValueRangesItem0(TypedDict):
    document: Union[str, None]
    sheet: str
    range: str
    majorDimension: Literal["ROWS", "COLUMNS"]
    cells: List[List[Cell]]
    pagination: Pagination


class BatchGetAcrossDocumentsResponseValueRangesItem1(TypedDict):
    document: Union[str, None]
    range: str
    error: str


class BatchGetAcrossDocumentsResponse(TypedDict):
    valueRanges: List[Union[BatchGetAcrossDocumentsResponseValueRangesItem0, BatchGetAcrossDocumentsResponseValueRangesItem1]]


class BatchUpdateValuesRequestDataItem(TypedDict):
    range: str
    values: List[List[Union[str, float, bool, None, Dict[str, Any]]]]


class _BatchUpdateValuesRequest(TypedDict):
    data: List[BatchUpdateValuesRequestDataItem]


class BatchUpdateValuesRequest(_BatchUpdateValuesRequest, total=False):
    valueInputOption: Literal["RAW", "USER_ENTERED"]
    inputLocale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    majorDimension: Literal["ROWS", "COLUMNS"]
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool


class BatchUpdateValuesResponseUpdatedRangesItem(TypedDict):
    sheet: str
    range: str
    updatedRange: str
    updatedRows: int
    updatedColumns: int
    updatedCells: int
    cells: int


class BatchUpdateValuesResponseUpdated(TypedDict):
    ranges: List[BatchUpdateValuesResponseUpdatedRangesItem]
    cells: int


class BatchUpdateValuesResponseWarningsItem(TypedDict):
    cell: str
    message: str


class _BatchUpdateValuesResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class BatchUpdateValuesResponseChangesItem(_BatchUpdateValuesResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _BatchUpdateValuesResponse(TypedDict):
    updated: BatchUpdateValuesResponseUpdated


class BatchUpdateValuesResponse(_BatchUpdateValuesResponse, total=False):
    warnings: List[BatchUpdateValuesResponseWarningsItem]
    dryRun: bool
    changes: List[BatchUpdateValuesResponseChangesItem]
    truncated: bool


class _AppendValuesRequest(TypedDict):
    range: str
    values: List[List[Union[str, float, bool, None, Dict[str, Any]]]]


class AppendValuesRequest(_AppendValuesRequest, total=False):
    valueInputOption: Literal["RAW", "USER_ENTERED"]
    inputLocale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    majorDimension: Literal["ROWS", "COLUMNS"]
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool


class AppendValuesResponseUpdated(TypedDict):
    sheet: str
    startRow: int
    updatedRange: str
    updatedRows: int
    updatedColumns: int
    updatedCells: int
    cells: int


class AppendValuesResponseWarningsItem(TypedDict):
    cell: str
    message: str


class _AppendValuesResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class AppendValuesResponseChangesItem(_AppendValuesResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _AppendValuesResponse(TypedDict):
    updated: AppendValuesResponseUpdated


class AppendValuesResponse(_AppendValuesResponse, total=False):
    warnings: List[AppendValuesResponseWarningsItem]
    dryRun: bool
    changes: List[AppendValuesResponseChangesItem]
    truncated: bool


class _ClearValuesRequest(TypedDict):
    range: str


class ClearValuesRequest(_ClearValuesRequest, total=False):
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool


class ClearValuesResponseUpdated(TypedDict):
    sheet: str
    cells: int


class _ClearValuesResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class ClearValuesResponseChangesItem(_ClearValuesResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _ClearValuesResponse(TypedDict):
    updated: ClearValuesResponseUpdated


class ClearValuesResponse(_ClearValuesResponse, total=False):
    dryRun: bool
    changes: List[ClearValuesResponseChangesItem]
    truncated: bool


class GetProtectionResponseProtection(TypedDict):
    sheet: str
    hideValues: bool
    lock: bool
    allow: List[int]


class GetProtectionResponse(TypedDict):
    protection: GetProtectionResponseProtection


class ProtectSheetRequest(TypedDict, total=False):
    hideValues: bool
    lock: bool
    allow: List[Union[str, int]]


class ProtectSheetResponseProtection(TypedDict):
    sheet: str
    hideValues: bool
    lock: bool
    allow: List[int]


class ProtectSheetResponse(TypedDict):
    protection: ProtectSheetResponseProtection


class UnprotectSheetResponseProtection(TypedDict):
    sheet: str
    hideValues: bool
    lock: bool
    allow: List[int]


class UnprotectSheetResponse(TypedDict):
    protection: UnprotectSheetResponseProtection


class Sheet(TypedDict):
    name: str
    hidden: bool
    order: int
    color: Union[str, None]


class ListSheetsResponse(TypedDict):
    sheets: List[Sheet]


class AddSheetRequestObject(TypedDict, total=False):
    name: str
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool


AddSheetRequest = Union[AddSheetRequestObject, None]


class _AddSheetResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class AddSheetResponseChangesItem(_AddSheetResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _AddSheetResponse(TypedDict):
    sheet: Sheet


class AddSheetResponse(_AddSheetResponse, total=False):
    dryRun: bool
    changes: List[AddSheetResponseChangesItem]
    truncated: bool


class RenameSheetRequest(TypedDict, total=False):
    name: str
    hidden: bool
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool


class _RenameSheetResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class RenameSheetResponseChangesItem(_RenameSheetResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _RenameSheetResponse(TypedDict):
    sheet: Sheet


class RenameSheetResponse(_RenameSheetResponse, total=False):
    dryRun: bool
    changes: List[RenameSheetResponseChangesItem]
    truncated: bool


class _DeleteSheetResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class DeleteSheetResponseChangesItem(_DeleteSheetResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _DeleteSheetResponse(TypedDict):
    deleted: Sheet


class DeleteSheetResponse(_DeleteSheetResponse, total=False):
    dryRun: bool
    changes: List[DeleteSheetResponseChangesItem]
    truncated: bool


class ListNamesResponseNamesItem(TypedDict):
    name: str
    refersTo: str


class ListNamesResponse(TypedDict):
    names: List[ListNamesResponseNamesItem]


class ListTablesResponseTablesItem(TypedDict):
    name: str
    range: str
    columns: List[str]


class ListTablesResponse(TypedDict):
    tables: List[ListTablesResponseTablesItem]


class _ChangeStructureRequest(TypedDict):
    operations: List[Dict[str, Any]]


class ChangeStructureRequest(_ChangeStructureRequest, total=False):
    inputLocale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool


class ChangeStructureResponseStructureOperationsItem(TypedDict):
    cells: int


class ChangeStructureResponseStructure(TypedDict):
    revisionId: str
    operations: List[ChangeStructureResponseStructureOperationsItem]


class _ChangeStructureResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class ChangeStructureResponseChangesItem(_ChangeStructureResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _ChangeStructureResponse(TypedDict):
    structure: ChangeStructureResponseStructure


class ChangeStructureResponse(_ChangeStructureResponse, total=False):
    dryRun: bool
    changes: List[ChangeStructureResponseChangesItem]
    truncated: bool


class _GetRecordsResponseRecordsItem(TypedDict):
    fields: Dict[str, Any]


class GetRecordsResponseRecordsItem(_GetRecordsResponseRecordsItem, total=False):
    row: int


class GetRecordsResponseColumnsItem(TypedDict):
    name: str
    column: Union[str, None]
    type: Literal["text", "number", "date", "time", "duration", "boolean", "mixed", "empty"]


class GetRecordsResponsePagination(TypedDict):
    offset: int
    limit: int
    total: int
    returned: int
    hasMore: bool
    nextOffset: Union[int, None]
    nextCursor: Union[str, None]


class GetRecordsResponse(TypedDict):
    records: List[GetRecordsResponseRecordsItem]
    columns: List[GetRecordsResponseColumnsItem]
    revisionId: str
    pagination: GetRecordsResponsePagination


class _QueryRecordsRequest(TypedDict):
    range: str


class QueryRecordsRequest(_QueryRecordsRequest, total=False):
    inputLocale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    where: Dict[str, Any]
    any: List[Dict[str, Any]]
    none: List[Dict[str, Any]]
    formula: str
    caseSensitive: bool
    types: Dict[str, Any]
    columns: Dict[str, Any]
    select: List[str]
    sort: List[str]
    aggregate: Dict[str, Any]
    offset: int
    limit: int
    cursor: str
    revision: int


class _QueryRecordsResponseRecordsItem(TypedDict):
    fields: Dict[str, Any]


class QueryRecordsResponseRecordsItem(_QueryRecordsResponseRecordsItem, total=False):
    row: int


class QueryRecordsResponseColumnsItem(TypedDict):
    name: str
    column: Union[str, None]
    type: Literal["text", "number", "date", "time", "duration", "boolean", "mixed", "empty"]


class QueryRecordsResponsePagination(TypedDict):
    offset: int
    limit: int
    total: int
    returned: int
    hasMore: bool
    nextOffset: Union[int, None]
    nextCursor: Union[str, None]


class QueryRecordsResponse(TypedDict):
    records: List[QueryRecordsResponseRecordsItem]
    columns: List[QueryRecordsResponseColumnsItem]
    revisionId: str
    pagination: QueryRecordsResponsePagination


class _AppendRecordsRequest(TypedDict):
    range: str
    records: List[Dict[str, Any]]


class AppendRecordsRequest(_AppendRecordsRequest, total=False):
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool
    inputLocale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    types: Dict[str, Any]
    columns: Dict[str, Any]
    fillFormulas: bool


class _AppendRecordsResponseAppendedRecordsItem(TypedDict):
    row: Union[int, None]
    result: Literal["created", "updated", "unchanged", "skipped", "deleted"]


class AppendRecordsResponseAppendedRecordsItem(_AppendRecordsResponseAppendedRecordsItem, total=False):
    rows: List[int]


class AppendRecordsResponseAppended(TypedDict):
    sheet: str
    created: int
    cells: int
    records: List[AppendRecordsResponseAppendedRecordsItem]
    revisionId: str


class _AppendRecordsResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None, Dict[str, Any]]
    after: Union[str, float, bool, None, Dict[str, Any]]


class AppendRecordsResponseChangesItem(_AppendRecordsResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _AppendRecordsResponseWarningsItem(TypedDict):
    message: str


class AppendRecordsResponseWarningsItem(_AppendRecordsResponseWarningsItem, total=False):
    record: int
    column: str
    cell: str


class _AppendRecordsResponse(TypedDict):
    appended: AppendRecordsResponseAppended


class AppendRecordsResponse(_AppendRecordsResponse, total=False):
    dryRun: bool
    changes: List[AppendRecordsResponseChangesItem]
    truncated: bool
    warnings: List[AppendRecordsResponseWarningsItem]
    warningsTruncated: bool


class _UpsertRecordsRequest(TypedDict):
    range: str
    records: List[Dict[str, Any]]
    key: List[str]


class UpsertRecordsRequest(_UpsertRecordsRequest, total=False):
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool
    inputLocale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    types: Dict[str, Any]
    columns: Dict[str, Any]
    fillFormulas: bool
    caseSensitive: bool
    onMatch: Literal["update", "skip", "error"]
    onMissing: Literal["append", "skip", "error"]
    onMany: Literal["error", "first", "all"]


class _UpsertRecordsResponseUpsertedRecordsItem(TypedDict):
    row: Union[int, None]
    result: Literal["created", "updated", "unchanged", "skipped", "deleted"]


class UpsertRecordsResponseUpsertedRecordsItem(_UpsertRecordsResponseUpsertedRecordsItem, total=False):
    rows: List[int]


class UpsertRecordsResponseUpserted(TypedDict):
    sheet: str
    created: int
    updated: int
    unchanged: int
    skipped: int
    cells: int
    records: List[UpsertRecordsResponseUpsertedRecordsItem]
    revisionId: str


class _UpsertRecordsResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None, Dict[str, Any]]
    after: Union[str, float, bool, None, Dict[str, Any]]


class UpsertRecordsResponseChangesItem(_UpsertRecordsResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _UpsertRecordsResponseWarningsItem(TypedDict):
    message: str


class UpsertRecordsResponseWarningsItem(_UpsertRecordsResponseWarningsItem, total=False):
    record: int
    column: str
    cell: str


class _UpsertRecordsResponse(TypedDict):
    upserted: UpsertRecordsResponseUpserted


class UpsertRecordsResponse(_UpsertRecordsResponse, total=False):
    dryRun: bool
    changes: List[UpsertRecordsResponseChangesItem]
    truncated: bool
    warnings: List[UpsertRecordsResponseWarningsItem]
    warningsTruncated: bool


class _UpdateRecordsRequest(TypedDict):
    range: str
    set: Dict[str, Any]


class UpdateRecordsRequest(_UpdateRecordsRequest, total=False):
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool
    inputLocale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    where: Dict[str, Any]
    any: List[Dict[str, Any]]
    none: List[Dict[str, Any]]
    formula: str
    caseSensitive: bool
    types: Dict[str, Any]
    columns: Dict[str, Any]
    all: bool


class _UpdateRecordsResponseUpdatedRecordsItem(TypedDict):
    row: Union[int, None]
    result: Literal["created", "updated", "unchanged", "skipped", "deleted"]


class UpdateRecordsResponseUpdatedRecordsItem(_UpdateRecordsResponseUpdatedRecordsItem, total=False):
    rows: List[int]


class UpdateRecordsResponseUpdated(TypedDict):
    sheet: str
    updated: int
    unchanged: int
    cells: int
    records: List[UpdateRecordsResponseUpdatedRecordsItem]
    revisionId: str


class _UpdateRecordsResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None, Dict[str, Any]]
    after: Union[str, float, bool, None, Dict[str, Any]]


class UpdateRecordsResponseChangesItem(_UpdateRecordsResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _UpdateRecordsResponseWarningsItem(TypedDict):
    message: str


class UpdateRecordsResponseWarningsItem(_UpdateRecordsResponseWarningsItem, total=False):
    record: int
    column: str
    cell: str


class _UpdateRecordsResponse(TypedDict):
    updated: UpdateRecordsResponseUpdated


class UpdateRecordsResponse(_UpdateRecordsResponse, total=False):
    dryRun: bool
    changes: List[UpdateRecordsResponseChangesItem]
    truncated: bool
    warnings: List[UpdateRecordsResponseWarningsItem]
    warningsTruncated: bool


class _DeleteRecordsRequest(TypedDict):
    range: str


class DeleteRecordsRequest(_DeleteRecordsRequest, total=False):
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool
    inputLocale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    where: Dict[str, Any]
    any: List[Dict[str, Any]]
    none: List[Dict[str, Any]]
    formula: str
    caseSensitive: bool
    types: Dict[str, Any]
    columns: Dict[str, Any]
    all: bool


class _DeleteRecordsResponseDeletedRecordsItem(TypedDict):
    row: Union[int, None]
    result: Literal["created", "updated", "unchanged", "skipped", "deleted"]


class DeleteRecordsResponseDeletedRecordsItem(_DeleteRecordsResponseDeletedRecordsItem, total=False):
    rows: List[int]


class DeleteRecordsResponseDeleted(TypedDict):
    sheet: str
    deleted: int
    records: List[DeleteRecordsResponseDeletedRecordsItem]
    revisionId: str


class _DeleteRecordsResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None, Dict[str, Any]]
    after: Union[str, float, bool, None, Dict[str, Any]]


class DeleteRecordsResponseChangesItem(_DeleteRecordsResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _DeleteRecordsResponseWarningsItem(TypedDict):
    message: str


class DeleteRecordsResponseWarningsItem(_DeleteRecordsResponseWarningsItem, total=False):
    record: int
    column: str
    cell: str


class _DeleteRecordsResponse(TypedDict):
    deleted: DeleteRecordsResponseDeleted


class DeleteRecordsResponse(_DeleteRecordsResponse, total=False):
    dryRun: bool
    changes: List[DeleteRecordsResponseChangesItem]
    truncated: bool
    warnings: List[DeleteRecordsResponseWarningsItem]
    warningsTruncated: bool


class _Webhook(TypedDict):
    id: int
    channel: Literal["http", "messenger"]
    events: List[str]
    active: bool
    createdAt: str
    token: str


class Webhook(_Webhook, total=False):
    url: str
    chatId: str
    range: str
    key: List[str]


class ListWebhooksResponse(TypedDict):
    webhooks: List[Webhook]


class CreateWebhookRequest(TypedDict, total=False):
    channel: Literal["http", "messenger"]
    url: str
    botToken: str
    chatId: str
    events: List[Literal["document.updated", "proposal.opened", "proposal.decided"]]
    range: str
    key: List[str]


class _CreateWebhookResponse(TypedDict):
    webhook: Webhook


class CreateWebhookResponse(_CreateWebhookResponse, total=False):
    secret: str


class DeleteWebhookResponse(TypedDict):
    success: bool


class ChangeWebhookRequest(TypedDict, total=False):
    active: bool
    url: str
    events: List[Literal["document.updated", "proposal.opened", "proposal.decided"]]


class ChangeWebhookResponse(TypedDict):
    webhook: Webhook


class RotateWebhookSecretRequestObject(TypedDict, total=False):
    overlapSeconds: int


RotateWebhookSecretRequest = Union[RotateWebhookSecretRequestObject, None]


class RotateWebhookSecretResponse(TypedDict):
    secret: str
    overlapEndsAt: Union[str, None]


class Attempt(TypedDict):
    attempt: int
    startedAt: str
    durationMs: int
    outcome: Literal["delivered", "retry", "refused"]
    status: Union[int, None]
    error: Union[str, None]
    response: str


DeliveryRevision = TypedDict("DeliveryRevision", {"from": int, "to": int})


class Delivery(TypedDict):
    deliveryId: str
    webhook: int
    test: bool
    state: Literal["waiting", "sending", "delivered", "refused", "exhausted", "cancelled"]
    source: str
    sourceToken: Union[str, None]
    requestId: Union[str, None]
    revision: DeliveryRevision
    cellCount: int
    createdAt: str
    finishedAt: Union[str, None]
    nextAttemptAt: Union[str, None]
    attempts: List[Attempt]


class TestWebhookResponse(TypedDict):
    delivery: Delivery


class ListDeliveriesResponseDeliveries(TypedDict):
    entries: List[Delivery]
    total: int
    offset: int
    limit: int


class ListDeliveriesResponse(TypedDict):
    deliveries: ListDeliveriesResponseDeliveries


class RedeliverResponse(TypedDict):
    delivery: Delivery


class RedeliverByIdResponse(TypedDict):
    delivery: Delivery


class ChangeAuthor(TypedDict, total=False):
    id: int
    name: str


ChangeMovedItem = TypedDict("ChangeMovedItem", {"from": str, "to": Union[str, None], "together": Literal[True]})


class ChangeCellsItem(TypedDict, total=False):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]
    derived: bool


class ChangeRecordsItem(TypedDict, total=False):
    result: Literal["created", "updated", "deleted"]
    key: Dict[str, Any]
    row: int
    before: Union[Dict[str, Any], None]
    after: Union[Dict[str, Any], None]


class _Change(TypedDict):
    revision: int
    changedAt: str
    origin: str
    sourceToken: Union[str, None]
    author: Union[ChangeAuthor, None]
    cellCount: int
    ranges: List[str]
    derived: List[str]
    truncated: bool
    structure: List[Dict[str, Any]]
    incarnation: str


class Change(_Change, total=False):
    moved: List[ChangeMovedItem]
    cells: List[ChangeCellsItem]
    records: List[ChangeRecordsItem]


class ListChangesResponseChanges(TypedDict):
    entries: List[Change]
    revision: int
    next: int
    hasMore: bool
    incarnation: str
    gap: bool


class ListChangesResponse(TypedDict):
    changes: ListChangesResponseChanges


class RevisionAppliedBy(TypedDict):
    id: int
    name: str


class _Revision(TypedDict):
    revision: int
    at: str
    userId: Union[int, None]
    userName: Union[str, None]
    token: Union[str, None]
    requestId: Union[str, None]
    origin: str
    ranges: List[str]
    cells: int


class Revision(_Revision, total=False):
    name: str
    undoes: int
    undoneBy: int
    proposal: str
    appliedBy: RevisionAppliedBy


class ListRevisionsResponseRevisions(TypedDict):
    entries: List[Revision]
    total: int
    offset: int
    limit: int


class ListRevisionsResponse(TypedDict):
    revisions: ListRevisionsResponseRevisions


class NameRevisionRequest(TypedDict):
    name: str


class NameRevisionResponse(TypedDict):
    revision: Revision


class UndoRevisionRequestObject(TypedDict, total=False):
    force: bool
    ifRevision: Union[str, int]
    expect: List[Dict[str, Any]]
    dryRun: bool


UndoRevisionRequest = Union[UndoRevisionRequestObject, None]


class UndoRevisionResponseUndone(TypedDict):
    revision: int
    revisionId: str


class _UndoRevisionResponseChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class UndoRevisionResponseChangesItem(_UndoRevisionResponseChangesItem, total=False):
    derived: bool
    deleted: bool


class _UndoRevisionResponse(TypedDict):
    undone: UndoRevisionResponseUndone


class UndoRevisionResponse(_UndoRevisionResponse, total=False):
    dryRun: bool
    changes: List[UndoRevisionResponseChangesItem]
    truncated: bool


class _UndoConflict(TypedDict):
    message: str
    revisionId: str


class UndoConflict(_UndoConflict, total=False):
    conflicts: List[str]


class RestoreRevisionResponseRestored(TypedDict):
    revision: int
    revisionId: str


class RestoreRevisionResponse(TypedDict):
    restored: RestoreRevisionResponseRestored


class ListedProposalProposedBy(TypedDict):
    id: int
    name: str


class ListedProposalSummary(TypedDict):
    written: int
    derived: int
    sheets: List[str]


class ListedProposalDecidedBy(TypedDict):
    id: int
    name: str


class _ListedProposal(TypedDict):
    id: str
    document: str
    title: Union[str, None]
    note: Union[str, None]
    state: Literal["open", "applied", "rejected", "withdrawn", "expired"]
    action: str
    proposedBy: ListedProposalProposedBy
    token: Union[str, None]
    origin: str
    createdAt: str
    expiresAt: str
    baseRevision: int
    conflicts: List[str]
    summary: ListedProposalSummary
    decidedBy: Union[ListedProposalDecidedBy, None]
    decidedAt: Union[str, None]
    reason: Union[str, None]
    revisionId: Union[str, None]


class ListedProposal(_ListedProposal, total=False):
    hidden: bool
    damaged: bool


class ListProposalsResponseProposals(TypedDict):
    entries: List[ListedProposal]
    nextCursor: Union[str, None]


class ListProposalsResponse(TypedDict):
    proposals: ListProposalsResponseProposals


class ProposalProposedBy(TypedDict):
    id: int
    name: str


class ProposalSummary(TypedDict):
    written: int
    derived: int
    sheets: List[str]


class ProposalDecidedBy(TypedDict):
    id: int
    name: str


class _ProposalChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None, Dict[str, Any]]
    after: Union[str, float, bool, None, Dict[str, Any]]


class ProposalChangesItem(_ProposalChangesItem, total=False):
    derived: bool
    deleted: bool


class ProposalTextsItemShown(TypedDict):
    before: Union[str, None]
    after: Union[str, None]


class ProposalTextsItemFormulas(TypedDict):
    before: Union[str, None]
    after: Union[str, None]


class ProposalTextsItem(TypedDict, total=False):
    shown: ProposalTextsItemShown
    formulas: ProposalTextsItemFormulas


class _ProposalSheetChangesItem(TypedDict):
    change: Literal["add", "rename", "delete", "hide", "show", "move", "color"]
    sheet: str


class ProposalSheetChangesItem(_ProposalSheetChangesItem, total=False):
    before: str
    position: int


ProposalMovesItem = TypedDict("ProposalMovesItem", {"from": str, "to": str}, total=False)


class _ProposalSettingChangesItem(TypedDict):
    setting: Literal["name", "table", "filter", "layout"]
    change: Literal["add", "change", "delete"]
    name: str


class ProposalSettingChangesItem(_ProposalSettingChangesItem, total=False):
    before: str
    after: str
    columns: List[str]


class _Proposal(TypedDict):
    id: str
    document: str
    title: Union[str, None]
    note: Union[str, None]
    state: Literal["open", "applied", "rejected", "withdrawn", "expired"]
    action: str
    proposedBy: ProposalProposedBy
    token: Union[str, None]
    origin: str
    createdAt: str
    expiresAt: str
    baseRevision: int
    conflicts: List[str]
    summary: ProposalSummary
    decidedBy: Union[ProposalDecidedBy, None]
    decidedAt: Union[str, None]
    reason: Union[str, None]
    revisionId: Union[str, None]
    changes: List[ProposalChangesItem]
    texts: List[ProposalTextsItem]
    truncated: bool
    sheetChanges: List[ProposalSheetChangesItem]
    moves: List[ProposalMovesItem]
    settingChanges: List[ProposalSettingChangesItem]


class Proposal(_Proposal, total=False):
    hidden: bool
    damaged: bool


class GetProposalResponse(TypedDict):
    proposal: Proposal


class ApplyProposalRequestObject(TypedDict, total=False):
    reason: str
    ifRevision: Union[str, int]


ApplyProposalRequest = Union[ApplyProposalRequestObject, None]


class ApplyProposalResponse(TypedDict):
    proposal: Proposal


class ProposalConflictDecidedBy(TypedDict):
    id: int
    name: str


class _ProposalConflict(TypedDict):
    message: str


class ProposalConflict(_ProposalConflict, total=False):
    revisionId: str
    conflicts: List[str]
    state: str
    decidedBy: Union[ProposalConflictDecidedBy, None]
    decidedAt: Union[str, None]


class RejectProposalRequestObject(TypedDict, total=False):
    reason: str


RejectProposalRequest = Union[RejectProposalRequestObject, None]


class RejectProposalResponse(TypedDict):
    proposal: Proposal


class WithdrawProposalRequestObject(TypedDict, total=False):
    reason: str


WithdrawProposalRequest = Union[WithdrawProposalRequestObject, None]


class WithdrawProposalResponse(TypedDict):
    proposal: Proposal


class RebaseProposalRequestObject(TypedDict, total=False):
    reason: str


RebaseProposalRequest = Union[RebaseProposalRequestObject, None]


class RebaseProposalResponse(TypedDict):
    proposal: Proposal


class _AuditEntryProperties(TypedDict):
    range: str
    cells: int


class AuditEntryProperties(_AuditEntryProperties, total=False):
    webhook: int
    address: str


class AuditEntry(TypedDict):
    id: int
    action: str
    origin: str
    userId: int
    userName: str
    token: str
    requestId: Union[str, None]
    properties: AuditEntryProperties
    createdAt: str


class GetAuditResponseAudit(TypedDict):
    entries: List[AuditEntry]
    total: int
    offset: int
    limit: int
    tokens: List[str]


class GetAuditResponse(TypedDict):
    audit: GetAuditResponseAudit


class GetUserinfoResponse(TypedDict):
    scopes: List[str]


class GetUsageResponse(TypedDict):
    unlimited: bool
    window: Literal["minute", "month", None]
    limit: Union[int, None]
    used: Union[int, None]
    remaining: Union[int, None]
    resetInSeconds: Union[int, None]


ListDocumentsAnswer = ListDocumentsResponse


class ListDocumentsOptions(CallOptions, total=False):
    type: str
    permission: Literal["owner", "edit", "comment", "view"]


CreateDocumentAnswer = CreateDocumentResponse


class CreateDocumentOptions(CallOptions, total=False):
    locale: str


GetDocumentAnswer = GetDocumentResponse


class GetDocumentOptions(CallOptions, total=False):
    pass


RenameDocumentAnswer = RenameDocumentResponse


class RenameDocumentOptions(CallOptions, total=False):
    pass


DeleteDocumentAnswer = DeleteDocumentResponse


class DeleteDocumentOptions(CallOptions, total=False):
    pass


GetContentAnswer = GetContentResponse


class GetContentOptions(CallOptions, total=False):
    pass


GetStylesAnswer = GetStylesResponse


class GetStylesOptions(CallOptions, total=False):
    pass


CopyDocumentAnswer = CopyDocumentResponse


class CopyDocumentOptions(CallOptions, total=False):
    pass


ShareDocumentAnswer = ShareDocumentResponse


class ShareDocumentOptions(CallOptions, total=False):
    pass


ExportDocumentAnswer = ExportDocumentResponse


class ExportDocumentOptions(CallOptions, total=False):
    delimiter: Literal[",", ";", "|", "tab"]
    decimal: Literal[".", ","]
    bom: bool


GetValuesAnswer = GetValuesResponse


class GetValuesOptions(CallOptions, total=False):
    revision: int
    offset: int
    limit: int
    major_dimension: Literal["ROWS", "COLUMNS"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]


class PutValuesAnswer(PutValuesResponse, total=False):
    proposal: Proposal


class PutValuesOptions(CallOptions, total=False):
    value_input_option: Literal["RAW", "USER_ENTERED"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    major_dimension: Literal["ROWS", "COLUMNS"]
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    propose: bool
    title: str
    note: str


BatchGetValuesAnswer = BatchGetValuesResponse


class BatchGetValuesOptions(CallOptions, total=False):
    major_dimension: Literal["ROWS", "COLUMNS"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]


BatchGetAcrossDocumentsAnswer = BatchGetAcrossDocumentsResponse


class BatchGetAcrossDocumentsOptions(CallOptions, total=False):
    major_dimension: Literal["ROWS", "COLUMNS"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]


class BatchUpdateValuesAnswer(BatchUpdateValuesResponse, total=False):
    proposal: Proposal


class BatchUpdateValuesOptions(CallOptions, total=False):
    value_input_option: Literal["RAW", "USER_ENTERED"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    major_dimension: Literal["ROWS", "COLUMNS"]
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    propose: bool
    title: str
    note: str


class AppendValuesAnswer(AppendValuesResponse, total=False):
    proposal: Proposal


class AppendValuesOptions(CallOptions, total=False):
    value_input_option: Literal["RAW", "USER_ENTERED"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    major_dimension: Literal["ROWS", "COLUMNS"]
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    propose: bool
    title: str
    note: str


class ClearValuesAnswer(ClearValuesResponse, total=False):
    proposal: Proposal


class ClearValuesOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    propose: bool
    title: str
    note: str


GetProtectionAnswer = GetProtectionResponse


class GetProtectionOptions(CallOptions, total=False):
    pass


ProtectSheetAnswer = ProtectSheetResponse


class ProtectSheetOptions(CallOptions, total=False):
    hide_values: bool
    lock: bool
    allow: Sequence[Union[str, int]]


UnprotectSheetAnswer = UnprotectSheetResponse


class UnprotectSheetOptions(CallOptions, total=False):
    pass


ListSheetsAnswer = ListSheetsResponse


class ListSheetsOptions(CallOptions, total=False):
    pass


class AddSheetAnswer(AddSheetResponse, total=False):
    proposal: Proposal


class AddSheetOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    propose: bool
    title: str
    note: str


class RenameSheetAnswer(RenameSheetResponse, total=False):
    proposal: Proposal


class RenameSheetOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    propose: bool
    title: str
    note: str


class DeleteSheetAnswer(DeleteSheetResponse, total=False):
    proposal: Proposal


class DeleteSheetOptions(CallOptions, total=False):
    if_revision: str
    dry_run: bool
    propose: bool
    title: str
    note: str


ListNamesAnswer = ListNamesResponse


class ListNamesOptions(CallOptions, total=False):
    pass


ListTablesAnswer = ListTablesResponse


class ListTablesOptions(CallOptions, total=False):
    pass


class ChangeStructureAnswer(ChangeStructureResponse, total=False):
    proposal: Proposal


class ChangeStructureOptions(CallOptions, total=False):
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    propose: bool
    title: str
    note: str


GetRecordsAnswer = GetRecordsResponse


class GetRecordsOptions(CallOptions, total=False):
    range: str
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    where: str
    any: str
    none: str
    formula: str
    case_sensitive: bool
    types: str
    columns: str
    select: Sequence[str]
    sort: Sequence[str]
    aggregate: str
    offset: int
    limit: int
    cursor: str
    revision: int


QueryRecordsAnswer = QueryRecordsResponse


class QueryRecordsOptions(CallOptions, total=False):
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    where: Mapping[str, Any]
    any: Sequence[Mapping[str, Any]]
    none: Sequence[Mapping[str, Any]]
    formula: str
    case_sensitive: bool
    types: Mapping[str, Any]
    columns: Mapping[str, Any]
    select: Sequence[str]
    sort: Sequence[str]
    aggregate: Mapping[str, Any]
    offset: int
    limit: int
    cursor: str
    revision: int


class AppendRecordsAnswer(AppendRecordsResponse, total=False):
    proposal: Proposal


class AppendRecordsOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    types: Mapping[str, Any]
    columns: Mapping[str, Any]
    fill_formulas: bool
    propose: bool
    title: str
    note: str


class UpsertRecordsAnswer(UpsertRecordsResponse, total=False):
    proposal: Proposal


class UpsertRecordsOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    types: Mapping[str, Any]
    columns: Mapping[str, Any]
    fill_formulas: bool
    case_sensitive: bool
    on_match: Literal["update", "skip", "error"]
    on_missing: Literal["append", "skip", "error"]
    on_many: Literal["error", "first", "all"]
    propose: bool
    title: str
    note: str


class UpdateRecordsAnswer(UpdateRecordsResponse, total=False):
    proposal: Proposal


class UpdateRecordsOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    where: Mapping[str, Any]
    any: Sequence[Mapping[str, Any]]
    none: Sequence[Mapping[str, Any]]
    formula: str
    case_sensitive: bool
    types: Mapping[str, Any]
    columns: Mapping[str, Any]
    all: bool
    propose: bool
    title: str
    note: str


class DeleteRecordsAnswer(DeleteRecordsResponse, total=False):
    proposal: Proposal


class DeleteRecordsOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    where: Mapping[str, Any]
    any: Sequence[Mapping[str, Any]]
    none: Sequence[Mapping[str, Any]]
    formula: str
    case_sensitive: bool
    types: Mapping[str, Any]
    columns: Mapping[str, Any]
    all: bool
    propose: bool
    title: str
    note: str


ListWebhooksAnswer = ListWebhooksResponse


class ListWebhooksOptions(CallOptions, total=False):
    pass


CreateWebhookAnswer = CreateWebhookResponse


class CreateWebhookOptions(CallOptions, total=False):
    channel: Literal["http", "messenger"]
    url: str
    bot_token: str
    chat_id: str
    events: Sequence[Literal["document.updated", "proposal.opened", "proposal.decided"]]
    range: str
    key: Sequence[str]


DeleteWebhookAnswer = DeleteWebhookResponse


class DeleteWebhookOptions(CallOptions, total=False):
    pass


ChangeWebhookAnswer = ChangeWebhookResponse


class ChangeWebhookOptions(CallOptions, total=False):
    active: bool
    url: str
    events: Sequence[Literal["document.updated", "proposal.opened", "proposal.decided"]]


RotateWebhookSecretAnswer = RotateWebhookSecretResponse


class RotateWebhookSecretOptions(CallOptions, total=False):
    overlap_seconds: int


TestWebhookAnswer = TestWebhookResponse


class TestWebhookOptions(CallOptions, total=False):
    pass


ListDeliveriesAnswer = ListDeliveriesResponse


class ListDeliveriesOptions(CallOptions, total=False):
    state: Literal["waiting", "sending", "delivered", "refused", "exhausted", "cancelled"]
    since: str
    until: str
    revision: int
    offset: int
    limit: int


RedeliverAnswer = RedeliverResponse


class RedeliverOptions(CallOptions, total=False):
    pass


RedeliverByIdAnswer = RedeliverByIdResponse


class RedeliverByIdOptions(CallOptions, total=False):
    pass


ListChangesAnswer = ListChangesResponse


class ListChangesOptions(CallOptions, total=False):
    range: str
    key: Sequence[str]
    values: bool


class StreamChangesOptions(CallOptions, total=False):
    since: str
    incarnation: str
    range: str
    key: Sequence[str]
    values: bool


ListRevisionsAnswer = ListRevisionsResponse


class ListRevisionsOptions(CallOptions, total=False):
    offset: int
    limit: int


NameRevisionAnswer = NameRevisionResponse


class NameRevisionOptions(CallOptions, total=False):
    pass


class UndoRevisionAnswer(UndoRevisionResponse, total=False):
    proposal: Proposal


class UndoRevisionOptions(CallOptions, total=False):
    force: bool
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    propose: bool
    title: str
    note: str


class RestoreRevisionAnswer(RestoreRevisionResponse, total=False):
    proposal: Proposal


class RestoreRevisionOptions(CallOptions, total=False):
    if_revision: str
    dry_run: bool
    propose: bool
    title: str
    note: str


ListProposalsAnswer = ListProposalsResponse


class ListProposalsOptions(CallOptions, total=False):
    pass


GetProposalAnswer = GetProposalResponse


class GetProposalOptions(CallOptions, total=False):
    pass


ApplyProposalAnswer = ApplyProposalResponse


class ApplyProposalOptions(CallOptions, total=False):
    reason: str
    if_revision: Union[str, int]


RejectProposalAnswer = RejectProposalResponse


class RejectProposalOptions(CallOptions, total=False):
    reason: str


WithdrawProposalAnswer = WithdrawProposalResponse


class WithdrawProposalOptions(CallOptions, total=False):
    reason: str


RebaseProposalAnswer = RebaseProposalResponse


class RebaseProposalOptions(CallOptions, total=False):
    reason: str


GetAuditAnswer = GetAuditResponse


class GetAuditOptions(CallOptions, total=False):
    offset: int
    limit: int


GetUserinfoAnswer = GetUserinfoResponse


class GetUserinfoOptions(CallOptions, total=False):
    pass


GetUsageAnswer = GetUsageResponse


class GetUsageOptions(CallOptions, total=False):
    pass
