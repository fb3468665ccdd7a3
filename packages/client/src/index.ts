export {
  AuthenticationError,
  CellwireError,
  ConnectionError,
  type Difference,
  NotFoundError,
  PermissionError,
  PreconditionError,
  RateLimitError,
  ServiceError,
  SignatureError,
  TimeoutError,
  ValidationError,
} from './errors/errors.ts';
export type {
  Attempt,
  AuditEntry,
  Cell,
  Change,
  Delivery,
  Document,
  DocumentWithContent,
  ListedProposal,
  Operations,
  Proposal,
  Revision,
  Sheet,
  ValueRange,
  Webhook,
} from './generated/api.ts';
export type { CallOptions } from './http/options.ts';
export { Cellwire, type CellwireOptions } from './resources/cellwire.ts';
export type {
  BlockInput,
  ChangesOptions,
  DocumentClient,
  ReadOptions,
  RenderChoice,
  UnreadRange,
} from './resources/document.ts';
export type { Documents, FileOptions } from './resources/documents.ts';
export type { History } from './resources/history.ts';
export type { Proposals } from './resources/proposals.ts';
export type { Sheets } from './resources/sheets.ts';
export type {
  Fields,
  FindOptions,
  RecordInput,
  Records,
  StreamOptions,
  Table,
  TableOptions,
} from './resources/table.ts';
export type { Input, Matrix, ProposeOptions, Value } from './resources/types.ts';
export type { Webhooks } from './resources/webhooks.ts';
export type { Followed, FollowedChange, Gap } from './streams/follow.ts';
export type { Items } from './streams/items.ts';
export type { Progress } from './streams/send-lines.ts';
export { asDate, type DateSystem, fromDate } from './values/dates.ts';
export { type Block, range } from './values/range.ts';
export {
  type DocumentUpdated,
  type HeadersGiven,
  type NotifiedCell,
  type VerifyOptions,
  verify,
} from './values/verify.ts';
