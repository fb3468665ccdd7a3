import { cellText, type Edit, followEdits, type Move, moveCell } from '@cellwire/engine';
import { runInSlices, runSynchronously } from '@cellwire/event-loop';
import { commitFrom } from '@cellwire/store/documents';
import type { ProposalRow } from '@cellwire/store/proposals';
import { parseAreas } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../../access/access.ts';
import type { Preview, PreviewedCell } from '../../documents/preview.ts';
import type { PreviewedArea, PreviewWindow } from '../../documents/preview-details.ts';
import type { CommitAuthor, DocumentReading, ProposalHead } from '../../documents/types.ts';
import { MAX_CONFLICTS } from '../../limits/history.ts';
import { MAX_COMPARED_AT_ONCE } from '../../limits/proposals.ts';
import { resolveInputLocale } from '../cells/input-locale.ts';
import { readMovesBetween } from '../changes/watch.ts';
import { type CommitConflict, STATE_CHANGED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { type PreparedProposer, prepareUndo } from '../history/undo.ts';
import { formatQualifiedRange } from '../ranges.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { toUnwrittenResult } from '../write.ts';
import { countWatchedCells, findAffectedCells } from './affected-cells.ts';
import { findChangedRanges, type LaterState } from './changed-cells.ts';
import type { ProposalContent } from './content.ts';
import { type ProposedChanges, parseStoredChanges, toProposedChanges } from './view.ts';

/** A proposal checked against a state of its document. */
export interface CurrentState {
  readonly reading: DocumentReading;
  /** Moves of cells since the preview; null: the log does not reach back. */
  readonly moves: readonly Move[] | null;
  /** Ranges that prevent the proposal from being applied. */
  readonly conflicts: readonly string[];
}

/** The state together with the changes that applying would make. */
export interface CurrentChanges extends CurrentState {
  /** The preview's changes if there are conflicts. */
  readonly changes: ProposedChanges;
}

/** The effect of applying a proposal on the newest state, for a caller. */
export async function computeCurrentChanges(
  context: ServiceContext,
  access: DocumentAccess,
  row: ProposalRow,
  { content, reading }: { readonly content: ProposalContent; readonly reading: DocumentReading },
): Promise<CurrentChanges> {
  const present = await computeCurrentState(context, access.documentId, row, content, reading);
  const stored = replaceSheetNames(await followChanges(parseStoredChanges(row), present.moves ?? []), reading);
  if (present.conflicts.length > 0) return { ...present, changes: stored };
  const author = toProposalAuthor(row, null);
  const changes = await computeNewestChanges(context, access, content, { present, author });
  if (changes === null) return { ...present, changes: stored };
  return { ...present, conflicts: findOtherConstants(stored, changes), changes };
}

/**
 * Changes at the current places of their cells, without deleted cells and without formulas, whose references may have
 * moved. The changes of a proposal that moves cells itself cannot be followed and stay as they are.
 */
async function followChanges(changes: ProposedChanges, moves: readonly Move[]): Promise<ProposedChanges> {
  if (moves.length === 0 || changes.moves.length > 0) return changes;
  return { ...changes, cells: await runInSlices(followCells(changes.cells, moves)) };
}

/** The cells at their positions after moves, without deleted ones. Pauses after each cell. */
function* followCells(
  cells: readonly PreviewedCell[],
  moves: readonly Move[],
): Generator<void, readonly PreviewedCell[]> {
  const followed: PreviewedCell[] = [];
  for (const { formulas: _formulas, ...cell } of cells) {
    let place: ReturnType<typeof moveCell> = cell;
    for (const move of moves) place = place && moveCell(move, place.sheet, place.row, place.column);
    if (place !== null) followed.push({ ...cell, sheet: place.sheet, row: place.row, column: place.column });
    yield;
  }
  return followed;
}

/** Changes with the current names of their sheets. */
function replaceSheetNames(changes: ProposedChanges, { snapshot }: DocumentReading): ProposedChanges {
  const { cells, counts, moves } = changes;
  const findSheetName = (sheet: number, before: string): string => snapshot.sheetById(sheet)?.name ?? before;
  const replaceName = (area: PreviewedArea | null): PreviewedArea | null =>
    area && { ...area, sheetName: findSheetName(area.sheet, area.sheetName) };
  return {
    ...changes,
    cells: cells.map((cell) => ({ ...cell, sheetName: findSheetName(cell.sheet, cell.sheetName) })),
    counts: counts.map((count) => ({ ...count, name: findSheetName(count.sheet, count.name) })),
    moves: moves.map(({ from, to }) => ({ from: replaceName(from), to: replaceName(to) })),
  };
}

/** The author whose rights calculate and write a proposal. */
export function toProposalAuthor(row: ProposalRow, requestId: string | null): CommitAuthor {
  const { user_id: userId, origin, token_id: tokenId, token_name: tokenName } = row;
  return { userId, origin, tokenId, tokenName, requestId };
}

/** Cells whose constant would differ from the preview, such as dates typed without a year. */
function findOtherConstants(stored: ProposedChanges, fresh: ProposedChanges): readonly string[] {
  const listWrittenConstants = ({ cells }: ProposedChanges): readonly PreviewedCell[] =>
    cells.filter(({ how, isFormula }) => how === 'written' && !isFormula);
  const [before, after] = [listWrittenConstants(stored), listWrittenConstants(fresh)];
  // Only the first thousand changes are stored, so the others cannot be compared.
  if (before.length !== after.length) return [];
  // Moves may change the order of the cells.
  const formatValues = (cells: readonly PreviewedCell[]) =>
    JSON.stringify(cells.map((cell) => JSON.stringify(cell.after)).sort());
  if (formatValues(before) === formatValues(after)) return [];
  return after
    .filter((cell, i) => JSON.stringify(cell.after) !== JSON.stringify(before[i]?.after))
    .slice(0, MAX_CONFLICTS)
    .map(({ sheetName, row, column }) => formatQualifiedRange(sheetName, cellText(row, column)));
}

/**
 * The moves since a proposal, and the ranges that conflict with later commits. Moves are null if the log does not reach
 * back.
 */
export async function computeCurrentState(
  context: ServiceContext,
  document: string,
  row: Pick<ProposalRow, 'base_revision'>,
  content: ProposalContent,
  reading: DocumentReading,
): Promise<CurrentState> {
  const { revision } = reading.snapshot;
  const base = row.base_revision;
  const isKnown = base === revision || (base < revision && (await logReachesBack(context, document, base)));
  if (!isKnown) return { reading, moves: null, conflicts: listWrittenRanges(content) };
  const moving = base === revision ? [] : await readMovesBetween(context, document, base, revision);
  const moves = moving.flatMap((commit) => commit.moves);
  const conflicts = await runInSlices(findChangedRanges(content.watched, toLaterState(content, reading, moves)));
  const isFollowed = conflicts.length > 0 || content.edits === null || translateEdits(content, reading, moves) !== null;
  return { reading, moves, conflicts: isFollowed ? conflicts : listWrittenRanges(content) };
}

/** True if the log still has the commit after the revision. */
async function logReachesBack({ database }: ServiceContext, id: string, base: number): Promise<boolean> {
  const next = await database.readOne(commitFrom({ id, revision: base + 1 }));
  return next?.revision === base + 1;
}

/** A later state with the moves since the proposal and the sheets of that time. */
function toLaterState(
  { sheets }: ProposalContent,
  { snapshot }: Pick<ProposalHead, 'snapshot'>,
  moves: readonly Move[],
): LaterState {
  return { snapshot, moves, before: sheets };
}

/**
 * The ranges that the proposal writes, with the sheet names of its preview. They are its conflicts if the log does not
 * show where the cells are now.
 */
function listWrittenRanges({ sheets, writes, notes }: ProposalContent): readonly string[] {
  const ranges = notes.map(({ range }) => range).filter((range) => range !== '');
  if (ranges.length > 0) return [...new Set(ranges)];
  const sheetRanges = sheets
    .filter(({ id }) => writes.includes(id))
    .map(({ name }) => formatQualifiedRange(name, 'A:XFD'));
  return sheetRanges.length > 0
    ? sheetRanges
    : sheets.slice(0, 1).map(({ name }) => formatQualifiedRange(name, 'A:XFD'));
}

/** The edits for a later state; null: cells or sheets were deleted. */
export function translateEdits(
  { edits, sheets, nextSheetId }: ProposalContent,
  { snapshot }: Pick<ProposalHead, 'snapshot'>,
  moves: readonly Move[],
): readonly Edit[] | null {
  if (edits === null) return null;
  return followEdits(edits, {
    moves,
    before: sheets,
    after: snapshot.sheets,
    nextSheetId: { before: nextSheetId, after: snapshot.nextSheetId },
  });
}

/**
 * The conflicts on the state that a write is applied to. If there were commits after `checkedState`, the cells are
 * compared again. Returns a conflict, so that the caller prepares again, if these commits moved cells or changed the
 * structure, or if very many cells must be compared.
 */
export function findConflicts(
  content: ProposalContent,
  checkedState: CurrentState,
  head: ProposalHead,
): readonly string[] | CommitConflict {
  const { reading, moves, conflicts } = checkedState;
  if (head.head === reading.head || moves === null) return conflicts;
  const since = head.recent.filter(({ revision }) => revision > reading.snapshot.revision);
  const isPlain =
    since.length === head.revision - reading.snapshot.revision &&
    since.every(({ structural, areas }) => !structural && areas !== null && !areas.includes('"moves"'));
  if (!isPlain) return STATE_CHANGED;
  const state = toLaterState(content, head, moves);
  const compare = (cells: ProposalContent['watched']) => runSynchronously(findChangedRanges(cells, state));
  if (countWatchedCells(content.watched) <= MAX_COMPARED_AT_ONCE) return compare(content.watched);
  if (conflicts.length > 0) return conflicts;
  const areas = since.map((commit) => parseAreas(commit.areas ?? ''));
  const affected = findAffectedCells(content.watched, areas, moves);
  // Comparing very many cells at once would block other requests, so the caller prepares again, in slices.
  return countWatchedCells(affected) <= MAX_COMPARED_AT_ONCE ? compare(affected) : STATE_CHANGED;
}

interface UndoInput {
  readonly revision: string;
  readonly force?: boolean;
}

/** Prepares an undo again. Undo is the only operation that is run again on later states. */
export function prepareUndoAgain(
  context: ServiceContext,
  access: DocumentAccess,
  { operation }: ProposalContent,
  reading: DocumentReading,
): Promise<PreparedProposer | Refusal> {
  const { revision, force = false } = operation.input as UndoInput;
  const restrictions = {
    user: access.caller.userId,
    locked: access.lockedSheets,
    hiddenSheets: access.hiddenSheets,
    mayRestructure: access.caller.plan.sheetOperations,
  };
  return prepareUndo(context, access.documentId, reading, restrictions, { revision, force });
}

/** The changes of a proposal on the newest state; null: the write would be refused, or the log does not reach back. */
async function computeNewestChanges(
  context: ServiceContext,
  access: DocumentAccess,
  content: ProposalContent,
  trial: { readonly present: CurrentState; readonly author: CommitAuthor },
): Promise<ProposedChanges | null> {
  const preview = await previewNewest(context, access, content, { ...trial, window: null });
  return preview === null ? null : toProposedChanges(preview);
}

interface NewestTrial {
  readonly present: CurrentState;
  readonly author: CommitAuthor;
  readonly window: PreviewWindow | null;
}

/** Tries a proposal out on the newest state; null: the write would be refused, or the log does not reach back. */
export async function previewNewest(
  context: ServiceContext,
  access: DocumentAccess,
  content: ProposalContent,
  { present, author, window }: NewestTrial,
): Promise<Preview | null> {
  const { reading, moves } = present;
  if (moves === null) return null;
  const document = await context.documents.open(access.documentId, access.caller.userId);
  if (document === null) return null;
  const again = content.edits === null ? await prepareUndoAgain(context, access, content, reading) : null;
  if (isRefusal(again)) return null;
  const outcome = await document.write<never, Preview | null>(
    (head) => {
      const proposed = again?.(head);
      const edits =
        proposed === undefined ? translateEdits(content, head, moves) : 'edits' in proposed ? proposed.edits : null;
      if (edits === null) return { kind: 'declined', reason: null };
      const { form = 'cells' } = content;
      const details = { hasRedo: false, formulaLocale: resolveInputLocale(null, access, head.snapshot) };
      return { kind: 'trial', edits, author, form, details, window, show: (preview) => preview };
    },
    { user: access.caller.userId, bytes: 0 },
  );
  const result = outcome.kind === 'written' ? null : toUnwrittenResult(outcome);
  return result !== null && 'cells' in result ? result : null;
}
