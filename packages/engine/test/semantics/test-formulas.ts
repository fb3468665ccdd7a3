import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { area, isError, parseArea, type Scalar, type Snapshot, Workbook, type WorkbookData } from '../../src/index.ts';
import type { ApplyContext, Refusal } from '../../src/workbook/types.ts';
import { createContext } from '../workbook/book.ts';

/** The value of a cell. Errors are given by their codes. */
export type CellResult = number | string | boolean | null;

/** A formula in the file grammar with its result: one cell, or the rows that it spills. */
export type FormulaExample = readonly [formula: string, expected: CellResult | readonly (readonly CellResult[])[]];

/** Contents and settings of the workbook in which formulas are tested. */
export interface WorkbookContents {
  /** Cells of the first sheet by address: values, and formulas as texts that begin with `=`. */
  readonly cells?: Readonly<Record<string, CellResult>>;
  /** Rows of the first sheet from A1. */
  readonly rows?: readonly (readonly CellResult[])[];
  /** Further sheets, by name. */
  readonly sheets?: Readonly<Record<string, readonly (readonly CellResult[])[]>>;
  readonly names?: WorkbookData['names'];
  readonly tables?: WorkbookData['tables'];
  readonly hiddenRows?: readonly number[];
  readonly locale?: WorkbookData['settings']['locale'];
  readonly dateSystem?: WorkbookData['settings']['dateSystem'];
  readonly context?: Partial<ApplyContext>;
  /** True for formulas from before dynamic arrays, with implicit intersection. */
  readonly legacy?: boolean;
  /** Relative tolerance of numbers. */
  readonly tolerance?: number;
}

/** Distance of two tested formulas in rows. A formula may spill over at most this number of rows. */
const ROWS_PER_FORMULA = 40;
/** The first cell of tested formulas on the first sheet, zero-based, far from the cells that they read. */
const FIRST_ROW = 999;
const COLUMN = 60;
const DEFAULT_TOLERANCE = 1e-12;

type CellData = WorkbookData['sheets'][number]['cells'] extends Iterable<infer C> ? C : never;

function createCell(row: number, column: number, value: CellResult): CellData {
  if (typeof value === 'string' && value.startsWith('=')) {
    return { row, column, value: null, formula: value.slice(1), dynamic: true };
  }
  return { row, column, value };
}

function createCells(rows: readonly (readonly CellResult[])[]): CellData[] {
  return rows.flatMap((values, row) => values.map((value, column) => createCell(row, column, value)));
}

function createCellsByAddress(cells: Readonly<Record<string, CellResult>>): CellData[] {
  return Object.entries(cells).map(([ref, value]) => {
    const at = parseArea(ref);
    assert.ok(at, ref);
    return createCell(at.top, at.left, value);
  });
}

function createSheet(name: string, cells: readonly CellData[], hiddenRows: readonly number[] = []) {
  return { name, hidden: false, color: null, hiddenRows, columnFormats: new Map(), cells };
}

/** Calculates formulas, each in its own cell of the first sheet. */
export function calculate(formulas: readonly string[], contents: WorkbookContents = {}): Snapshot {
  const workbook = importFormulas(formulas, contents);
  assert.ok(workbook instanceof Workbook, JSON.stringify(workbook));
  return workbook.head;
}

/** Imports a workbook with formulas. Returns a refusal if they exceed the budget. */
export function importFormulas(formulas: readonly string[], world: WorkbookContents): Workbook | Refusal {
  const first = [...createCells(world.rows ?? []), ...createCellsByAddress(world.cells ?? {})];
  const results = formulas.map((text, i) => ({
    row: FIRST_ROW + i * ROWS_PER_FORMULA,
    column: COLUMN,
    value: null,
    formula: text.slice(1),
    ...(world.legacy ? {} : { dynamic: true }),
  }));
  return Workbook.import(
    {
      settings: { locale: world.locale ?? 'en-US', dateSystem: world.dateSystem ?? '1900', timeZone: 'UTC' },
      names: world.names ?? [],
      tables: world.tables ?? [],
      sheets: [
        createSheet('Sheet1', [...first, ...results], world.hiddenRows),
        ...Object.entries(world.sheets ?? {}).map(([name, rows]) => createSheet(name, createCells(rows))),
      ],
    },
    createContext(world.context),
  );
}

function toPlainValue(value: Scalar): CellResult {
  return isError(value) ? value.code : value;
}

/** Returns the result of the formula with an index: one value, or the rows of its spill. */
function readResult(head: Snapshot, index: number): CellResult | CellResult[][] {
  const sheet = head.sheets[0];
  assert.ok(sheet);
  const top = FIRST_ROW + index * ROWS_PER_FORMULA;
  const spill = [...sheet.spills.values()].find(({ blocked, area }) => !blocked && area.top === top);
  const { bottom, right } = spill?.area ?? area(top, COLUMN, top, COLUMN);
  if (bottom === top && right === COLUMN) return toPlainValue(sheet.value(top, COLUMN));
  return Array.from({ length: bottom - top + 1 }, (_, r) =>
    Array.from({ length: right - COLUMN + 1 }, (_, c) => toPlainValue(sheet.value(top + r, COLUMN + c))),
  );
}

function assertSameResult(actual: unknown, expected: unknown, formula: string, tolerance: number): void {
  if (typeof expected === 'number' && typeof actual === 'number') {
    const difference = Math.abs(actual - expected);
    assert.ok(difference <= tolerance * Math.max(Math.abs(expected), 1e-3), `${formula}: ${actual} is not ${expected}`);
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    assert.equal(actual.length, expected.length, `${formula}: length`);
    for (const [i, part] of expected.entries()) assertSameResult(actual[i], part, formula, tolerance);
  } else assert.deepEqual(actual, expected, formula);
}

/** Defines one test for each formula. */
export function testFormulas(title: string, examples: readonly FormulaExample[], world: WorkbookContents = {}): void {
  describe(title, () => {
    const head = calculate(
      examples.map(([formula]) => formula),
      world,
    );
    for (const [i, [formula, expected]] of examples.entries()) {
      it(formula, () => assertSameResult(readResult(head, i), expected, formula, world.tolerance ?? DEFAULT_TOLERANCE));
    }
  });
}
