import { isDeepStrictEqual } from 'node:util';
import { type Block, cellText, type Refusal as EngineRefusal, type FormulaWarning, jsonText } from '@cellwire/engine';
import type { DocumentAccess } from '../access/access.ts';
import { type Caller, describeToken, hasExpired } from '../access/callers.ts';
import { DOCUMENT_NOT_FOUND, UNAUTHENTICATED } from '../access/refusal.ts';
import type { TargetRange } from '../documents/recent-commits.ts';
import type {
  BatchResult,
  CommitAuthor,
  CommitProposal,
  DeclinedProposal,
  DryRunProposal,
  OpenDocument,
  PostponedProposal,
  ProposalHead,
  ProposalResult,
  Proposer,
  SheetEntry,
  WriteOutcome,
} from '../documents/types.ts';
import { MAX_WARNINGS } from '../limits/http.ts';
import { commitOncePerKey } from './access-retry.ts';
import { toCellChange } from './cell-change.ts';
import { resolveInputLocale } from './cells/input-locale.ts';
import { type CommitConflict, HISTORY_LOOKED_UP } from './commit-loop.ts';
import type { ServiceContext } from './context.ts';
import { toApiRefusal } from './engine-refusal.ts';
import { type EarlyDifferences, findDifferences, precompareCells } from './expectations.ts';
import { createAuditEntries, toAuditOrigin } from './history/audit-log.ts';
import { keepReplyRow } from './idempotency.ts';
import { openWritableTable } from './open-table.ts';
import { checkPreconditions, lookUpInLog, type Preconditions } from './preconditions.ts';
import { storeProposal } from './proposals/store-proposal.ts';
import { formatQualifiedRange } from './ranges.ts';
import { excludeFromValueEdits } from './rebase/kept-cells.ts';
import { areCommitsKnown, findWrittenSince, isArrangementUnchanged } from './rebase/steps.ts';
import {
  BUSY,
  CANCELLED,
  CONSENT_NEEDED,
  invalidRequest,
  isFieldRefusal,
  isRefusal,
  REARRANGED,
  type Refusal,
  VALUES_HIDDEN,
} from './refusal.ts';
import type { WriteReply } from './reply.ts';
import type {
  AddressBase,
  PreviewedWrite,
  ProposeRequest,
  ProposeWrite,
  WriteProposal,
  WriteRequest,
} from './write-request.ts';

/** Prepares a use case's proposal from the state on disk. Runs again if the write is applied to another state. */
type PrepareWrite = (access: DocumentAccess) => ProposeWrite | Promise<ProposeWrite | Refusal>;

/**
 * Writes what a use case proposes. The commit, the audit rows and the kept reply are one transaction. The rights are
 * checked at commit time, also after a wait: if the access has changed, the commit fails and the access is decided
 * again.
 */
export function commitWrite(
  context: ServiceContext,
  request: WriteRequest,
  propose: ProposeWrite,
): Promise<WriteReply | Refusal> {
  return prepareAndWrite(context, request, () => propose);
}

/** Like `commitWrite`, for proposals that need more than the document's newest state. */
export function prepareAndWrite(
  context: ServiceContext,
  request: WriteRequest,
  prepare: PrepareWrite,
): Promise<WriteReply | Refusal> {
  if (needsConsent(request)) return Promise.resolve(CONSENT_NEEDED);
  const { keyed, dryRun = false, reauthorize } = request;
  let { preconditions } = request;
  const action = { by: request.access, keyed: dryRun ? null : keyed, reauthorize };
  return commitOncePerKey(context, action, (access) =>
    attemptCommit(context, { ...request, access, preconditions }, prepare, async (document, unknown) => {
      preconditions = await lookUpInLog(context, document, unknown);
      return HISTORY_LOOKED_UP;
    }),
  );
}

/** True if the caller's writes become proposals, but the entry point did not make a proposal of this write. */
function needsConsent({ access, dryRun, propose, apply }: WriteRequest): boolean {
  return access.caller.proposes && !dryRun && !propose && !apply;
}

/** The commits in memory cannot decide a precondition. */
const HISTORY_UNKNOWN: CommitConflict = { kind: 'conflict', conflict: 'history unknown' };

