import { isDeepStrictEqual } from 'node:util';
import { cellText, type Refusal as EngineRefusal, type FormulaWarning, jsonText } from '@cellwire/engine';
import type { DocumentAccess } from '../access/access.ts';
import { type Caller, hasExpired, tokenOf } from '../access/callers.ts';
import { DOCUMENT_NOT_FOUND, UNAUTHENTICATED } from '../access/refusal.ts';
import type { TargetRange } from '../documents/recent-commits.ts';
import type {
  Author,
  BatchResult,
  CommitProposal,
  Head,
  ProposalResult,
  Proposer,
  SheetEntry,
  Trial,
  WriteOutcome,
} from '../documents/types.ts';
import { MAX_WARNINGS } from '../limits/http.ts';
import { commitLoop, HISTORY_LOOKED_UP, type Undone } from './commit-loop.ts';
import type { ServiceContext } from './context.ts';
import { engineRefusal } from './engine-refusal.ts';
import { differencesEarly, differencesOf, type EarlyDifferences } from './expectations.ts';
import { auditEntries, originOf } from './history/audit-log.ts';
import { keep, keptAnswer, once } from './idempotency.ts';
import { openWritableTable } from './open-table.ts';
import { judge, lookUp } from './preconditions.ts';
import { storeProposal } from './proposals/store-proposal.ts';
import { withSheet } from './ranges.ts';
import { isArrangedAs } from './rebase/steps.ts';
import {
  BUSY,
  CANCELLED,
  invalidRequest,
  isFieldRefusal,
  isRefusal,
  REARRANGED,
  type Refusal,
  VALUES_HIDDEN,
} from './refusal.ts';
import type { Reply } from './reply.ts';
import type { Ground, PreviewedWrite, Proposing, WriteProposal, WriteRequest } from './write-request.ts';

/** Makes a use case's proposal from what is on the disk; made again when that is not what the write comes to. */
type Preparing = (access: DocumentAccess) => Proposing | Promise<Proposing | Refusal>;

/**
 * Writes what a use case proposes: checks, commit, audit rows and the kept reply are one transaction. The rights are those
 * of the moment of the commit, also where the request has waited: a change of access makes the commit fail, and it is
 * decided anew whether the caller may write.
 */
export function write(context: ServiceContext, request: WriteRequest, propose: Proposing): Promise<Reply | Refusal> {
  return writePrepared(context, request, () => propose);
}

/** `write` for what cannot be proposed from the document's newest state alone. */
export function writePrepared(
  context: ServiceContext,
  request: WriteRequest,
  prepare: Preparing,
): Promise<Reply | Refusal> {
  const { keyed, dryRun = false } = request;
  if (keyed === null || dryRun) return commit(context, request, prepare);
  return once(context, keyed, async () => {
    const access = await request.renew();
    if (isRefusal(access)) return access;
    return (await keptAnswer(context, keyed)) ?? commit(context, { ...request, access }, prepare);
  });
}

function commit(context: ServiceContext, request: WriteRequest, prepare: Preparing): Promise<Reply | Refusal> {
  const { keyed } = request;
  let { preconditions } = request;
  return commitLoop<DocumentAccess, Reply>({
    rights: request.access,
    reauthorize: request.renew,
    ...(keyed === null ? {} : { keptReply: () => keptAnswer(context, keyed) }),
    attempt: async (access) => {
      const outcome = await attemptCommit(context, { ...request, access, preconditions }, prepare);
      if (outcome !== HISTORY_UNKNOWN || preconditions === null) return outcome;
      const document = await openWritableTable(context, access);
      if (isRefusal(document)) return document;
      preconditions = await lookUp(context, document, preconditions);
      return HISTORY_LOOKED_UP;
    },
  });
}

/** What is in memory does not tell whether a precondition holds. */
const HISTORY_UNKNOWN: Undone = { kind: 'conflict', conflict: 'history unknown' };

