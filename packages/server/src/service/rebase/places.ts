import {
  type Area,
  type Block,
  type LocaleId,
  MAX_COLUMNS,
  MAX_ROWS,
  moveBlocks,
  moveFormulaText,
  nameKey,
  type OpenArea,
  type Rearrangement,
  rearrangeArea,
  rearrangeCell,
} from '@cellwire/engine';
import { MAX_FOLLOWED_CELLS } from '../../limits/history.ts';
import { formatQualifiedRange, formatRange, parseRange } from '../ranges.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { RebaseStep } from './steps.ts';

interface CurrentSheetName {
  readonly id: number;
  readonly name: string;
}

export interface CellPlace {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

/** The id of a sheet that has been deleted since. */
const DELETED = -1;
/** Maximum number of pieces that an area may be split into. */
const MAX_PIECES = 1_000;

/** Translates addresses of one revision to a later one. */
export class RebasedPlaces {
  readonly steps: readonly Rearrangement[];
  private readonly sheets: readonly CurrentSheetName[];
  /** Sheet ids by the names at the earlier revision. */
  private readonly before: ReadonlyMap<string, number>;
  private readonly firstBefore: number | undefined;
  private readonly hidden: ReadonlySet<number>;
  /** Number of cells and areas that this request has translated, each multiplied by the number of steps. */
  private translationCost = 0;

  /**
   * `hidden`: sheets that the caller may not see. Their addresses are not translated, because the translation would
   * reveal moves of their cells.
   */
  constructor(steps: readonly RebaseStep[], sheets: readonly CurrentSheetName[], hidden: ReadonlySet<number>) {
    this.steps = steps.flatMap((one) => one.steps);
    this.sheets = sheets;
    this.hidden = hidden;
    const before = undoRenames(steps, sheets);
    this.before = new Map(before.map(({ id, name }) => [nameKey(name), id]));
    this.firstBefore = before[0]?.id;
  }

  /** True if this many more cells or areas may be translated within `MAX_FOLLOWED_CELLS` of a request. */
  canFollow(count: number): boolean {
    const followed = this.translationCost + count * Math.max(1, this.steps.length);
    if (followed > MAX_FOLLOWED_CELLS) return false;
    this.translationCost = followed;
    return true;
  }

  /**
   * The current name of a sheet; null if it is deleted. Unknown names are returned unchanged and refused by the use
   * case.
   */
  mapSheetName(name: string): string | null {
    const id = this.before.get(nameKey(name));
    return id === undefined ? name : this.findSheetName(id);
  }

  findSheetName(id: number): string | null {
    return this.sheets.find((sheet) => sheet.id === id)?.name ?? null;
  }

  /**
   * The id of a sheet by its name in the earlier revision: `DELETED` if it was deleted since, undefined if it did not
   * exist. The name null means the first sheet.
   */
  findEarlierId(name: string | null): number | undefined {
    return name === null ? this.firstBefore : this.before.get(nameKey(name));
  }

  /** True if the moves of the sheet's cells are known: it exists and is not hidden from the caller. */
  isFollowed(sheet: number): boolean {
    return sheet !== DELETED && !this.hidden.has(sheet);
  }

  /** Where a cell of the earlier revision is now; null if it was deleted or is on a hidden sheet. */
  mapCell(cell: CellPlace): CellPlace | null {
    let current: CellPlace | null = cell;
    for (const step of this.steps) current = current && rearrangeCell(step, current);
    return current !== null && this.isKnownSheet(current.sheet) ? current : null;
  }

  /** Translates an area as a reference in a formula: the result includes rows inserted within the area. */
  mapArea(block: Block): Block | null {
    let current: Block | null = block;
    for (const step of this.steps) current = current && rearrangeArea(step, current);
    return current !== null && this.isKnownSheet(current.sheet) ? current : null;
  }

  /** The remaining cells of an area, without inserted ones; null if they are split into too many pieces. */
  mapBlocks(block: Block): readonly Block[] | null {
    if (!this.canFollow(1)) return null;
    let pieces: readonly Block[] = [block];
    for (const step of this.steps) {
      pieces = pieces.flatMap((one) => mapBlock(step, one));
      if (pieces.length > MAX_PIECES) return null;
    }
    return pieces.filter(({ sheet }) => this.isKnownSheet(sheet));
  }

  /** True for a sheet that exists and whose cells may be followed. */
  private isKnownSheet(sheet: number): boolean {
    return this.findSheetName(sheet) !== null && !this.hidden.has(sheet);
  }

  /** The remaining rows or columns, as spans; null if they cannot be translated. */
  mapLines(sheet: number, axis: 'rows' | 'columns', first: number, count: number): readonly RebasedSpan[] | null {
    const last = first + count - 1;
    const blocks = this.mapBlocks({ sheet, area: toLineArea(axis, first, last) });
    if (blocks === null || blocks.some((one) => one.sheet !== sheet)) return null;
    const spans = blocks.map(({ area }) =>
      axis === 'rows' ? { first: area.top, last: area.bottom } : { first: area.left, last: area.right },
    );
    return joinSpans(spans);
  }

  /** Translates a range to the current places of its cells; null if the cells are deleted or split. */
  mapRange(text: string): string | Refusal | null {
    const block = this.parseEarlierBlock(text);
    if (block === null || isRefusal(block)) return block;
    if (!this.isFollowed(block.sheet)) return text;
    if (!this.canFollow(1)) return null;
    const after = this.mapArea(block);
    return after && this.formatBlock(extendOpenSides(block.area, after));
  }

