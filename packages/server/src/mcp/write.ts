import { createHash } from 'node:crypto';
import { cellText, type FieldValue } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import { useConfirmation } from '@cellwire/store/proposals';
import { describeToken } from '../access/callers.ts';
import { MAX_CHANGES_CHARACTERS, MAX_PREVIEW_ATTEMPTS, MAX_TOOL_CHANGES } from '../limits/mcp.ts';
import type { Operation } from '../operations/operation.ts';
import { PROPOSE, WRITE_CONDITIONS } from '../operations/schemas/requests.ts';
import { toCellChange } from '../service/cell-change.ts';
import { findKeptReply, hashBody, isValidKey, type KeyedRequest } from '../service/idempotency.ts';
import { parsePreconditions } from '../service/preconditions.ts';
import type { ProposalContent } from '../service/proposals/content.ts';
import { findConflicts } from '../service/proposals/current-changes.ts';
import { viewSteps } from '../service/proposals/view.ts';
import { decodeHashes, UNWATCHED, type WatchedCells } from '../service/proposals/watched-cells.ts';
import { formatQualifiedRange } from '../service/ranges.ts';
import { isRefusal, type Refusal } from '../service/refusal.ts';
import { toAuthor } from '../service/write.ts';
import type { PreviewedWrite, ProposeRequest } from '../service/write-request.ts';
import { fitChanges, omitEmptyList, shortenLists } from './bounds.ts';
import { computePreviewHash, issueConfirmation, readConfirmation } from './confirmations.ts';
import { fitProposal, type ProposalBody } from './fit-proposal.ts';
import { describeRefusal, type StructuredContent, ToolError, unwrapOrThrow } from './results.ts';
import type { McpSession, OperationResult } from './session.ts';
import { addDescription, dropUndefined, type JsonSchema, STRING, type ToolArguments } from './tool.ts';

/** A write that a tool performs. */
interface ToolWrite {
  readonly tool: string;
  readonly document: string;
  readonly args: ToolArguments;
  readonly operation: Operation;
  readonly input: ToolArguments;
  /** Whether the write must be confirmed. Throws a `ToolError` to refuse it. Null: it never changes a filled cell. */
  readonly needsConfirmation: ((preview: WritePreview) => boolean) | null;
  /** The members of the result that only this tool has, made from the operation's answer. */
  readonly shape: (answer: OperationResult['body']) => StructuredContent;
}

/** The preview of a write on a state of its document. */
interface WritePreview {
  readonly previewed: PreviewedWrite;
  readonly content: ProposalContent;
}

/** Members of the arguments of every tool that writes. */
export const WRITE_INPUT: Readonly<Record<string, JsonSchema>> = {
  title: addDescription(PROPOSE.title, 'Title of the proposal, if the write becomes one.'),
  note: addDescription(PROPOSE.note, 'Note for the person who decides, if the write becomes a proposal.'),
  idempotencyKey: addDescription(STRING, 'A repeated call with the same key and arguments is done only once.'),
};
export const CONFIRM = {
  confirm: { type: 'string', description: 'The value of a preview of exactly this call; write nothing else here.' },
} as const;
export const IF_REVISION: Readonly<Record<string, JsonSchema>> = {
  ifRevision: addDescription(WRITE_CONDITIONS.ifRevision, 'Write only if the document is at this revision.'),
};
export const WRITE_OUTPUT = {
  document: { type: 'string' },
  revision: { type: 'integer' },
  range: { type: ['string', 'null'] },
  preview: { type: 'boolean' },
  confirm: { type: 'string' },
  expiresAt: { type: 'string' },
  proposed: { type: 'boolean' },
  proposal: { type: 'object' },
  replayed: { type: 'boolean' },
  changes: { type: 'array' },
  sheetChanges: { type: 'array' },
  moves: { type: 'array' },
  settingChanges: { type: 'array' },
  warnings: { type: 'array' },
  cut: { type: 'array' },
  total: { type: 'integer' },
  truncated: { type: 'boolean' },
  nextOffset: { type: ['integer', 'null'] },
} as const;

/**
 * Writes, or previews a write that must be confirmed. A preview is confirmed by a second call with its `confirm`. For a
 * token whose writes need consent, the result is a proposal.
 */
