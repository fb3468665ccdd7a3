import type { Node } from '../formula/ast.ts';
import { hasMatchingNode, nameKey, print, transformTree, WIRE, walkTree } from '../formula/index.ts';
import { collectBoundNames } from '../functions/bound-names.ts';
import { findCallable } from '../functions/catalogue.ts';
import type { Area } from '../grid/area.ts';
import type { DateSystem } from '../locale/index.ts';
import { convertSerial } from '../records/dates.ts';
import { FORMULA, SPILLED } from '../sheet/cell-kind.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import type { Template } from '../sheet/template.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import type { Input } from './types.ts';

/** Cells with the same number format and style. */
export interface FormattedArea {
  readonly area: Area;
  readonly code: string;
  readonly style: string;
}

/** The inputs of a sheet's cells, in a form that can be entered in another document. */
export interface SheetContent {
  /** Rows from A1 to the last filled cell; null for an empty cell. */
  readonly rows: readonly (readonly Input[])[];
  /** Areas whose cells have a number format or a style. */
  readonly formats: readonly FormattedArea[];
  /** Number of formulas in `rows`. */
  readonly formulas: number;
  /**
   * Number of formulas that were replaced by their results, because they depend on other sheets, names, tables or
   * workbooks.
   */
  readonly results: number;
}

/** The document and the position that the cells are copied to. */
export interface ContentTarget {
  readonly dateSystem: DateSystem;
  /** Number of rows by which the cells are moved down; the references of formulas are adjusted by it. */
  readonly shift: number;
}

/** Number of rows between two pauses. */
const STEP_ROWS = 256;

/**
 * Reads a sheet as inputs. If a formula reads only its own sheet, it stays a formula, without the sheet's name. If it
 * names other sheets, defined names, tables or other workbooks, or cannot be calculated, it is replaced by its result.
 * Pauses regularly.
 */
export function* readSheetContent(
  snapshot: Snapshot,
  sheet: Sheet,
  { dateSystem, shift }: ContentTarget,
): Generator<void, SheetContent> {
  const isSameSystem = snapshot.settings.dateSystem === dateSystem;
  const converted = (value: number, row: number, column: number): Input => {
    const code = snapshot.formats.code(sheet.format(row, column));
    const input = convertSerial(value, code, snapshot.settings.dateSystem, dateSystem);
    return typeof input === 'string' ? { as: 'text', value: input } : input;
  };
  const extent = sheet.extent();
  const portable = new Map<Template, Node | null>();
  const rows: Input[][] = [];
  let [formulas, results] = [0, 0];
  for (let row = 0; row < extent.rows; row++) {
    const line = new Array<Input>(extent.columns).fill(null);
    for (let column = 0; column < extent.columns; column++) {
      const value = sheet.value(row, column);
      const kind = sheet.kind(row, column);
      if (value === null) continue;
      const run = (kind & FORMULA) === 0 ? undefined : sheet.run(row, column);
      const node = run === undefined ? null : toPortableNode(portable, run.template, sheet.id);
      if (node !== null) {
        const text = print(node, WIRE, { row: row + shift, column }, { getSheetName: () => null });
        line[column] = { as: 'formula', value: text };
        formulas++;
      } else if ((kind & SPILLED) === 0 || !isSpillOfFormula(sheet, portable, row, column)) {
        line[column] = isSameSystem || typeof value !== 'number' ? toInput(value) : converted(value, row, column);
        if (run !== undefined) results++;
      }
    }
    rows.push(line);
    if (row % STEP_ROWS === STEP_ROWS - 1) yield;
  }
  return { rows, formats: yield* findFormattedAreas(snapshot, sheet), formulas, results };
}

/** True if a cell is part of a spill whose formula is copied as a formula. */
function isSpillOfFormula(sheet: Sheet, portable: Map<Template, Node | null>, row: number, column: number): boolean {
  const anchor = sheet.spillAround(row, column)?.area;
  const run = anchor && sheet.run(anchor.top, anchor.left);
  return run !== undefined && toPortableNode(portable, run.template, sheet.id) !== null;
}

/** The input that gives a cell this value. */
function toInput(value: Exclude<Scalar, null>): Input {
  if (isError(value)) return { as: 'error', value: value.code };
  return value;
}

/** The tree of a formula that another document can contain; null if there is none. Each template is converted once. */
function toPortableNode(portableNodes: Map<Template, Node | null>, template: Template, sheet: number): Node | null {
  let node = portableNodes.get(template);
  if (node === undefined) {
    node = dropOwnSheet(template.node, sheet);
    portableNodes.set(template, node);
  }
  return node;
}

/**
 * Returns the tree without the name of its own sheet; null if the formula depends on anything outside of this sheet.
 */
function dropOwnSheet(node: Node, sheet: number): Node | null {
  const rewritten = transformTree(node, (next) => {
    if (!('sheet' in next) || next.sheet === undefined || !('id' in next.sheet) || next.sheet.id !== sheet) return next;
    const { sheet: _, ...plain } = next;
    return plain;
  });
  const bound = new Set<string>();
  walkTree(rewritten, (next) => {
    if (next.k === 'call') for (const name of collectBoundNames(next)) bound.add(name);
    return true;
  });
  return hasMatchingNode(rewritten, (next) => isForeign(next, bound)) ? null : rewritten;
}

/**
 * True if a formula refers to something that another document may not have. `bound`: names that LET and LAMBDA bind in
 * the formula.
 */
function isForeign(node: Node, bound: ReadonlySet<string>): boolean {
  if (node.k === 'table' || node.k === 'cached' || node.k === 'invalid') return true;
  if ('sheet' in node && node.sheet !== undefined) return true;
  if (node.k === 'name') return !bound.has(nameKey(node.name));
  return node.k === 'call' && findCallable(node.name) === undefined && !bound.has(nameKey(node.name));
}

/** Returns areas with the same format: rows of a column, joined with the same rows of the previous column. */
function* findFormattedAreas(snapshot: Snapshot, sheet: Sheet): Generator<void, readonly FormattedArea[]> {
  const { rows, columns } = sheet.extent();
  const areas: { id: number; area: Area }[] = [];
  let before = new Map<string, number>();
  for (let column = 0; column < columns; column++) {
    const areaIndexes = new Map<string, number>();
    for (let top = 0; top < rows; ) {
      const id = sheet.format(top, column);
      let bottom = top;
      while (bottom + 1 < rows && sheet.format(bottom + 1, column) === id) bottom++;
      if (id !== GENERAL) {
        const key = `${id}:${top}:${bottom}`;
        const joined = before.get(key);
        const last = joined === undefined ? undefined : areas[joined];
        if (joined !== undefined && last !== undefined) {
          last.area = { ...last.area, right: column };
          areaIndexes.set(key, joined);
        } else {
          areaIndexes.set(key, areas.push({ id, area: { top, left: column, bottom, right: column } }) - 1);
        }
      }
      top = bottom + 1;
    }
    before = areaIndexes;
    yield;
  }
  return areas.map(({ id, area }) => {
    const { code, style } = snapshot.formats.get(id);
    return { area, code, style };
  });
}