/** Tries to commit the write once; returns a conflict if the document or its rights changed meanwhile. */
async function attemptCommit(
  context: ServiceContext,
  request: WriteRequest,
  prepare: PrepareWrite,
  lookUp: (document: OpenDocument, unknown: Preconditions) => Promise<CommitConflict>,
): Promise<WriteReply | Refusal | CommitConflict> {
  const { access, expected, preconditions, propose: wanted } = request;
  const opened = openWritableTable(context, access);
  const document = opened instanceof Promise ? await opened : opened;
  if (isRefusal(document)) return document;
  const prepared = prepare(access);
  const propose = prepared instanceof Promise ? await prepared : prepared;
  if (isRefusal(propose)) return propose;
  const early = expected.length === 0 ? null : await precompareCells(() => document.readSnapshot(), access, expected);
  const write = new AttemptedWrite(context, request, propose, early);
  const outcome = await document.write<string, UnwrittenResult>((head) => write.proposeForState(head), {
    user: access.caller.userId,
    bytes: request.bodyBytes,
  });
  if (outcome.kind === 'written') {
    return { kind: 'reply', body: outcome.reply, revision: outcome.commit.revision, replayed: false };
  }
  const result = toUnwrittenResult(outcome, write.places);
  if (result === HISTORY_UNKNOWN && preconditions !== null) return lookUp(document, preconditions);
  if (result.kind !== 'previewed') return result;
  if (!wanted) throw new Error('A preview was created without a request');
  return storeProposal(context, request, wanted, result);
}

/** The result of an attempt that created no commit. */
type UnwrittenResult = WriteReply | Refusal | CommitConflict | PreviewedWrite;

/** One attempt to write. Proposes its commit, dry run or preview for the state of the document at its turn. */
class AttemptedWrite {
  /** The place of each edit in the request, from the last proposal. */
  places: readonly string[] = [];
  private readonly context: ServiceContext;
  private readonly request: WriteRequest;
  private readonly propose: ProposeWrite;
  private readonly early: EarlyDifferences | null;
  /** Undefined: the addresses refer to the state at the turn. Null: the write must be prepared again. */
  private addressBase: AddressBase | null | undefined;

  constructor(
    context: ServiceContext,
    request: WriteRequest,
    propose: ProposeWrite,
    earlyDifferences: EarlyDifferences | null,
  ) {
    this.context = context;
    this.request = request;
    this.propose = propose;
    this.early = earlyDifferences;
    this.addressBase = request.addressBase;
  }

  /** Proposes the write on a state. Runs again if the document has another state by the time of the commit. */
  proposeForState(head: ProposalHead): ReturnType<Proposer<string, UnwrittenResult>> {
    const { context, request } = this;
    const { access, signal, apply, dryRun } = request;
    if (hasExpired(access.caller, context.clock())) return createDecline(UNAUTHENTICATED);
    const base = this.addressBase;
    if (base === null) return createDecline(REARRANGED);
    if (base !== undefined && !areCommitsKnown(head.recent, base.revision, head.revision))
      return this.createPostponement(base, head);
    const keptCells = base === undefined ? [] : findCellsToKeep(base, head);
    if (keptCells === null) return createDecline(REARRANGED);
    if (signal?.aborted) return createDecline(CANCELLED);
    const refused = apply?.check(head) ?? null;
    if (refused !== null) return createDecline(refused);
    const requested = this.propose(head, access);
    this.places = 'places' in requested ? (requested.places ?? []) : [];
    if ('kind' in requested) return createDecline(requested);
    const proposed = keptCells.length === 0 ? requested : excludeFromProposal(requested, keptCells);
    if (proposed === null) return createDecline(REARRANGED);
    if (dryRun && touchesHiddenSheet(proposed, access)) return createDecline(VALUES_HIDDEN);
    const refusal = refuseUnmetConditions(request, head, proposed.target ?? null, this.early);
    if (refusal !== null) return createDecline(refusal);
    if (dryRun) return createDryRun(access, head, proposed);
    return request.propose
      ? createPreviewTrial(access, head, proposed, request.propose)
      : createCommitProposal(context, request, proposed);
  }

  /** Reads the commits since the revision of the addresses, and proposes again. */
  private createPostponement(base: AddressBase, head: ProposalHead): PostponedProposal {
    const readLog = async () => {
      this.addressBase = await base.followTo(head);
    };
    return { kind: 'postponed', readLog };
  }
}

