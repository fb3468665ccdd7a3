import {
  type Area,
  type Axis,
  type Block,
  findCellBefore,
  MAX_COLUMNS,
  MAX_ROWS,
  moveCell,
  type Rearrangement,
  rearrangeArea,
  rearrangeCell,
  reverseMove,
} from '@cellwire/engine';
import type { PublishedPlaces } from '../../data/types.ts';
import { computeSelectedArea, createCellSelection, type GridPosition, type Selection } from '../selection/selection.ts';

/** A cell with the name of its sheet. */
export interface SheetPosition extends GridPosition {
  readonly sheet: string;
}

export interface NamedSheetArea {
  readonly sheet: string;
  readonly area: Area;
}

interface MappedCell extends GridPosition {
  readonly sheet: number;
}

/** Changes of positions other than moves of cells. */
interface MappingOptions {
  /** Name of the sheet that the change deletes; null if none. */
  readonly deletedSheet?: string | null;
  /** See `PositionMapping.restores`. */
  readonly restores?: number | null;
  /** See `PositionMapping.returned`. */
  readonly returned?: ReturnedCells | null;
}

/** Cells that were deleted after an earlier revision and exist again. */
interface ReturnedCells {
  readonly revision: number;
  /** Maps positions of that revision to those after the change. */
  readonly mapping: PositionMapping;
}

/** A sheet that the page has open. */
interface PageSheet {
  /** -1 while unknown. */
  readonly id: number;
  readonly name: string;
}

/** Maps positions of one revision to the next. */
export class PositionMapping {
  /** The revision after the change. */
  readonly revision: number;
  /** Null if no cell can be followed. */
  readonly steps: readonly Rearrangement[] | null;
  private readonly sheets: readonly PageSheet[];
  /** Name of the sheet that the change deletes; null if none. */
  readonly deletedSheet: string | null;
  /**
   * The earlier revision whose positions are valid again: the change undoes all moves since. Null if there is none.
   */
  readonly restores: number | null;
  /** Set if the change undoes a deletion after which other cells moved. Null otherwise. */
  readonly returned: ReturnedCells | null;
  private reversedSteps: readonly ((cell: MappedCell) => MappedCell | null)[] | null = null;

  /** Creates a mapping. `open`: the sheets that the page has open, with their names on the page. */
  constructor(
    revision: number,
    { steps, sheets, isUnknown }: PublishedPlaces,
    open: readonly PageSheet[],
    { deletedSheet = null, restores = null, returned = null }: MappingOptions = {},
  ) {
    this.revision = revision;
    this.deletedSheet = deletedSheet;
    this.restores = restores;
    this.returned = returned;
    this.steps = isUnknown === true ? null : steps;
    // A published name may be newer than the name on the page.
    this.sheets = [...open.filter(({ id }) => id >= 0), ...sheets].map(({ id, name }) => ({ id, name }));
  }

  /** Null if the cell was deleted. */
  mapCell({ sheet, row, column }: SheetPosition): SheetPosition | null {
    let mapped: MappedCell | null = { sheet: this.findSheetId(sheet), row, column };
    if (this.steps === null || sheet === this.deletedSheet) return null;
    for (const step of this.steps) mapped = mapped && rearrangeCell(step, mapped);
    if (mapped === null) return null;
    const name = this.findSheetName(mapped.sheet, sheet);
    return name === null ? null : { sheet: name, row: mapped.row, column: mapped.column };
  }

  /** Maps an area like a reference. Null if its cells were deleted or separated. */
  mapArea({ sheet, area }: NamedSheetArea): NamedSheetArea | null {
    if (this.steps === null || sheet === this.deletedSheet) return null;
    let mapped: Block | null = { sheet: this.findSheetId(sheet), area };
    for (const step of this.steps) mapped = mapped && mapArea(step, mapped);
    const name = mapped && this.findSheetName(mapped.sheet, sheet);
    return mapped === null || name === null ? null : { sheet: name, area: mapped.area };
  }

  /** Position of a cell before the change; null if it is new or unknown. */
  findPreviousCell(sheet: number, { row, column }: GridPosition): GridPosition | null {
    let mapped: MappedCell | null = { sheet, row, column };
    if (this.steps === null) return null;
    // Each step is reversed only once.
    this.reversedSteps ??= this.steps.map(reverseStep).reverse();
    for (const step of this.reversedSteps) mapped = mapped && step(mapped);
    return mapped === null || mapped.sheet !== sheet ? null : mapped;
  }