async function attemptCommit(
  context: ServiceContext,
  request: WriteRequest,
  prepare: Preparing,
): Promise<Reply | Refusal | Undone> {
  const { access } = request;
  const opened = openWritableTable(context, access);
  const document = opened instanceof Promise ? await opened : opened;
  if (isRefusal(document)) return document;
  const prepared = prepare(access);
  const propose = prepared instanceof Promise ? await prepared : prepared;
  if (isRefusal(propose)) return propose;
  const { expected } = request;
  const early = expected.length === 0 ? null : await differencesEarly(() => document.snapshot(), access, expected);
  let places: readonly string[] = [];
  const proposer: Proposer<string, Reply | Refusal | Undone | PreviewedWrite> = (head) => {
    if (hasExpired(access.caller, context.clock())) return { kind: 'declined', reason: UNAUTHENTICATED };
    if (request.ground && !standsOn(request.ground, head)) return { kind: 'declined', reason: REARRANGED };
    if (request.signal?.aborted) return { kind: 'declined', reason: CANCELLED };
    const refused = request.apply?.check(head) ?? null;
    if (refused !== null) return { kind: 'declined', reason: refused };
    const proposed = propose(head, access);
    places = 'places' in proposed ? (proposed.places ?? []) : [];
    if ('kind' in proposed) return { kind: 'declined', reason: proposed };
    if (request.dryRun && namesHidden(proposed, access)) return { kind: 'declined', reason: VALUES_HIDDEN };
    const refusal = preconditionRefusal(request, head, proposed.target ?? null, early);
    if (refusal !== null) return { kind: 'declined', reason: refusal };
    if (request.dryRun) return trialOf(access, head, proposed);
    return request.propose ? previewOf(access, head, proposed) : proposalOf(context, request, proposed);
  };
  const outcome = await document.write(proposer, { user: access.caller.userId, bytes: request.bodyBytes });
  if (outcome.kind === 'written') {
    return { kind: 'reply', body: outcome.reply, revision: outcome.commit.revision, replayed: false };
  }
  const result = unwritten(outcome, places);
  if (result.kind !== 'previewed') return result;
  const { propose: wanted } = request;
  if (!wanted) throw new Error('A preview was made that nobody asked for');
  return storeProposal(context, request, wanted, result);
}

/** The same write tried out, to be stored. */
function previewOf({ caller }: DocumentAccess, head: Head, proposed: WriteProposal): Trial<PreviewedWrite> {
  const isRestore = proposed.edits.some(({ kind }) => kind === 'restore');
  return {
    kind: 'trial',
    edits: proposed.edits,
    author: authorOf(caller),
    details: isRestore ? 'redo' : 'counts',
    show: (preview) => ({ kind: 'previewed', head, proposed, preview }),
  };
}

function standsOn({ revision, isExact }: Ground, head: Head): boolean {
  return isExact ? revision === head.revision : isArrangedAs(head.recent, revision, head.revision);
}

/** Whether it is about a sheet whose values the caller may not see: to try that out would tell of them (decisions §13.3). */
function namesHidden({ edits }: WriteProposal, { hiddenSheets }: DocumentAccess): boolean {
  return hiddenSheets.size > 0 && edits.some((edit) => 'sheet' in edit && hiddenSheets.has(edit.sheet));
}

/** What a write that made no commit comes to. `places`: where in the request each edit stands; none: see `WriteProposal`. */
export function unwritten<Reason>(
  outcome: Exclude<WriteOutcome<unknown, Reason>, { readonly kind: 'written' }>,
  places: readonly string[] = [],
): Reason | Refusal | Undone {
  switch (outcome.kind) {
    case 'declined':
      return outcome.reason;
    case 'refusal':
      return placedRefusal(outcome, places[outcome.edit ?? -1]);
    case 'removed':
      return DOCUMENT_NOT_FOUND;
    case 'busy':
      return BUSY;
    case 'conflict':
      return outcome;
  }
}

/** Decided with the commit itself: of writes with one tag at the same time one succeeds. */
function preconditionRefusal(
  request: WriteRequest,
  head: Head,
  target: TargetRange | null,
  early: EarlyDifferences | null,
) {
  const { preconditions, ifRevision, expected, access } = request;
  const failed = { kind: 'refusal', reason: 'preconditionFailed', revisionId: String(head.revision) } as const;
  const isSame = early?.snapshot === head.snapshot;
  const late = () => (expected.length === 0 ? [] : differencesOf(head, access, expected));
  const differences = early !== null && isSame ? early.differences : late();
  if (isRefusal(differences)) return differences;
  if (differences.length > 0) return { ...failed, differences };
  if (ifRevision !== null && ifRevision !== head.revision) return failed;
  if (preconditions === null) return null;
  // Whether a range has changed tells of its values.
  if (target !== null && access.hiddenSheets.has(target.sheet)) return VALUES_HIDDEN;
  const verdict = judge(preconditions, head, target);
  if (verdict === 'holds') return null;
  if (verdict === 'unknown') return HISTORY_UNKNOWN;
  return failed;
}