function createDecline<Reason>(reason: Reason): DeclinedProposal<Reason> {
  return { kind: 'declined', reason };
}

/** Runs the write as a trial; its preview is stored as a proposal. */
function createPreviewTrial(
  access: DocumentAccess,
  head: ProposalHead,
  proposed: WriteProposal,
  { form = proposed.form }: ProposeRequest,
): DryRunProposal<PreviewedWrite> {
  const isRestore = proposed.edits.some(({ kind }) => kind === 'restore');
  return {
    kind: 'trial',
    edits: proposed.edits,
    ...(form === undefined ? {} : { form }),
    author: toAuthor(access.caller),
    details: { hasRedo: isRestore, formulaLocale: resolveInputLocale(null, access, head.snapshot) },
    show: (preview) => ({ kind: 'previewed', head, proposed, preview }),
  };
}

/** The cells that the write must leave unchanged; null if it must be prepared again for this state. */
function findCellsToKeep(
  { revision, cells, keepsWritten, written }: AddressBase,
  head: ProposalHead,
): readonly Block[] | null {
  if (!isArrangementUnchanged(head.recent, revision, head.revision)) return null;
  const addedCells = cells === null ? [] : findWrittenSince(head.recent, revision, cells);
  if (addedCells === null || (addedCells.length > 0 && !keepsWritten)) return null;
  return [...written, ...addedCells];
}

/** The proposal without writes to these cells; null if that is impossible. */
function excludeFromProposal(proposal: WriteProposal, cells: readonly Block[]): WriteProposal | null {
  const edits = excludeFromValueEdits(proposal.edits, cells);
  return edits === null ? null : { ...proposal, edits };
}

/**
 * True if an edit concerns a sheet whose values are hidden from the caller: a trial would reveal them (decisions
 * §13.3).
 */
function touchesHiddenSheet({ edits }: WriteProposal, { hiddenSheets }: DocumentAccess): boolean {
  return hiddenSheets.size > 0 && edits.some((edit) => 'sheet' in edit && hiddenSheets.has(edit.sheet));
}

/** The result of a write that created no commit. `paths`: the places of its edits, see `WriteProposal`. */
export function toUnwrittenResult<Reason>(
  outcome: Exclude<WriteOutcome<unknown, Reason>, { readonly kind: 'written' }>,
  paths: readonly string[] = [],
): Reason | Refusal | CommitConflict {
  switch (outcome.kind) {
    case 'declined':
      return outcome.reason;
    case 'refusal':
      return addRefusalPlace(outcome, paths[outcome.edit ?? -1]);
    case 'removed':
      return DOCUMENT_NOT_FOUND;
    case 'busy':
      return BUSY;
    case 'conflict':
      return outcome;
  }
}

/**
 * Refuses the write if its conditions do not hold; null if they do. Runs in the commit's turn: of concurrent writes
 * with the same tag, one succeeds.
 */
function refuseUnmetConditions(
  request: WriteRequest,
  head: ProposalHead,
  target: TargetRange | null,
  early: EarlyDifferences | null,
) {
  const { preconditions, ifRevision, expected, access } = request;
  const failed = { kind: 'refusal', reason: 'preconditionFailed', revisionId: String(head.revision) } as const;
  const isSame = early?.snapshot === head.snapshot;
  const findLateDifferences = () => (expected.length === 0 ? [] : findDifferences(head, access, expected));
  const differences = early !== null && isSame ? early.differences : findLateDifferences();
  if (isRefusal(differences)) return differences;
  if (differences.length > 0) return { ...failed, differences };
  if (ifRevision !== null && ifRevision !== head.revision) return failed;
  if (preconditions === null) return null;
  // The result would reveal if hidden values have changed.
  if (target !== null && access.hiddenSheets.has(target.sheet)) return VALUES_HIDDEN;
  const verdict = checkPreconditions(preconditions, head, target);
  if (verdict === 'holds') return null;
  if (verdict === 'unknown') return HISTORY_UNKNOWN;
  return failed;
}