  /** The cells of a range at the earlier revision; null if its sheet did not exist. */
  parseEarlierBlock(text: string): (Block & { readonly area: OpenArea }) | Refusal | null {
    const range = parseRange(text);
    if (isRefusal(range)) return range;
    const sheet = this.findEarlierId(range.sheet);
    return sheet === undefined || sheet === DELETED ? null : { sheet, area: range.area };
  }

  /** The A1 text of a block with its sheet's current name. */
  formatBlock({ sheet, area }: Block): string {
    return formatQualifiedRange(this.findSheetName(sheet) ?? '', formatRange(area));
  }

  /** Translates the references of a typed formula; any other text is returned unchanged. */
  mapFormulaText(text: string, locale: LocaleId | null, cell: CellPlace): string {
    if (!text.startsWith('=') || text.length === 1) return text;
    return moveFormulaText(text, locale, cell, this.steps, {
      idBefore: (name) => this.before.get(nameKey(name)) ?? DELETED,
      nameAfter: (id) => this.findSheetName(id),
    });
  }
}

interface RebasedSpan {
  readonly first: number;
  readonly last: number;
}

/** All cells of rows or columns. */
function toLineArea(axis: 'rows' | 'columns', first: number, last: number): Area {
  return axis === 'rows'
    ? { top: first, bottom: last, left: 0, right: MAX_COLUMNS - 1 }
    : { top: 0, bottom: MAX_ROWS - 1, left: first, right: last };
}

/**
 * The sheets with their names before the steps. Sheets deleted since have the id `DELETED`, unless they were restored:
 * a restored sheet has its former id.
 */
function undoRenames(steps: readonly RebaseStep[], sheets: readonly CurrentSheetName[]): readonly CurrentSheetName[] {
  let names = sheets;
  for (const { operation, sheets: ids } of steps.flatMap(({ operations }) => operations).reverse()) {
    const { addSheet, renameSheet, deleteSheet, duplicateSheet } = operation as Partial<
      Record<string, Readonly<Record<string, string>>>
    >;
    const hasName = (name: string | undefined) => (one: CurrentSheetName) => nameKey(one.name) === nameKey(name ?? '');
    const addedName = addSheet?.['name'] ?? duplicateSheet?.['name'];
    if (addedName !== undefined) names = names.filter((one) => !hasName(addedName)(one));
    if (renameSheet !== undefined) {
      const { sheet = '', name } = renameSheet;
      names = names.map((one) => (hasName(name)(one) ? { ...one, name: sheet } : one));
    }
    if (deleteSheet !== undefined) {
      const id = sheets.find((one) => one.id === ids?.[0])?.id ?? DELETED;
      names = [...names, { id, name: deleteSheet['sheet'] ?? '' }];
    }
  }
  return names;
}

/** Extends the open sides of an area to the end of the grid. */
function extendOpenSides({ openRows, openColumns }: OpenArea, { sheet, area }: Block): Block {
  const bottom = openRows ? MAX_ROWS - 1 : area.bottom;
  const right = openColumns ? MAX_COLUMNS - 1 : area.right;
  return { sheet, area: { ...area, bottom, right } };
}

/** Where one step moves a block, in pieces; none if it was deleted. */
function mapBlock(step: Rearrangement, block: Block): readonly Block[] {
  if (step.kind !== 'order') return moveBlocks(step, block);
  const whole = rearrangeArea(step, block);
  if (whole !== null) return [whole];
  const { sheet, area } = block;
  // Whole rows move together with their sorted cells.
  const isOfRows = area.left === 0 && area.right === MAX_COLUMNS - 1;
  const inside = { top: Math.max(area.top, step.area.top), bottom: Math.min(area.bottom, step.area.bottom) };
  const sides = [
    { ...area, ...inside, right: step.area.left - 1 },
    { ...area, ...inside, left: step.area.right + 1 },
  ];
  const beside = [
    { ...area, bottom: inside.top - 1 },
    { ...area, top: inside.bottom + 1 },
    ...(isOfRows ? [] : sides),
  ].filter(({ top, bottom, left, right }) => top <= bottom && left <= right);
  const sorted = { left: Math.max(area.left, step.area.left), right: Math.min(area.right, step.area.right) };
  const columns = isOfRows ? { left: area.left, right: area.right } : sorted;
  const rows: Block[] = [];
  for (let row = inside.top; row <= inside.bottom && rows.length <= MAX_PIECES; row++) {
    const after = rearrangeArea(step, { sheet, area: { ...columns, top: row, bottom: row } });
    if (after !== null) rows.push(after);
  }
  return [...beside.map((part) => ({ sheet, area: part })), ...rows];
}

/** The spans in order, with adjacent and overlapping ones joined. */
function joinSpans(spans: readonly RebasedSpan[]): readonly RebasedSpan[] {
  const all: { first: number; last: number }[] = [];
  for (const { first, last } of [...spans].sort((a, b) => a.first - b.first)) {
    const before = all.at(-1);
    if (before !== undefined && before.last >= first - 1) before.last = Math.max(before.last, last);
    else all.push({ first, last });
  }
  return all;
}
