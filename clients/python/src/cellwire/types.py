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


class Refused(TypedDict):
    message: str


class Closed(TypedDict, total=False):
    message: str
    success: Literal[False]
    access: Literal[False]


class _Invalid(TypedDict):
    message: str


class Invalid(_Invalid, total=False):
    errors: Dict[str, Any]


class TooMany(TypedDict):
    message: str
    retryAfter: int


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
    content: DocumentWithContentContent


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


class Sheet(TypedDict):
    name: str
    hidden: bool
    order: int
    color: Union[str, None]


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


class _ListDocumentsAnswer(TypedDict):
    documents: List[Document]


class ListDocumentsAnswer(_ListDocumentsAnswer, total=False):
    nextCursor: Union[str, None]


class ListDocumentsOptions(CallOptions, total=False):
    type: str
    permission: Literal["owner", "edit", "comment", "view"]


class _CreateDocumentAnswerColumnsItem(TypedDict):
    column: str
    type: str
    why: str


class CreateDocumentAnswerColumnsItem(_CreateDocumentAnswerColumnsItem, total=False):
    name: str


class CreateDocumentAnswerCsv(TypedDict):
    delimiter: Union[str, None]
    encoding: str
    decimal: Literal[".", ","]
    dateOrder: Literal["dmy", "mdy"]
    preview: List[List[Any]]


class CreateDocumentAnswerLeftOutItem(TypedDict):
    kind: str
    count: int
    what: str


class CreateDocumentAnswerCachedItem(TypedDict):
    kind: str
    count: int
    what: str
    cells: List[str]


class _CreateDocumentAnswer(TypedDict):
    document: DocumentWithContent


class CreateDocumentAnswer(_CreateDocumentAnswer, total=False):
    columns: List[CreateDocumentAnswerColumnsItem]
    csv: CreateDocumentAnswerCsv
    leftOut: List[CreateDocumentAnswerLeftOutItem]
    cached: List[CreateDocumentAnswerCachedItem]


class CreateDocumentOptions(CallOptions, total=False):
    locale: str


class GetDocumentAnswer(TypedDict):
    document: DocumentWithContent


class GetDocumentOptions(CallOptions, total=False):
    pass


class RenameDocumentAnswer(TypedDict):
    document: DocumentWithContent


class RenameDocumentOptions(CallOptions, total=False):
    pass


class DeleteDocumentAnswer(TypedDict):
    deleted: Document


class DeleteDocumentOptions(CallOptions, total=False):
    pass


GetContentAnswer = Dict[str, Any]


class GetContentOptions(CallOptions, total=False):
    pass


GetStylesAnswer = Dict[str, Any]


class GetStylesOptions(CallOptions, total=False):
    pass


class CopyDocumentAnswer(TypedDict):
    document: DocumentWithContent


class CopyDocumentOptions(CallOptions, total=False):
    pass


class ShareDocumentAnswerShared(TypedDict):
    user: int
    role: Literal["edit", "comment", "view", "none"]


class ShareDocumentAnswer(TypedDict):
    shared: ShareDocumentAnswerShared


class ShareDocumentOptions(CallOptions, total=False):
    pass


class ExportDocumentAnswerReportLeftOutItem(TypedDict):
    kind: str
    count: int
    what: str


ExportDocumentAnswerReportRenamedItem = TypedDict("ExportDocumentAnswerReportRenamedItem", {"from": str, "to": str})


class ExportDocumentAnswerReportShortenedItem(TypedDict):
    cell: str
    length: int


class ExportDocumentAnswerReport(TypedDict):
    leftOut: List[ExportDocumentAnswerReportLeftOutItem]
    renamed: List[ExportDocumentAnswerReportRenamedItem]
    shortened: List[ExportDocumentAnswerReportShortenedItem]


class ExportDocumentAnswer(TypedDict):
    report: ExportDocumentAnswerReport


class ExportDocumentOptions(CallOptions, total=False):
    delimiter: Literal[",", ";", "|", "tab"]
    decimal: Literal[".", ","]
    bom: bool


class ListNamesAnswerNamesItem(TypedDict):
    name: str
    refersTo: str