  /** The new index of a row or column; null if it was deleted. */
  mapLine(sheet: string, axis: Axis, line: number): number | null {
    const area =
      axis === 'rows'
        ? { top: line, bottom: line, left: 0, right: MAX_COLUMNS - 1 }
        : { top: 0, bottom: MAX_ROWS - 1, left: line, right: line };
    const found = this.mapArea({ sheet, area });
    if (found?.sheet !== sheet) return null;
    return axis === 'rows' ? found.area.top : found.area.left;
  }

  /** True if cells may be gone for a reason other than being overwritten. */
  get canLoseCells(): boolean {
    return this.steps === null || this.deletedSheet !== null || this.steps.some(({ kind }) => kind !== 'carry');
  }

  /** True if cells were deleted or overwritten, not only separated. */
  get hasDeletedCells(): boolean {
    if (this.deletedSheet !== null) return true;
    return this.steps?.some(({ kind }) => kind === 'delete' || kind === 'carry') ?? false;
  }

  /** Rows that a single insertion added to a sheet; empty for several steps. */
  listInsertedRows(sheet: string): readonly number[] {
    const [step, ...others] = this.steps ?? [];
    const isOne = step?.kind === 'insert' && step.axis === 'rows' && step.across === undefined && others.length === 0;
    if (!isOne || step.sheet !== this.findSheetId(sheet)) return [];
    return Array.from({ length: step.count }, (_, i) => step.at + i);
  }

  private findSheetId(name: string): number {
    return this.sheets.find((one) => one.name === name)?.id ?? -1;
  }

  /** Returns the present name of a sheet; null if it was deleted. An unlisted sheet keeps its previous name. */
  private findSheetName(id: number, previousName: string): string | null {
    return id === this.findSheetId(previousName)
      ? previousName
      : (this.sheets.find((one) => one.id === id)?.name ?? null);
  }
}

function reverseStep(step: Rearrangement): (cell: MappedCell) => MappedCell | null {
  if (step.kind === 'order') return (cell) => findCellBefore(step, cell);
  const back = reverseMove(step);
  return ({ sheet, row, column }) => moveCell(back, sheet, row, column);
}

/** Row changes do not affect whole columns, and column changes do not affect whole rows. */
function mapArea(step: Rearrangement, block: Block): Block | null {
  if (step.kind === 'order' || step.kind === 'carry') return rearrangeArea(step, block);
  const { top, left, bottom, right } = block.area;
  const isOfColumns = top === 0 && bottom === MAX_ROWS - 1;
  const isOfRows = left === 0 && right === MAX_COLUMNS - 1;
  if ((isOfColumns && step.axis === 'rows') || (isOfRows && step.axis === 'columns')) return block;
  return rearrangeArea(step, block);
}

/** Maps a selection; null if none of its cells is left on the sheet. */
export function mapSelection(selection: Selection, sheet: string, mapping: PositionMapping): Selection | null {
  const { active, anchor, corner, kind } = selection;
  const place = mapping.mapCell({ sheet, ...active });
  const next = place?.sheet === sheet ? { row: place.row, column: place.column } : null;
  const found = mapping.mapArea({ sheet, area: computeSelectedArea(selection) });
  if (found === null || found.sheet !== sheet) return next === null ? null : createCellSelection(next);
  const { top, left, bottom, right } = found.area;
  const rows = anchor.row <= corner.row ? [top, bottom] : [bottom, top];
  const columns = anchor.column <= corner.column ? [left, right] : [right, left];
  const isInside =
    next !== null && next.row >= top && next.row <= bottom && next.column >= left && next.column <= right;
  const [firstRow = top, lastRow = bottom] = rows;
  const [firstColumn = left, lastColumn = right] = columns;
  if (kind === 'columns' || kind === 'all') {
    const begin = { row: next?.row ?? active.row, column: firstColumn };
    return { active: isInside ? next : begin, anchor: begin, corner: { ...corner, column: lastColumn }, kind };
  }
  if (kind === 'rows') {
    const begin = { row: firstRow, column: next?.column ?? active.column };
    return { active: isInside ? next : begin, anchor: begin, corner: { ...corner, row: lastRow }, kind };
  }
  const begin = { row: firstRow, column: firstColumn };
  return {
    active: isInside ? next : { row: top, column: left },
    anchor: begin,
    corner: { row: lastRow, column: lastColumn },
    kind,
  };
}
