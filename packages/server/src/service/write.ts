import type { Edit, Refusal as EngineRefusal, FormulaWarning } from '@cellwire/engine';
import { cellText } from '@cellwire/engine';
import type { Caller, DocumentAccess } from '../access/access.ts';
import { DOCUMENT_NOT_FOUND } from '../access/refusal.ts';
import type { Author, Done, Finished, Head, Plan, SheetEntry } from '../documents/types.ts';
import { MAX_WARNINGS } from '../limits/http.ts';
import type { Statement } from '../store/database.ts';
import type { AuditNote } from './audit-log.ts';
import { auditStatement, originOf } from './audit-log.ts';
import type { ServiceContext } from './context.ts';
import type { KeyedRequest } from './idempotency.ts';
import { keep, once, replay } from './idempotency.ts';
import { openWritableTable } from './open-table.ts';
import { withSheet } from './ranges.ts';
import type { Refusal } from './refusal.ts';
import {
  CALCULATION_LIMIT,
  INVALID_RANGE,
  invalidRequest,
  isRefusal,
  LAST_SHEET,
  SHEET_NAME_TAKEN,
  SHEET_NOT_FOUND,
  VALUES_HIDDEN,
} from './refusal.ts';
import type { Reply } from './reply.ts';

/** Who writes where, and under which key. */
export interface WriteRequest {
  readonly access: DocumentAccess;
  /** Null: without an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null;
}

/** What a use case wants written, once it has seen the document. */
interface WritePlan {
  readonly edits: readonly Edit[];
  readonly describe: (done: Done) => Described;
}

interface Described {
  /** The reply's body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly notes: readonly AuditNote[];
  /** What else belongs in the commit's transaction. */
  readonly also?: readonly Statement[];
}

/** Writes what a use case plans: checks, commit, audit rows and the kept reply are one transaction. */
export async function write(
  context: ServiceContext,
  request: WriteRequest,
  plan: (head: Head) => WritePlan | Refusal,
): Promise<Reply | Refusal> {
  const { keyed } = request;
  return keyed === null ? commit(context, request, plan) : once(context, keyed, () => commit(context, request, plan));
}

async function commit(
  context: ServiceContext,
  request: WriteRequest,
  plan: (head: Head) => WritePlan | Refusal,
): Promise<Reply | Refusal> {
  const document = await openWritableTable(context, request.access);
  if (isRefusal(document)) return document;
  const outcome = await document.write<string, Refusal>((head) => {
    const planned = plan(head);
    return isRefusal(planned) ? { kind: 'declined', reason: planned } : commitPlan(context, request, planned);
  });
  switch (outcome.kind) {
    case 'written':
      return { kind: 'reply', body: outcome.reply, replayed: false };
    case 'declined':
      return outcome.reason;
    case 'refusal':
      return engineRefusal(outcome);
    case 'removed':
      return DOCUMENT_NOT_FOUND;
    case 'conflict':
      return lostRace(context, request, outcome.conflict);
  }
}

function commitPlan(context: ServiceContext, request: WriteRequest, planned: WritePlan): Plan<string> {
  const { access, keyed } = request;
  return {
    kind: 'plan',
    edits: planned.edits,
    author: authorOf(access.caller),
    hiddenSheets: access.hiddenSheets,
    finish: (done, { at }): Finished<string> => {
      const { body, notes, also = [] } = planned.describe(done);
      const warnings = warningsOf(done);
      const reply = JSON.stringify(warnings.length === 0 ? body : { ...body, warnings });
      const statements = notes.map((note) => auditStatement(access, note, at));
      if (keyed !== null) statements.push(keep(context, keyed, reply, at));
      return { reply, statements: [...statements, ...also] };
    },
  };
}

/** Another process has just kept a reply under the same key: that one counts. */
async function lostRace(context: ServiceContext, request: WriteRequest, conflict: string): Promise<Reply | Refusal> {
  const kept = request.keyed === null ? null : await replay(context, request.keyed);
  if (kept === null) throw new Error(`a write was undone: ${conflict}`);
  return kept;
}

function authorOf(caller: Caller): Author {
  return {
    userId: caller.userId,
    origin: originOf(caller),
    tokenId: caller.tokenId,
    tokenName: caller.tokenName,
  };
}

function warningsOf({ warnings, after }: Done): readonly { cell: string; message: string }[] {
  return warnings.slice(0, MAX_WARNINGS).map((warning) => ({
    cell: cellName(after, warning),
    message: warning.message,
  }));
}

function cellName(sheets: readonly SheetEntry[], { sheet, row, column }: FormulaWarning): string {
  const cell = cellText(row, column);
  const name = sheets.find(({ id }) => id === sheet)?.name;
  return name === undefined ? cell : withSheet(name, cell);
}

/** The engine's refusal in the terms of the API. */
export function engineRefusal(refusal: EngineRefusal): Refusal {
  switch (refusal.reason) {
    case 'sheetNotFound':
      return SHEET_NOT_FOUND;
    case 'sheetNameTaken':
      return SHEET_NAME_TAKEN;
    case 'invalidSheetName':
      return invalidRequest('name', refusal.message);
    case 'lastSheet':
      return LAST_SHEET;
    case 'outsideGrid':
      return INVALID_RANGE;
    case 'textTooLong':
      return invalidRequest('values', `A text may have ${refusal.limit} characters at most`);
    case 'formulaTooLong':
      return invalidRequest('values', `A formula may have ${refusal.limit} characters at most`);
    case 'formulaTooDeep': {
      const cell = withSheet(refusal.sheet, cellText(refusal.row, refusal.column));
      const message = `A formula may be nested ${refusal.limit} levels deep at most, and that of ${cell} is deeper`;
      return invalidRequest('values', message);
    }
    case 'hiddenSheetRead':
      return VALUES_HIDDEN;
    case 'calculationLimit':
      return CALCULATION_LIMIT;
  }
}
