import { getMovePieces, getPieceTarget, type Rearrangement, type RowOrder } from '@cellwire/engine';
import { rowOrdersOf } from '@cellwire/store/documents';
import { addRowOrders, lacksRowOrders, listRearrangements, type ParsedAreas } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';
import { readStepsBetween } from './steps.ts';

/** The moves of cells in a commit, without sheets that are hidden from the reader. */
export interface PublishedMoves {
  readonly steps: readonly Rearrangement[];
  /** The current names of the sheets that the steps refer to. */
  readonly sheets: readonly { readonly id: number; readonly name: string }[];
  /** True if the steps are unknown: no cell of the document can be followed. */
  readonly isUnknown?: true;
}

interface NamedSheet {
  readonly id: number;
  readonly name: string;
}

/** The moves of a commit as the caller may see them. Null: no visible cell moved. */
export async function publishPlaces(
  { database }: ServiceContext,
  { documentId, hiddenSheets }: DocumentAccess,
  { revision, areas }: { readonly revision: number; readonly areas: ParsedAreas },
  sheets: readonly NamedSheet[],
): Promise<PublishedMoves | null> {
  const found =
    areas.restored === undefined ? null : await readStepsBetween(database, documentId, revision - 1, revision);
  if (areas.restored !== undefined && found === null) return { steps: [], sheets: [], isUnknown: true };
  const all =
    found?.flatMap((one) => one.steps) ??
    listRearrangements(await readWholeAreas(database, { documentId, revision, areas }));
  const steps = all.flatMap((step) => toVisibleSteps(step, hiddenSheets));
  if (steps.length === 0) return null;
  const ids = new Set(steps.flatMap((step) => (step.kind === 'carry' ? [step.sheet, step.toSheet] : [step.sheet])));
  return { steps, sheets: sheets.filter(({ id }) => ids.has(id)).map(({ id, name }) => ({ id, name })) };
}

/** The areas of a commit together with the packed orders of its sorts. */
async function readWholeAreas(
  database: ServiceContext['database'],
  {
    documentId: id,
    revision,
    areas,
  }: { readonly documentId: string; readonly revision: number; readonly areas: ParsedAreas },
): Promise<ParsedAreas> {
  if (!lacksRowOrders(areas)) return areas;
  const row = await database.readOne(rowOrdersOf({ id, revision }));
  return addRowOrders(areas, row?.row_orders ?? null);
}

/**
 * The step as the caller may follow it; none on a hidden sheet. Cells that move to a hidden sheet, or are overwritten
 * by cells from one, become a sort of unknown order.
 */
function toVisibleSteps(step: Rearrangement, hidden: ReadonlySet<number>): readonly Rearrangement[] {
  if (step.kind !== 'carry') return hidden.has(step.sheet) ? [] : [step];
  const [from, to] = [hidden.has(step.sheet), hidden.has(step.toSheet)];
  if (!from && !to) return [step];
  if (from && to) return [];
  if (to) return [toLostOrder(step.sheet, step.area)];
  return getMovePieces(step).pieces.map((piece) => toLostOrder(step.toSheet, getPieceTarget(piece).area));
}

/** A sort of the area whose order of rows the reader does not get. */
function toLostOrder(sheet: number, area: RowOrder['area']): RowOrder {
  return { kind: 'order', sheet, area, order: null };
}
