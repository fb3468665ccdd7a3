import type { ProposalRow, ProposalState } from '@cellwire/store/proposals';
import { parseStoredJson, parseStoredList } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../../access/access.ts';
import type { Preview, PreviewedCell, SheetCount } from '../../documents/preview.ts';
import type { PreviewedArea, PreviewedMove, SheetChange } from '../../documents/preview-details.ts';
import type { SettingChange } from '../../documents/preview-settings.ts';
import { MAX_PREVIEWED_MOVES, MAX_PREVIEWED_SETTINGS } from '../../limits/requests.ts';
import { type CellChange, type CellTexts, toCellChange, toCellTexts } from '../cell-change.ts';
import { formatStoredTime } from '../iso-time.ts';
import { formatQualifiedRange, formatRange } from '../ranges.ts';
import type { Refusal } from '../refusal.ts';

/** The changes of a proposal on one state. */
export interface ProposedChanges {
  readonly cells: readonly PreviewedCell[];
  readonly isCut: boolean;
  readonly counts: readonly SheetCount[];
  readonly sheetChanges: readonly SheetChange[];
  readonly moves: readonly PreviewedMove[];
  readonly settingChanges: readonly SettingChange[];
}

/** The part of a preview that is stored with a proposal. */
export function toProposedChanges(preview: Preview): ProposedChanges {
  const { cells, isCut, counts, sheetChanges, moves, settingChanges } = preview;
  return { cells, isCut, counts, sheetChanges, moves, settingChanges };
}

/** The changes that the proposal stores. Throws a damage error if they are not JSON. */
export function parseStoredChanges(row: Pick<ProposalRow, 'preview' | 'counts'>): ProposedChanges {
  const changes = parseStoredJson<Omit<ProposedChanges, 'counts'>>(row.preview, 'The changes of a proposal', hasCells);
  // Earlier versions stored only cells.
  const { sheetChanges = [], moves = [], settingChanges = [] } = changes as Partial<ProposedChanges>;
  return {
    ...changes,
    sheetChanges,
    moves,
    settingChanges,
    counts: parseStoredList<SheetCount>(row.counts, 'The counts of a proposal'),
  };
}

/** The counts that a list shows; none if the row is damaged. */
export function parseListedCounts(row: Pick<ProposalRow, 'preview' | 'counts' | 'damage'>): readonly SheetCount[] {
  return row.damage.length > 0 ? [] : parseStoredChanges(row).counts;
}

/** True if stored changes have a list of cells. */
function hasCells(json: unknown): boolean {
  return Array.isArray((json as Partial<ProposedChanges> | null)?.cells);
}

/** The JSON text of the changes without their counts, which have a column of their own. */
export function formatChanges({ counts: _counts, ...changes }: ProposedChanges): string {
  return JSON.stringify(changes);
}

interface ProposalUser {
  readonly id: number;
  readonly name: string;
}

/** A proposal as the API lists it. */
export interface ProposalListEntry {
  readonly id: string;
  readonly document: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly state: ProposalState;
  readonly action: string;
  readonly proposedBy: ProposalUser;
  readonly token: string | null;
  readonly origin: string;
  /** Time of the proposal, ISO 8601 like all times. */
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly baseRevision: number;
  readonly conflicts: readonly string[];
  readonly summary: { readonly written: number; readonly derived: number; readonly sheets: readonly string[] };
  readonly decidedBy: ProposalUser | null;
  readonly decidedAt: string | null;
  readonly reason: string | null;
  readonly revisionId: string | null;
  /** Changes are withheld because sheets are hidden from the reader. */
  readonly hidden?: true;
  /** The stored row is damaged: the proposal cannot be read or decided. */
  readonly damaged?: true;
}

export interface ProposalView extends ProposalListEntry {
  /** Written and recalculated cells have their positions after the write, deleted cells their positions before it. */
  readonly changes: readonly CellChange[];
  /** Texts of `changes`, in the same order. */
  readonly texts: readonly CellTexts[];
  readonly truncated: boolean;
  readonly sheetChanges: readonly SheetChange[];
  readonly moves: readonly MoveView[];
  readonly settingChanges: readonly Omit<SettingChange, 'sheet'>[];
}

/** Rows, columns or cells that a proposal would insert (without `from`), delete (without `to`) or move. */
interface MoveView {
  /** Position before the write. */
  readonly from?: string;
  /** Position after the write. */
  readonly to?: string;
}

/** The reader, who may not see the values of hidden sheets. */
type ProposalReader = Pick<DocumentAccess, 'hiddenSheets'>;

/** The state at a time. A proposal expires at its expiry time, also before the timer runs. */
export function computeStateAt(
  { state, expires_at }: Pick<ProposalRow, 'state' | 'expires_at'>,
  now: number,
): ProposalState {
  return state === 'open' && expires_at <= now ? 'expired' : state;
}