class ListNamesAnswer(TypedDict):
    names: List[ListNamesAnswerNamesItem]


class ListNamesOptions(CallOptions, total=False):
    pass


class ListTablesAnswerTablesItem(TypedDict):
    name: str
    range: str
    columns: List[str]


class ListTablesAnswer(TypedDict):
    tables: List[ListTablesAnswerTablesItem]


class ListTablesOptions(CallOptions, total=False):
    pass


class GetProtectionAnswerProtection(TypedDict):
    sheet: str
    hideValues: bool
    lock: bool
    allow: List[int]


class GetProtectionAnswer(TypedDict):
    protection: GetProtectionAnswerProtection


class GetProtectionOptions(CallOptions, total=False):
    pass


class ProtectSheetAnswerProtection(TypedDict):
    sheet: str
    hideValues: bool
    lock: bool
    allow: List[int]


class ProtectSheetAnswer(TypedDict):
    protection: ProtectSheetAnswerProtection


class ProtectSheetOptions(CallOptions, total=False):
    hide_values: bool
    lock: bool
    allow: Sequence[Union[str, int]]


class UnprotectSheetAnswerProtection(TypedDict):
    sheet: str
    hideValues: bool
    lock: bool
    allow: List[int]


class UnprotectSheetAnswer(TypedDict):
    protection: UnprotectSheetAnswerProtection


class UnprotectSheetOptions(CallOptions, total=False):
    pass


class GetValuesAnswer(TypedDict):
    values: ValueRange


class GetValuesOptions(CallOptions, total=False):
    revision: int
    offset: int
    limit: int
    major_dimension: Literal["ROWS", "COLUMNS"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]


class PutValuesAnswerUpdated(TypedDict):
    sheet: str
    updatedRange: str
    updatedRows: int
    updatedColumns: int
    updatedCells: int
    cells: int


class PutValuesAnswerWarningsItem(TypedDict):
    cell: str
    message: str