export async function performWrite(session: McpSession, write: ToolWrite): Promise<StructuredContent> {
  const { document, operation, input, args } = write;
  const conditions = parseWriteConditions(write);
  const { title, note } = args;
  const keyed = await toKeyedRequest(session, write);
  if (session.caller.proposes) {
    const propose: ProposeRequest = {
      title: typeof title === 'string' ? title : null,
      note: typeof note === 'string' ? note : null,
      operation: { id: operation.id, input },
      rebased: null,
    };
    const { body } = unwrapOrThrow(await session.runOperation(operation, input, { ...conditions, keyed, propose }));
    return buildProposedResult(document, body['proposal'] as ProposalBody);
  }
  // Parallel calls of an agent would otherwise invalidate each other's previews.
  const turn = `mcp ${document} ${session.caller.userId}`;
  return session.context.keyLocks.runExclusively(turn, async () => {
    const keptReply = keyed === null ? null : await findKeptReply(session.context, keyed);
    if (isRefusal(keptReply)) return unwrapOrThrow(keptReply);
    if (keptReply !== null)
      return buildReplayedResult(session, write, JSON.parse(keptReply.body) as OperationResult['body']);
    return writeAfterPreview(session, write, { ...conditions, ...(keyed === null ? {} : { keyed }) });
  });
}

type RunConditions = NonNullable<Parameters<McpSession['runOperation']>[2]>;

/**
 * Previews and writes, and previews again if another write changed the cells. After `MAX_PREVIEW_ATTEMPTS` it throws a
 * `ToolError` for tools that can need a confirmation, and writes without a preview for others.
 */
async function writeAfterPreview(
  session: McpSession,
  write: ToolWrite,
  conditions: RunConditions,
): Promise<StructuredContent> {
  for (let attempt = 1; ; attempt++) {
    const done = await attemptWrite(session, write, conditions);
    if (!isRacedRefusal(done)) return done;
    // Another write changed the previewed cells before this one was applied. Preview again.
    if (attempt < MAX_PREVIEW_ATTEMPTS) continue;
    if (write.needsConfirmation !== null) throw new ToolError(describeRefusal(done));
    return writeWithoutPreview(session, write, conditions);
  }
}

/** Performs a write that changes no filled cell, and returns the number of changed cells without their values. */
async function writeWithoutPreview(
  session: McpSession,
  write: ToolWrite,
  conditions: RunConditions,
): Promise<StructuredContent> {
  const { document, operation, input, args } = write;
  const answer = unwrapOrThrow(await session.runOperation(operation, input, conditions));
  const revision = answer.revision ?? (await readDocumentRevision(session, document));
  const { cells = 0 } = (Object.values(answer.body)[0] ?? {}) as { readonly cells?: number };
  const changes = { changes: [], total: cells, truncated: cells > 0, nextOffset: null };
  return { document, revision, range: readRangeArgument(args), ...buildResultContent(write, answer.body, changes) };
}

/** The refusal of a write because other users changed its cells between preview and write. */
type RacedRefusal = Refusal & { readonly kind: 'refusal' };

/** True if another write changed the previewed cells before this one was applied. */
function isRacedRefusal(result: StructuredContent | RacedRefusal): result is RacedRefusal {
  return isRefusal(result);
}

/** Previews a write and performs it if it needs no confirmation or is confirmed. Otherwise returns the preview. */
async function attemptWrite(
  session: McpSession,
  write: ToolWrite,
  conditions: RunConditions,
): Promise<StructuredContent | RacedRefusal> {
  const { document, operation, input, args, tool } = write;
  const call = { caller: session.caller, document, tool, args };
  const token = args['confirm'];
  const confirmed = token === undefined ? null : await readConfirmation(session.context, call, String(token));
  if (typeof confirmed === 'string') throw new ToolError(`${confirmed} ${NEW_PREVIEW}`);
  const preview = await previewWrite(session, write, conditions);
  const changes = describeChanges(preview, session);
  const hash = hashPreview(preview);
  const isToConfirm = write.needsConfirmation?.(preview) ?? false;
  if (confirmed !== null && confirmed.preview !== hash) {
    throw new ToolError(`The cells that the preview showed have changed since. ${NEW_PREVIEW}`);
  }
  if (isToConfirm && confirmed === null) {
    const confirmation = await issueConfirmation(session.context, call, hash);
    const revision = preview.previewed.head.revision;
    const steps = describeSteps(preview, session);
    return { document, revision, range: readRangeArgument(args), preview: true, ...confirmation, ...changes, ...steps };
  }
  let isRaced = false;
  const { head } = preview.previewed;
  const present = {
    reading: { snapshot: head.snapshot, head: head.head, recent: head.recent },
    moves: [],
    conflicts: [],
  };
  const outcome = await session.runOperation(operation, input, {
    ...conditions,
    apply: {
      author: toAuthor(session.caller),
      check: (now) => {
        const conflicts = findConflicts(preview.content, present, now);
        const moved = 'kind' in conflicts;
        isRaced = moved || conflicts.length > 0;
        if (!isRaced) return null;
        const revisionId = String(now.revision);
        return { kind: 'refusal', reason: 'preconditionFailed', revisionId, conflicts: moved ? [] : conflicts };
      },
      describe: (described) => {
        if (confirmed === null) return described;
        const useStatement = useConfirmation({
          document_id: document,
          id: confirmed.id,
          expires_at: confirmed.expiresAt,
        });
        return { ...described, extraStatements: [...(described.extraStatements ?? []), useStatement] };
      },
    },
  });
  if (isRefusal(outcome) && isRaced) return outcome;
  const answer = unwrapOrThrow(outcome);
  if (answer.isReplay) return buildReplayedResult(session, write, answer.body);
  const revision = answer.revision ?? (await readDocumentRevision(session, document));
  return { document, revision, range: readRangeArgument(args), ...buildResultContent(write, answer.body, changes) };
}