/** Refuses unless the proposal is open; null: it is open. */
export function checkIsOpen(row: ProposalRow, now: number): Refusal | null {
  const state = computeStateAt(row, now);
  if (state === 'open') return null;
  const { decidedBy, decidedAt } = describeDecision(row, state);
  return { kind: 'refusal', reason: 'proposalNotOpen', state, decidedBy, decidedAt };
}

/** Who decided and when; null for an open proposal. An expired one has the time of its expiry and no decider. */
function describeDecision(row: ProposalRow, state: ProposalState) {
  if (state === 'open') return { decidedBy: null, decidedAt: null };
  const decidedBy = row.decided_by === null ? null : { id: row.decided_by, name: row.decided_by_name ?? '' };
  const at = state === 'expired' ? row.expires_at : row.decided_at;
  return { decidedBy, decidedAt: at === null ? null : formatStoredTime(at) };
}

interface ProposalStateView {
  readonly counts: readonly SheetCount[];
  readonly conflicts: readonly string[];
  readonly now: number;
}

export function toListEntry(row: ProposalRow, { counts, conflicts, now }: ProposalStateView, reader: ProposalReader) {
  const visible = counts.filter(({ sheet }) => !reader.hiddenSheets.has(sheet));
  const state = computeStateAt(row, now);
  const listed: ProposalListEntry = {
    id: row.id,
    document: row.document_id,
    title: row.title,
    note: row.note,
    state,
    action: row.action,
    proposedBy: { id: row.user_id, name: row.user_name ?? '' },
    token: row.token_name,
    origin: row.origin,
    createdAt: formatStoredTime(row.created_at),
    expiresAt: formatStoredTime(row.expires_at),
    baseRevision: row.base_revision,
    conflicts,
    summary: {
      written: visible.reduce((sum, { written }) => sum + written, 0),
      derived: visible.reduce((sum, { derived }) => sum + derived, 0),
      sheets: visible.map(({ name }) => name),
    },
    ...describeDecision(row, state),
    reason: row.reason,
    revisionId: row.revision === null ? null : String(row.revision),
    ...(visible.length < counts.length ? { hidden: true } : {}),
    ...(row.damage.length > 0 ? { damaged: true } : {}),
  };
  return listed;
}

/** A proposal without its changes, for a reader who may see them only when they are applied. */
export function withholdChanges(view: ProposalView): ProposalView {
  return { ...view, hidden: true, changes: [], texts: [], moves: [], settingChanges: [] };
}

/** A proposal with the changes that the reader may see. */
export function toProposalView(
  row: ProposalRow,
  changes: ProposedChanges,
  state: Omit<ProposalStateView, 'counts'>,
  reader: ProposalReader,
): ProposalView {
  const { counts, cells, isCut } = changes;
  const visibleCells = cells.filter(({ sheet }) => !reader.hiddenSheets.has(sheet));
  const steps = viewSteps(changes, reader);
  return {
    ...toListEntry(row, { ...state, counts }, reader),
    ...(steps.isPartHidden ? { hidden: true } : {}),
    changes: visibleCells.map(toCellChange),
    texts: visibleCells.map(toCellTexts),
    truncated: isCut || steps.isCut,
    ...steps.lists,
  };
}

/** The changes of a write beside the values of cells that a reader may see, up to the maximum of each kind. */
export function viewSteps(
  { sheetChanges, moves, settingChanges }: Pick<ProposedChanges, 'sheetChanges' | 'moves' | 'settingChanges'>,
  reader: ProposalReader,
) {
  const isVisible = (one: { readonly sheet?: number } | null): boolean =>
    one?.sheet === undefined || !reader.hiddenSheets.has(one.sheet);
  const visibleMoves = moves.filter(({ from, to }) => isVisible(from) && isVisible(to));
  const visibleSettings = settingChanges.filter(isVisible);
  return {
    lists: {
      sheetChanges,
      moves: visibleMoves.slice(0, MAX_PREVIEWED_MOVES).map(toMoveView),
      settingChanges: visibleSettings.slice(0, MAX_PREVIEWED_SETTINGS).map(({ sheet: _sheet, ...shown }) => shown),
    },
    isCut: moves.length > MAX_PREVIEWED_MOVES || settingChanges.length > MAX_PREVIEWED_SETTINGS,
    isPartHidden: visibleMoves.length < moves.length || visibleSettings.length < settingChanges.length,
  };
}

function toMoveView({ from, to }: PreviewedMove): MoveView {
  return { ...(from === null ? {} : { from: formatArea(from) }), ...(to === null ? {} : { to: formatArea(to) }) };
}

function formatArea({ sheetName, area }: PreviewedArea): string {
  return formatQualifiedRange(sheetName, formatRange(area));
}