function createCommitProposal(
  context: ServiceContext,
  request: WriteRequest,
  proposed: WriteProposal,
): CommitProposal<string> {
  const { access, keyed } = request;
  return {
    kind: 'proposal',
    edits: proposed.edits,
    author: request.apply?.author ?? toAuthor(access.caller),
    epoch: access.epoch,
    ...(request.signal ? { cancel: { signal: request.signal, reason: CANCELLED } } : {}),
    renewEpoch: async () => {
      const renewed = await request.reauthorize();
      return isRefusal(renewed) || !hasSameRights(renewed, access) ? null : renewed.epoch;
    },
    ...(proposed.structure ? { structure: proposed.structure } : {}),
    finish: (done, commit): ProposalResult<string> => {
      const { at, revision } = commit;
      const usual = proposed.describe(done, commit);
      const { body, notes, extraStatements = [] } = request.apply?.describe(usual, done, commit) ?? usual;
      const warnings = describeWarnings(done);
      const reply = jsonText(addWarnings(body, warnings));
      const replyStatements = keyed === null ? [] : [keepReplyRow(context, keyed, reply, at, { revision })];
      return {
        reply,
        audited: createAuditEntries(access, notes, at),
        statements: [...replyStatements, ...extraStatements],
      };
    },
  };
}

/** True if two access decisions grant the same rights, regardless of their times. */
function hasSameRights(a: DocumentAccess, b: DocumentAccess): boolean {
  return isDeepStrictEqual(dropTimeMembers(a), dropTimeMembers(b));
}

/** The rights of an access without its epochs and its end, which differ between equal rights. */
function dropTimeMembers({ epoch: _epoch, caller, ...rights }: DocumentAccess) {
  const { epoch: _callers, expiresAt: _end, ...who } = caller;
  return { ...rights, who };
}

/**
 * Runs the write as a dry run: the usual response plus the changed cells, without cells that are hidden from the
 * caller.
 */
function createDryRun(
  { caller, hiddenSheets }: DocumentAccess,
  head: ProposalHead,
  proposed: WriteProposal,
): DryRunProposal<WriteReply> {
  const { edits, preview, describe, form } = proposed;
  return {
    kind: 'trial',
    edits,
    ...(form === undefined ? {} : { form }),
    author: toAuthor(caller),
    show: ({ outcomes, warnings, sheets, cells, isCut }) => {
      const done = { outcomes, warnings, before: head.sheets, after: sheets };
      const cellWarnings = describeWarnings(done);
      const usual = preview?.(head.revision + 1, outcomes) ?? describe(done, { revision: head.revision, at: 0 }).body;
      const changes = cells.filter(({ sheet }) => !hiddenSheets.has(sheet)).map(toCellChange);
      const body = {
        ...addWarnings(usual, cellWarnings),
        dryRun: true,
        changes,
        ...(isCut ? { truncated: true } : {}),
      };
      return { kind: 'reply', body: jsonText(body), revision: null, replayed: false };
    },
  };
}

export function toAuthor(caller: Caller): CommitAuthor {
  const token = describeToken(caller);
  return {
    userId: caller.userId,
    origin: toAuditOrigin(caller),
    tokenId: token.id,
    tokenName: token.name,
    requestId: caller.requestId,
  };
}

/** Appends the warnings of cells to the response's own warnings. */
function addWarnings(body: Readonly<Record<string, unknown>>, ofCells: readonly object[]): typeof body {
  if (ofCells.length === 0) return body;
  const own = Array.isArray(body['warnings']) ? body['warnings'] : [];
  return { ...body, warnings: [...own, ...ofCells].slice(0, MAX_WARNINGS) };
}

function describeWarnings({ warnings, after }: BatchResult): readonly { cell: string; message: string }[] {
  return warnings.slice(0, MAX_WARNINGS).map((warning) => ({
    cell: formatCellName(after, warning),
    message: warning.message,
  }));
}

function formatCellName(sheets: readonly SheetEntry[], { sheet, row, column }: FormulaWarning): string {
  const cell = cellText(row, column);
  const name = sheets.find(({ id }) => id === sheet)?.name;
  return name === undefined ? cell : formatQualifiedRange(name, cell);
}

/** The engine's refusal of an edit, with the edit's place in the request. */
function addRefusalPlace(refusal: EngineRefusal, path: string | undefined): Refusal {
  if (path === undefined) return toApiRefusal(refusal);
  if (refusal.reason === 'outsideGrid') return invalidRequest(path, 'Filled cells would leave the grid');
  const translated = toApiRefusal(refusal);
  return isFieldRefusal(translated) ? { ...translated, field: `${path}.${translated.field}` } : translated;
}
