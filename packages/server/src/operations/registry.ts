import { ACCOUNT_OPERATIONS } from './account/index.ts';
import { CHANGE_OPERATIONS } from './changes/index.ts';
import { DOCUMENT_OPERATIONS } from './documents/index.ts';
import type { Operation } from './operation.ts';
import { PROPOSAL_OPERATIONS } from './proposals/index.ts';
import { RECORD_OPERATIONS } from './records/index.ts';
import { REVISION_OPERATIONS } from './revisions/index.ts';
import { SHEET_OPERATIONS } from './sheets/index.ts';
import { STRUCTURE_OPERATIONS } from './structure/index.ts';
import { VALUE_OPERATIONS } from './values/index.ts';
import { WEBHOOK_OPERATIONS } from './webhooks/index.ts';

/** Everything that the API can do, in the order of its reference. */
export const OPERATIONS: readonly Operation[] = [
  ...DOCUMENT_OPERATIONS,
  ...VALUE_OPERATIONS,
  ...SHEET_OPERATIONS,
  ...STRUCTURE_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...CHANGE_OPERATIONS,
  ...REVISION_OPERATIONS,
  ...PROPOSAL_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
];