/** Maximum characters of the tool's own members. */
const MAX_SHAPE_CHARACTERS = 6_000;

/**
 * Builds the members that only this tool has, with the changed cells. They are shortened, because a finished write is
 * never refused.
 */
function buildResultContent(
  { shape }: ToolWrite,
  body: OperationResult['body'],
  changes: StructuredContent,
): StructuredContent {
  const shown = { ...shape(body), ...dropUndefined({ warnings: body['warnings'] }) };
  const { value, isCut } = shortenLists(shown, MAX_SHAPE_CHARACTERS);
  return { ...value, ...changes, ...(isCut ? { truncated: true } : {}) };
}

const NEW_PREVIEW = 'Nothing was written. Call the tool again without confirm for a new preview.';

/** The argument `range`; null if it is absent. */
function readRangeArgument({ range }: ToolArguments): string | null {
  return typeof range === 'string' ? range : null;
}

/** Previews the write without storing it. */
async function previewWrite(
  session: McpSession,
  { operation, input }: ToolWrite,
  conditions: RunConditions,
): Promise<WritePreview> {
  let found: WritePreview | null = null;
  const propose: ProposeRequest = {
    ...{ title: null, note: null, rebased: null, form: 'fields' as const },
    operation: { id: operation.id, input: {} },
    onPreview: (previewed, content) => {
      found = { previewed, content };
    },
  };
  unwrapOrThrow(await session.runOperation(operation, input, { ...conditions, keyed: null, propose }));
  if (found === null) throw new Error('a write was tried out without a preview');
  return found;
}

/**
 * Hash of the parts that must not change until confirmation: edits, cells that they depend on, and resulting values.
 */
function hashPreview({ previewed, content }: WritePreview): string {
  const writtenCells = previewed.preview.cells.filter(({ how }) => how !== 'recalculated');
  const edits = JSON.stringify(previewed.proposed.edits, (_key, value: unknown) =>
    value instanceof Uint8Array ? createHash('sha256').update(value).digest('hex') : value,
  );
  const cells = writtenCells.map(({ sheet, row, column, before, after, isFormula }) => [
    ...[sheet, row, column, before],
    isFormula ? null : after,
  ]);
  return computePreviewHash([edits, content.watched, cells]);
}

/** Changed cells in the form of results, without cells of sheets that are hidden from the caller. */
function describeChanges({ previewed }: WritePreview, session: McpSession): StructuredContent {
  const { cells, counts } = previewed.preview;
  const hidden = session.hiddenSheets;
  const visibleCells = cells.filter(({ sheet }) => !hidden.has(sheet));
  const all = counts
    .filter(({ sheet }) => !hidden.has(sheet))
    .reduce((sum, { written, derived }) => sum + written + derived, 0);
  const shown = visibleCells.slice(0, MAX_TOOL_CHANGES).map((cell) => {
    const change = toCellChange(cell);
    return { ...change, before: toPlainValue(change.before), after: toPlainValue(change.after) };
  });
  const total = Math.max(all, visibleCells.length);
  const { items, cut } = fitChanges(shown, { total, maxCharacters: MAX_CHANGES_CHARACTERS });
  return {
    changes: items,
    ...dropUndefined({ cut: omitEmptyList(cut) }),
    total,
    truncated: items.length < total,
    nextOffset: null,
  };
}