function proposalOf(context: ServiceContext, request: WriteRequest, proposed: WriteProposal): CommitProposal<string> {
  const { access, keyed } = request;
  return {
    kind: 'proposal',
    edits: proposed.edits,
    author: request.apply?.author ?? authorOf(access.caller),
    epoch: access.epoch,
    ...(request.signal ? { cancel: { signal: request.signal, reason: CANCELLED } } : {}),
    renewEpoch: async () => {
      const renewed = await request.renew();
      return isRefusal(renewed) || !hasSameRights(renewed, access) ? null : renewed.epoch;
    },
    ...(proposed.structure ? { structure: proposed.structure } : {}),
    finish: (done, made): ProposalResult<string> => {
      const { at } = made;
      const usual = proposed.describe(done, made);
      const { body, notes, also = [] } = request.apply?.describe(usual, done, made) ?? usual;
      const warnings = warningsOf(done);
      const reply = jsonText(withWarnings(body, warnings));
      const kept = keyed === null ? [] : [keep(context, keyed, reply, at)];
      return { reply, audited: auditEntries(access, notes, at), statements: [...kept, ...also] };
    },
  };
}

/** Whether two decisions let a caller do the same, whenever they were made. */
function hasSameRights(a: DocumentAccess, b: DocumentAccess): boolean {
  return isDeepStrictEqual(withoutTime(a), withoutTime(b));
}

function withoutTime({ epoch: _epoch, caller, ...rights }: DocumentAccess) {
  const { epoch: _callers, expiresAt: _end, ...who } = caller;
  return { ...rights, who };
}

/** The same proposal tried out: the usual answer, and the cells that would change, without those that the caller may not see. */
function trialOf({ caller, hiddenSheets }: DocumentAccess, head: Head, proposed: WriteProposal): Trial<Reply> {
  const { edits, foretell, describe, form } = proposed;
  return {
    kind: 'trial',
    edits,
    ...(form === undefined ? {} : { form }),
    author: authorOf(caller),
    show: ({ outcomes, warnings, sheets, cells, isCut }) => {
      const done = { outcomes, warnings, before: head.sheets, after: sheets };
      const told = warningsOf(done);
      const usual = foretell?.(head.revision + 1, outcomes) ?? describe(done, { revision: head.revision, at: 0 }).body;
      const changes = cells
        .filter(({ sheet }) => !hiddenSheets.has(sheet))
        .map(({ sheetName, row, column, before, after, how }) => ({
          cell: withSheet(sheetName, cellText(row, column)),
          before,
          after,
          ...(how === 'recalculated' ? { derived: true } : {}),
          ...(how === 'deleted' ? { deleted: true } : {}),
        }));
      const body = {
        ...withWarnings(usual, told),
        dryRun: true,
        changes,
        ...(isCut ? { truncated: true } : {}),
      };
      return { kind: 'reply', body: jsonText(body), revision: null, replayed: false };
    },
  };
}

export function authorOf(caller: Caller): Author {
  const token = tokenOf(caller);
  return {
    userId: caller.userId,
    origin: originOf(caller),
    tokenId: token.id,
    tokenName: token.name,
    requestId: caller.requestId,
  };
}

/** An answer with the warnings of cells behind its own. */
function withWarnings(body: Readonly<Record<string, unknown>>, ofCells: readonly object[]): typeof body {
  if (ofCells.length === 0) return body;
  const own = Array.isArray(body['warnings']) ? body['warnings'] : [];
  return { ...body, warnings: [...own, ...ofCells].slice(0, MAX_WARNINGS) };
}

function warningsOf({ warnings, after }: BatchResult): readonly { cell: string; message: string }[] {
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

/** The engine's refusal of an edit that stands at a place of the request. */
function placedRefusal(refusal: EngineRefusal, place: string | undefined): Refusal {
  if (place === undefined) return engineRefusal(refusal);
  if (refusal.reason === 'outsideGrid') return invalidRequest(place, 'Filled cells would leave the grid');
  const told = engineRefusal(refusal);
  return isFieldRefusal(told) ? { ...told, field: `${place}.${told.field}` } : told;
}
