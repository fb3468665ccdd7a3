import {
  areaText,
  type Block,
  type Edit,
  findNamedArea,
  nameKey,
  type OrderedRows,
  type RowOrder,
  rearrangeArea,
  reverseRearrangement,
  type Snapshot,
  sheetsOfMove,
} from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import { markRedone, markUndo, markUndone, rowOrdersOf } from '@cellwire/store/documents';
import { addRowOrders, lacksRowOrders, parseAreas } from '@cellwire/store/stored-forms';
import { PLAN_FORBIDS } from '../../access/refusal.ts';
import type { CommitStamp, DocumentReading, ProposalHead, SheetEntry } from '../../documents/types.ts';
import { AreaIndex } from '../../documents/undo/conflicts.ts';
import { filterMoves } from '../../documents/undo/inverse-after-moves.ts';
import { unpackBlocks } from '../../documents/undo/plan.ts';
import type { UndoPlan, UndoPlanRequest, UndoSteps } from '../../documents/undo/types.ts';
import { MAX_CONFLICTS } from '../../limits/history.ts';
import { type CommitConflict, STATE_CHANGED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { formatQualifiedRange } from '../ranges.ts';
import { readStepsBetween } from '../rebase/steps.ts';
import {
  invalidRequest,
  isRefusal,
  REVISION_NOT_FOUND,
  type Refusal,
  SHEET_PROTECTED,
  VALUES_HIDDEN,
} from '../refusal.ts';
import { findRevision, parseRevision, type RevisionRow, readStateAt } from './revisions.ts';

export type UndoContext = Pick<ServiceContext, 'database' | 'documents' | 'config' | 'clock'>;

/** Restrictions of the user who undoes or restores. */
export interface UndoRestrictions {
  /** The user whose limits count the work; null: the operator. */
  readonly user: number | null;
  readonly locked: ReadonlySet<number>;
  /** Sheets whose values are hidden from the user: their changes are not undone. */
  readonly hiddenSheets: ReadonlySet<number>;
  /** True if sheets may be added, deleted and renamed. */
  readonly mayRestructure: boolean;
}

/** The edits of an undo or restore. */
interface PreparedUndo {
  readonly edits: readonly Edit[];
  readonly body: (commit: Pick<CommitStamp, 'revision'>) => Readonly<Record<string, unknown>>;
  readonly range: string;
  /** Statements of the commit. */
  readonly marks: (commit: CommitStamp) => readonly Statement[];
}

/** Decides on the state that the write is applied to. */
export type PreparedProposer = (head: ProposalHead) => PreparedUndo | Refusal | CommitConflict;

/**
 * A proposer of edits that undo a revision; refused if it cannot be undone or the caller may not. The proposer refuses
 * a revision that is undone already, and conflicts with later writes unless `force` is true.
 */
export async function prepareUndo(
  context: UndoContext,
  id: string,
  reading: DocumentReading,
  { user, locked, hiddenSheets, mayRestructure }: UndoRestrictions,
  { revision: text, force }: { readonly revision: string; readonly force: boolean },
): Promise<PreparedProposer | Refusal> {
  const row = await findRevision(context, id, text);
  if (isRefusal(row)) return row;
  const { revision } = row;
  const isUndone = row.undone_by !== null;
  const question = { revision, isUndone, force, latest: toLatestSheets(reading) };
  const plan = await context.documents.planUndo(id, question, user);
  if (plan === null) return createNotUndoableRefusal(revision);
  if (!mayRestructure && row.structure !== null) return PLAN_FORBIDS;
  if (plan.sheets.some((sheet) => locked.has(sheet))) return SHEET_PROTECTED;
  if (plan.sheets.some((sheet) => hiddenSheets.has(sheet))) return VALUES_HIDDEN;
  const { back } = plan;
  if (back !== null && changesAnySheet(back, hiddenSheets)) return VALUES_HIDDEN;
  const conflicts = back === null ? formatConflictRanges(plan, reading) : [];
  const movedBack = back === null ? {} : await readRestoredOrders(context, id, row, back, reading);
  return (head) => {
    if (back === null) {
      return { kind: 'refusal', reason: 'preconditionFailed', revisionId: String(head.revision), conflicts };
    }
    if (hasChangedMeanwhile(plan, back, force, reading, head)) return STATE_CHANGED;
    const { content } = back;
    const moves = filterMoves(back.moves, { hasSheet: (sheet) => head.sheets.some((one) => one.id === sheet) });
    return {
      edits: [
        ...moves.map((move): Edit => ({ kind: 'moveCells', move })),
        ...(content === null
          ? []
          : [{ kind: 'takeBack', inverse: content, locked: [...locked], ...movedBack } as const]),
      ],
      range: formatOnlyRange(plan, head.sheets),
      body: (commit) => ({ undone: { revision, revisionId: String(commit.revision) } }),
      marks: (commit) => buildUndoMarks(id, row, commit.revision),
    };
  };
}

/** A revision without a state: cells cannot be followed to it. */
const UNKNOWN_REVISION = -1;

/** The changes of cell positions that an undo makes in addition to its moves. */
async function readRestoredOrders(
  { database }: UndoContext,
  id: string,
  { revision, areas }: RevisionRow,
  undoSteps: UndoSteps,
  { snapshot }: DocumentReading,
): Promise<Pick<Extract<Edit, { kind: 'takeBack' }>, 'orders' | 'isReorder' | 'restored'>> {
  const read = parseAreas(areas);
  const { moves = [], restored } = read;
  if (read.orders === undefined && restored === undefined) return {};
  const packed = lacksRowOrders(read) ? await database.readOne(rowOrdersOf({ id, revision })) : null;
  const { orders = [] } = addRowOrders(read, packed?.row_orders ?? null);
  const later = await readStepsBetween(database, id, revision, snapshot.revision);
  const isStill = later?.every(({ steps }) => steps.length === 0) ?? false;
  if (restored !== undefined) return { restored: isStill ? revision - 1 : UNKNOWN_REVISION };
  const restoredOrders = orders.toReversed().map(({ after, rows }): OrderedRows => {
    const reversed = reverseRearrangement(rows) as RowOrder;
    if (isStill && undoSteps.moves.length === 0)
      return { after: moves.length - Math.min(after, moves.length), rows: reversed };
    const steps = [...moves.slice(after), ...(later ?? []).flatMap((one) => one.steps), ...undoSteps.moves];
    const now = steps.reduce<Block | null>((block, step) => block && rearrangeArea(step, block), rows);
    const { sheet, area } = now ?? rows;
    const isSameHeight = area.bottom - area.top === rows.area.bottom - rows.area.top;
    const isKnown = later !== null && now !== null && isSameHeight;
    const order = isKnown ? reversed : ({ kind: 'order', order: null } as const);
    return { after: Number.MAX_SAFE_INTEGER, rows: { ...order, sheet, area } };
  });
  return { orders: restoredOrders, ...(read.reordered === true ? { isReorder: true } : {}) };
}

/** Refuses the undo of a commit without an inverse. Such a commit can be read, and restored as a whole. */
function createNotUndoableRefusal(revision: number): Refusal {
  return invalidRequest(
    'revision',
    `Revision ${revision} was written by an older version, which stored nothing to undo it by; ` +
      'restore the document to the revision before it, or write the cells again',
  );
}

/** The sheets as plain data. */
function toLatestSheets({ snapshot: { revision, sheets } }: DocumentReading): UndoPlanRequest['latest'] {
  return { revision, sheets: sheets.map(({ id, name, hidden, color }) => ({ id, name, hidden, color })) };
}

/** True if one of the sheets is changed, including by cells that have moved to it since. */
function changesAnySheet({ moves, blocks }: UndoSteps, sheets: ReadonlySet<number>): boolean {
  return (
    unpackBlocks(blocks).some(({ sheet }) => sheets.has(sheet)) ||
    moves.some((move) => [...sheetsOfMove(move)].some((id) => sheets.has(id)))
  );
}

/** The conflicting ranges with sheet names, `MAX_CONFLICTS` at most. */
function formatConflictRanges({ conflicts }: UndoPlan, { snapshot }: DocumentReading): readonly string[] {
  const { changed, redefined, unreachable } = conflicts;
  const defined = redefined.flatMap((name) => {
    const place = findNamedArea(snapshot, name);
    if (place === null) return [];
    return [{ sheet: place.sheet, area: place.area, sheetName: snapshot.sheetById(place.sheet)?.name ?? '' }];
  });
  const blocks = [...changed, ...defined, ...unreachable].slice(0, MAX_CONFLICTS);
  return [...new Set(blocks.map(({ sheetName, area }) => formatQualifiedRange(sheetName, areaText(area))))];
}

/** Marks the revision as undone. If that revision was itself an undo, its target is in effect again. */
function buildUndoMarks(id: string, { revision, undoes }: RevisionRow, undoRevision: number): readonly Statement[] {
  return [
    markUndo({ id, revision: undoRevision, undoes: revision }),
    markUndone({ id, revision, by: undoRevision }),
    ...(undoes === null ? [] : [markRedone({ id, revision })]),
  ];
}

/** The range that an undo changes, if it changes only one; else empty. */
function formatOnlyRange({ onlyBlock: block }: UndoPlan, sheets: readonly SheetEntry[]): string {
  const name = sheets.find(({ id }) => id === block?.sheet)?.name;
  return block === null || name === undefined ? '' : formatQualifiedRange(name, areaText(block.area));
}

/** True if commits after the checked state may conflict. */
function hasChangedMeanwhile(
  { changesSheets }: UndoPlan,
  { blocks }: UndoSteps,
  force: boolean,
  checked: DocumentReading,
  { head, revision, recent }: ProposalHead,
): boolean {
  if (head === checked.head) return false;
  const { revision: from } = checked.snapshot;
  const since = recent.filter((commit) => commit.revision > from);
  if (since.length !== revision - from || since.some(({ structural }) => structural)) return true;
  if (force) return false;
  const index = new AreaIndex(unpackBlocks(blocks));
  return since.some(({ areas }) => areas === null || changesSheets || canHaveWritten(index, areas));
}

/** True if a commit may have written to the cells. */
function canHaveWritten(index: AreaIndex, areas: string): boolean {
  const { written, rest = [] } = parseAreas(areas);
  return (
    rest.length > 0 ||
    written.some(
      ([sheet, top, left, bottom, right]) => index.findIntersections(sheet, { top, left, bottom, right }, 1).length > 0,
    )
  );
}

/** A proposer of the edit that brings back the state of a revision; refused if the revision is no longer kept. */
export async function prepareRestore(
  context: UndoContext,
  id: string,
  reading: DocumentReading,
  { user, locked, hiddenSheets, mayRestructure }: UndoRestrictions,
  text: string,
): Promise<PreparedProposer | Refusal> {
  const revision = parseRevision(text);
  if (revision === null) return REVISION_NOT_FOUND;
  const target = await readStateAt(context, { id }, reading, revision, { user, viewer: null });
  if (isRefusal(target)) return target;
  const state = await context.documents.encodeCheckpoint(target, user);
  const edits: readonly Edit[] = [{ kind: 'restore', state, locked: [...locked], unseen: [...hiddenSheets], revision }];
  return ({ sheets }) => {
    if (!mayRestructure && !haveSameSheets(target, sheets)) return PLAN_FORBIDS;
    return {
      edits,
      range: '',
      body: (commit) => ({ restored: { revision, revisionId: String(commit.revision) } }),
      marks: () => [],
    };
  };
}

/** True if both have the same sheets in order, name and visibility. */
function haveSameSheets({ sheets: target }: Snapshot, sheets: readonly SheetEntry[]): boolean {
  return (
    target.length === sheets.length &&
    target.every(({ id, name, hidden }, i) => {
      const sheetEntry = sheets[i];
      return sheetEntry?.id === id && nameKey(sheetEntry.name) === nameKey(name) && sheetEntry.hidden === hidden;
    })
  );
}