/** Changes of sheets, positions and settings, without empty lists; shortened if they are long. */
function describeSteps({ previewed }: WritePreview, session: McpSession): StructuredContent {
  const { lists } = viewSteps(previewed.preview, session);
  const filled = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
  const { value, isCut } = shortenLists(filled, MAX_SHAPE_CHARACTERS);
  return { ...value, ...(isCut ? { truncated: true } : {}) };
}

/** A value with an error as its code. */
export function toPlainValue(value: FieldValue): unknown {
  return typeof value === 'object' && value !== null ? value.error : value;
}

/** Whether a write changes or removes the content of a filled cell. */
export function changesFilledCells({ previewed }: WritePreview): boolean {
  const { cells, isCut } = previewed.preview;
  return isCut || cells.some(({ how, before }) => how !== 'recalculated' && before !== null);
}

/** The first filled cells that a write names, with their sheets. */
export function listFilledCells({ previewed, content }: WritePreview, limit: number): readonly string[] {
  const { snapshot } = previewed.head;
  const found: string[] = [];
  for (const watched of content.watched) {
    // Entered values are watched cell by cell.
    if (watched.kind === 'end' || watched.kind === 'blocks' || found.length >= limit) continue;
    const name = snapshot.sheetById(watched.sheet)?.name ?? '';
    for (const [row, column] of listFilledPositions(watched)) {
      if (found.length >= limit) break;
      found.push(formatQualifiedRange(name, cellText(row, column)));
    }
  }
  return found;
}

/** Whether a write concerns cells of a sheet that is hidden from the caller. */
export function concernsHiddenCells({ content }: WritePreview, { hiddenSheets }: McpSession): boolean {
  return content.watched.some(({ sheet }) => hiddenSheets.has(sheet));
}

/** The row and column of each watched cell that was not empty. */
function* listFilledPositions({
  area,
  columns,
  values,
}: Exclude<WatchedCells, { kind: 'end' | 'blocks' }>): Iterable<readonly [number, number]> {
  for (const [at, hash] of decodeHashes(values).entries()) {
    // Hash 0 means an empty cell.
    if (hash === 0 || hash === UNWATCHED) continue;
    yield [area.top + Math.floor(at / columns), area.left + (at % columns)];
  }
}

/** The revision that the argument `ifRevision` requires. */
function parseWriteConditions({ args }: ToolWrite) {
  const { ifRevision } = unwrapOrThrow(parsePreconditions(undefined, args['ifRevision'], undefined));
  return { ifRevision };
}

/** The idempotency key of a tool call with what it is compared by; null without a key. Throws if it is invalid. */
async function toKeyedRequest(session: McpSession, { document, tool, args }: ToolWrite): Promise<KeyedRequest | null> {
  const { idempotencyKey: key, confirm: _confirm, ...compared } = args;
  if (key === undefined) return null;
  if (typeof key !== 'string' || !isValidKey(key)) {
    throw new ToolError(
      'idempotencyKey must have 1 to 255 printable ASCII characters. Correct the arguments, then call again.',
    );
  }
  const scope = { userId: session.caller.userId, documentId: document, method: 'MCP', path: tool, key };
  return {
    scope,
    bodyHash: await runInSlices(hashBody({ ...compared, document, token: describeToken(session.caller).id })),
  };
}

/** The result of a repeated call, from its stored reply, without a list of changes. */
async function buildReplayedResult(
  session: McpSession,
  write: ToolWrite,
  body: OperationResult['body'],
): Promise<StructuredContent> {
  const { document, args } = write;
  const revision = await readDocumentRevision(session, document);
  const none = { changes: [], total: 0, truncated: false, nextOffset: null };
  return {
    document,
    revision,
    range: readRangeArgument(args),
    ...buildResultContent(write, body, none),
    replayed: true,
  };
}

async function readDocumentRevision(session: McpSession, document: string): Promise<number> {
  const open = await session.context.documents.open(document, session.caller.userId);
  return (await open?.readSnapshot())?.revision ?? 0;
}

/** Builds the result of a write that became a proposal. */
function buildProposedResult(document: string, proposal: ProposalBody): StructuredContent {
  const { shown, total, isCut } = fitProposal(proposal, { offset: 0, limit: MAX_TOOL_CHANGES });
  return {
    ...{ document, revision: proposal.baseRevision, range: null, proposed: true, proposal: shown },
    ...{ total, truncated: isCut, nextOffset: null },
  };
}
