// Generated from openapi.json by `npm run client:types`.

import type { AuditOperations } from './audit.ts';
import type { ChangesOperations } from './changes.ts';
import type { DocumentsOperations } from './documents.ts';
import type { HistoryOperations } from './history.ts';
import type { ProposalsOperations } from './proposals.ts';
import type { RecordsOperations } from './records.ts';
import type { SheetsOperations } from './sheets.ts';
import type { StructureOperations } from './structure.ts';
import type { TokenAndQuotaOperations } from './token-and-quota.ts';
import type { ValuesOperations } from './values.ts';
import type { WebhooksOperations } from './webhooks.ts';

export type * from './audit.ts';
export type * from './changes.ts';
export type * from './documents.ts';
export type * from './history.ts';
export type * from './proposals.ts';
export type * from './records.ts';
export type * from './shared.ts';
export type * from './sheets.ts';
export type * from './structure.ts';
export type * from './token-and-quota.ts';
export type * from './values.ts';
export type * from './webhooks.ts';

/** Query, body and answer of each operation of the API. */
export interface Operations
  extends DocumentsOperations,
    ValuesOperations,
    SheetsOperations,
    StructureOperations,
    RecordsOperations,
    WebhooksOperations,
    ChangesOperations,
    HistoryOperations,
    ProposalsOperations,
    AuditOperations,
    TokenAndQuotaOperations {}