class _PutValuesAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class PutValuesAnswerChangesItem(_PutValuesAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _PutValuesAnswer(TypedDict):
    updated: PutValuesAnswerUpdated


class PutValuesAnswer(_PutValuesAnswer, total=False):
    warnings: List[PutValuesAnswerWarningsItem]
    dryRun: bool
    changes: List[PutValuesAnswerChangesItem]
    truncated: bool


class PutValuesOptions(CallOptions, total=False):
    value_input_option: Literal["RAW", "USER_ENTERED"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    major_dimension: Literal["ROWS", "COLUMNS"]
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool


class BatchGetValuesAnswerValueRangesItem1(TypedDict):
    range: str
    error: str


class BatchGetValuesAnswer(TypedDict):
    valueRanges: List[Union[ValueRange, BatchGetValuesAnswerValueRangesItem1]]


class BatchGetValuesOptions(CallOptions, total=False):
    major_dimension: Literal["ROWS", "COLUMNS"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]


class BatchGetAcrossDocumentsAnswerValueRangesItem0(TypedDict):
    document: Union[str, None]
    sheet: str
    range: str
    majorDimension: Literal["ROWS", "COLUMNS"]
    cells: List[List[Cell]]
    pagination: Pagination


class BatchGetAcrossDocumentsAnswerValueRangesItem1(TypedDict):
    document: Union[str, None]
    range: str
    error: str


class BatchGetAcrossDocumentsAnswer(TypedDict):
    valueRanges: List[Union[BatchGetAcrossDocumentsAnswerValueRangesItem0, BatchGetAcrossDocumentsAnswerValueRangesItem1]]


class BatchGetAcrossDocumentsOptions(CallOptions, total=False):
    major_dimension: Literal["ROWS", "COLUMNS"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]


class BatchUpdateValuesAnswerUpdatedRangesItem(TypedDict):
    sheet: str
    range: str
    updatedRange: str
    updatedRows: int
    updatedColumns: int
    updatedCells: int
    cells: int


class BatchUpdateValuesAnswerUpdated(TypedDict):
    ranges: List[BatchUpdateValuesAnswerUpdatedRangesItem]
    cells: int


class BatchUpdateValuesAnswerWarningsItem(TypedDict):
    cell: str
    message: str


class _BatchUpdateValuesAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class BatchUpdateValuesAnswerChangesItem(_BatchUpdateValuesAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _BatchUpdateValuesAnswer(TypedDict):
    updated: BatchUpdateValuesAnswerUpdated


class BatchUpdateValuesAnswer(_BatchUpdateValuesAnswer, total=False):
    warnings: List[BatchUpdateValuesAnswerWarningsItem]
    dryRun: bool
    changes: List[BatchUpdateValuesAnswerChangesItem]
    truncated: bool


class BatchUpdateValuesOptions(CallOptions, total=False):
    value_input_option: Literal["RAW", "USER_ENTERED"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    major_dimension: Literal["ROWS", "COLUMNS"]
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool


class AppendValuesAnswerUpdated(TypedDict):
    sheet: str
    startRow: int
    updatedRange: str
    updatedRows: int
    updatedColumns: int
    updatedCells: int
    cells: int


class AppendValuesAnswerWarningsItem(TypedDict):
    cell: str
    message: str


class _AppendValuesAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class AppendValuesAnswerChangesItem(_AppendValuesAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _AppendValuesAnswer(TypedDict):
    updated: AppendValuesAnswerUpdated


class AppendValuesAnswer(_AppendValuesAnswer, total=False):
    warnings: List[AppendValuesAnswerWarningsItem]
    dryRun: bool
    changes: List[AppendValuesAnswerChangesItem]
    truncated: bool


class AppendValuesOptions(CallOptions, total=False):
    value_input_option: Literal["RAW", "USER_ENTERED"]
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    major_dimension: Literal["ROWS", "COLUMNS"]
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool


class ClearValuesAnswerUpdated(TypedDict):
    sheet: str
    cells: int


class _ClearValuesAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class ClearValuesAnswerChangesItem(_ClearValuesAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _ClearValuesAnswer(TypedDict):
    updated: ClearValuesAnswerUpdated


class ClearValuesAnswer(_ClearValuesAnswer, total=False):
    dryRun: bool
    changes: List[ClearValuesAnswerChangesItem]
    truncated: bool


class ClearValuesOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool


class ListSheetsAnswer(TypedDict):
    sheets: List[Sheet]


class ListSheetsOptions(CallOptions, total=False):
    pass


class _AddSheetAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class AddSheetAnswerChangesItem(_AddSheetAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _AddSheetAnswer(TypedDict):
    sheet: Sheet


class AddSheetAnswer(_AddSheetAnswer, total=False):
    dryRun: bool
    changes: List[AddSheetAnswerChangesItem]
    truncated: bool


class AddSheetOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool


class _RenameSheetAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class RenameSheetAnswerChangesItem(_RenameSheetAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _RenameSheetAnswer(TypedDict):
    sheet: Sheet


class RenameSheetAnswer(_RenameSheetAnswer, total=False):
    dryRun: bool
    changes: List[RenameSheetAnswerChangesItem]
    truncated: bool


class RenameSheetOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool


class _DeleteSheetAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class DeleteSheetAnswerChangesItem(_DeleteSheetAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _DeleteSheetAnswer(TypedDict):
    deleted: Sheet


class DeleteSheetAnswer(_DeleteSheetAnswer, total=False):
    dryRun: bool
    changes: List[DeleteSheetAnswerChangesItem]
    truncated: bool


class DeleteSheetOptions(CallOptions, total=False):
    if_revision: str
    dry_run: bool


class ChangeStructureAnswerStructureOperationsItem(TypedDict):
    cells: int


class ChangeStructureAnswerStructure(TypedDict):
    revisionId: str
    operations: List[ChangeStructureAnswerStructureOperationsItem]


class _ChangeStructureAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class ChangeStructureAnswerChangesItem(_ChangeStructureAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _ChangeStructureAnswer(TypedDict):
    structure: ChangeStructureAnswerStructure


class ChangeStructureAnswer(_ChangeStructureAnswer, total=False):
    dryRun: bool
    changes: List[ChangeStructureAnswerChangesItem]
    truncated: bool


class ChangeStructureOptions(CallOptions, total=False):
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool


class _GetRecordsAnswerRecordsItem(TypedDict):
    fields: Dict[str, Any]


class GetRecordsAnswerRecordsItem(_GetRecordsAnswerRecordsItem, total=False):
    row: int


class GetRecordsAnswerColumnsItem(TypedDict):
    name: str
    column: Union[str, None]
    type: Literal["text", "number", "date", "time", "duration", "boolean", "mixed", "empty"]


class GetRecordsAnswerPagination(TypedDict):
    offset: int
    limit: int
    total: int
    returned: int
    hasMore: bool
    nextOffset: Union[int, None]
    nextCursor: Union[str, None]


class GetRecordsAnswer(TypedDict):
    records: List[GetRecordsAnswerRecordsItem]
    columns: List[GetRecordsAnswerColumnsItem]
    revisionId: str
    pagination: GetRecordsAnswerPagination


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


class _QueryRecordsAnswerRecordsItem(TypedDict):
    fields: Dict[str, Any]


class QueryRecordsAnswerRecordsItem(_QueryRecordsAnswerRecordsItem, total=False):
    row: int


class QueryRecordsAnswerColumnsItem(TypedDict):
    name: str
    column: Union[str, None]
    type: Literal["text", "number", "date", "time", "duration", "boolean", "mixed", "empty"]


class QueryRecordsAnswerPagination(TypedDict):
    offset: int
    limit: int
    total: int
    returned: int
    hasMore: bool
    nextOffset: Union[int, None]
    nextCursor: Union[str, None]


class QueryRecordsAnswer(TypedDict):
    records: List[QueryRecordsAnswerRecordsItem]
    columns: List[QueryRecordsAnswerColumnsItem]
    revisionId: str
    pagination: QueryRecordsAnswerPagination


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


class _UpdateRecordsAnswerUpdatedRecordsItem(TypedDict):
    row: Union[int, None]
    result: Literal["created", "updated", "unchanged", "skipped", "deleted"]


class UpdateRecordsAnswerUpdatedRecordsItem(_UpdateRecordsAnswerUpdatedRecordsItem, total=False):
    rows: List[int]


class UpdateRecordsAnswerUpdated(TypedDict):
    sheet: str
    updated: int
    unchanged: int
    cells: int
    records: List[UpdateRecordsAnswerUpdatedRecordsItem]
    revisionId: str


class _UpdateRecordsAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None, Dict[str, Any]]
    after: Union[str, float, bool, None, Dict[str, Any]]


class UpdateRecordsAnswerChangesItem(_UpdateRecordsAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _UpdateRecordsAnswerWarningsItem(TypedDict):
    message: str


class UpdateRecordsAnswerWarningsItem(_UpdateRecordsAnswerWarningsItem, total=False):
    record: int
    column: str
    cell: str


class _UpdateRecordsAnswer(TypedDict):
    updated: UpdateRecordsAnswerUpdated


class UpdateRecordsAnswer(_UpdateRecordsAnswer, total=False):
    dryRun: bool
    changes: List[UpdateRecordsAnswerChangesItem]
    truncated: bool
    warnings: List[UpdateRecordsAnswerWarningsItem]
    warningsTruncated: bool


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


class _DeleteRecordsAnswerDeletedRecordsItem(TypedDict):
    row: Union[int, None]
    result: Literal["created", "updated", "unchanged", "skipped", "deleted"]


class DeleteRecordsAnswerDeletedRecordsItem(_DeleteRecordsAnswerDeletedRecordsItem, total=False):
    rows: List[int]


class DeleteRecordsAnswerDeleted(TypedDict):
    sheet: str
    deleted: int
    records: List[DeleteRecordsAnswerDeletedRecordsItem]
    revisionId: str


class _DeleteRecordsAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None, Dict[str, Any]]
    after: Union[str, float, bool, None, Dict[str, Any]]


class DeleteRecordsAnswerChangesItem(_DeleteRecordsAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _DeleteRecordsAnswerWarningsItem(TypedDict):
    message: str


class DeleteRecordsAnswerWarningsItem(_DeleteRecordsAnswerWarningsItem, total=False):
    record: int
    column: str
    cell: str


class _DeleteRecordsAnswer(TypedDict):
    deleted: DeleteRecordsAnswerDeleted


class DeleteRecordsAnswer(_DeleteRecordsAnswer, total=False):
    dryRun: bool
    changes: List[DeleteRecordsAnswerChangesItem]
    truncated: bool
    warnings: List[DeleteRecordsAnswerWarningsItem]
    warningsTruncated: bool


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


class ListWebhooksAnswer(TypedDict):
    webhooks: List[Webhook]


class ListWebhooksOptions(CallOptions, total=False):
    pass


class _CreateWebhookAnswer(TypedDict):
    webhook: Webhook


class CreateWebhookAnswer(_CreateWebhookAnswer, total=False):
    secret: str


class CreateWebhookOptions(CallOptions, total=False):
    channel: Literal["http", "messenger"]
    url: str
    bot_token: str
    chat_id: str
    events: Sequence[Literal["document.updated"]]
    range: str
    key: Sequence[str]


class DeleteWebhookAnswer(TypedDict):
    success: bool


class DeleteWebhookOptions(CallOptions, total=False):
    pass


class ChangeWebhookAnswer(TypedDict):
    webhook: Webhook


class ChangeWebhookOptions(CallOptions, total=False):
    active: bool
    url: str
    events: Sequence[Literal["document.updated"]]


class RotateWebhookSecretAnswer(TypedDict):
    secret: str
    overlapEndsAt: Union[str, None]


class RotateWebhookSecretOptions(CallOptions, total=False):
    overlap_seconds: int


class TestWebhookAnswer(TypedDict):
    delivery: Delivery


class TestWebhookOptions(CallOptions, total=False):
    pass


class ListDeliveriesAnswerDeliveries(TypedDict):
    entries: List[Delivery]
    total: int
    offset: int
    limit: int


class ListDeliveriesAnswer(TypedDict):
    deliveries: ListDeliveriesAnswerDeliveries


class ListDeliveriesOptions(CallOptions, total=False):
    state: Literal["waiting", "sending", "delivered", "refused", "exhausted", "cancelled"]
    since: str
    until: str
    revision: int
    offset: int
    limit: int


class RedeliverAnswer(TypedDict):
    delivery: Delivery


class RedeliverOptions(CallOptions, total=False):
    pass


class RedeliverByIdAnswer(TypedDict):
    delivery: Delivery


class RedeliverByIdOptions(CallOptions, total=False):
    pass


class ListChangesAnswerChanges(TypedDict):
    entries: List[Change]
    revision: int
    next: int
    hasMore: bool
    incarnation: str
    gap: bool


class ListChangesAnswer(TypedDict):
    changes: ListChangesAnswerChanges


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


class ListRevisionsAnswerRevisions(TypedDict):
    entries: List[Revision]
    total: int
    offset: int
    limit: int


class ListRevisionsAnswer(TypedDict):
    revisions: ListRevisionsAnswerRevisions


class ListRevisionsOptions(CallOptions, total=False):
    offset: int
    limit: int


class NameRevisionAnswer(TypedDict):
    revision: Revision


class NameRevisionOptions(CallOptions, total=False):
    pass


class UndoRevisionAnswerUndone(TypedDict):
    revision: int
    revisionId: str


class _UndoRevisionAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None]
    after: Union[str, float, bool, None]


class UndoRevisionAnswerChangesItem(_UndoRevisionAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _UndoRevisionAnswer(TypedDict):
    undone: UndoRevisionAnswerUndone


class UndoRevisionAnswer(_UndoRevisionAnswer, total=False):
    dryRun: bool
    changes: List[UndoRevisionAnswerChangesItem]
    truncated: bool


class UndoRevisionOptions(CallOptions, total=False):
    force: bool
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool


class RestoreRevisionAnswerRestored(TypedDict):
    revision: int
    revisionId: str


class RestoreRevisionAnswer(TypedDict):
    restored: RestoreRevisionAnswerRestored


class RestoreRevisionOptions(CallOptions, total=False):
    if_revision: str
    dry_run: bool


class GetAuditAnswerAudit(TypedDict):
    entries: List[AuditEntry]
    total: int
    offset: int
    limit: int
    tokens: List[str]


class GetAuditAnswer(TypedDict):
    audit: GetAuditAnswerAudit


class GetAuditOptions(CallOptions, total=False):
    offset: int
    limit: int


class GetUserinfoAnswer(TypedDict):
    scopes: List[str]


class GetUserinfoOptions(CallOptions, total=False):
    pass


class GetUsageAnswer(TypedDict):
    unlimited: bool
    window: Literal["minute", "month", None]
    limit: Union[int, None]
    used: Union[int, None]
    remaining: Union[int, None]
    resetInSeconds: Union[int, None]


class GetUsageOptions(CallOptions, total=False):
    pass


class _AppendRecordsAnswerAppendedRecordsItem(TypedDict):
    row: Union[int, None]
    result: Literal["created", "updated", "unchanged", "skipped", "deleted"]


class AppendRecordsAnswerAppendedRecordsItem(_AppendRecordsAnswerAppendedRecordsItem, total=False):
    rows: List[int]


class AppendRecordsAnswerAppended(TypedDict):
    sheet: str
    created: int
    cells: int
    records: List[AppendRecordsAnswerAppendedRecordsItem]
    revisionId: str


class _AppendRecordsAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None, Dict[str, Any]]
    after: Union[str, float, bool, None, Dict[str, Any]]


class AppendRecordsAnswerChangesItem(_AppendRecordsAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _AppendRecordsAnswerWarningsItem(TypedDict):
    message: str


class AppendRecordsAnswerWarningsItem(_AppendRecordsAnswerWarningsItem, total=False):
    record: int
    column: str
    cell: str


class _AppendRecordsAnswer(TypedDict):
    appended: AppendRecordsAnswerAppended


class AppendRecordsAnswer(_AppendRecordsAnswer, total=False):
    dryRun: bool
    changes: List[AppendRecordsAnswerChangesItem]
    truncated: bool
    warnings: List[AppendRecordsAnswerWarningsItem]
    warningsTruncated: bool


class AppendRecordsOptions(CallOptions, total=False):
    if_revision: Union[str, int]
    expect: Sequence[Mapping[str, Any]]
    dry_run: bool
    input_locale: Literal["ru-RU", "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "document"]
    types: Mapping[str, Any]
    columns: Mapping[str, Any]
    fill_formulas: bool


class _UpsertRecordsAnswerUpsertedRecordsItem(TypedDict):
    row: Union[int, None]
    result: Literal["created", "updated", "unchanged", "skipped", "deleted"]


class UpsertRecordsAnswerUpsertedRecordsItem(_UpsertRecordsAnswerUpsertedRecordsItem, total=False):
    rows: List[int]


class UpsertRecordsAnswerUpserted(TypedDict):
    sheet: str
    created: int
    updated: int
    unchanged: int
    skipped: int
    cells: int
    records: List[UpsertRecordsAnswerUpsertedRecordsItem]
    revisionId: str


class _UpsertRecordsAnswerChangesItem(TypedDict):
    cell: str
    before: Union[str, float, bool, None, Dict[str, Any]]
    after: Union[str, float, bool, None, Dict[str, Any]]


class UpsertRecordsAnswerChangesItem(_UpsertRecordsAnswerChangesItem, total=False):
    derived: bool
    deleted: bool


class _UpsertRecordsAnswerWarningsItem(TypedDict):
    message: str


class UpsertRecordsAnswerWarningsItem(_UpsertRecordsAnswerWarningsItem, total=False):
    record: int
    column: str
    cell: str


class _UpsertRecordsAnswer(TypedDict):
    upserted: UpsertRecordsAnswerUpserted


class UpsertRecordsAnswer(_UpsertRecordsAnswer, total=False):
    dryRun: bool
    changes: List[UpsertRecordsAnswerChangesItem]
    truncated: bool
    warnings: List[UpsertRecordsAnswerWarningsItem]
    warningsTruncated: bool


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
