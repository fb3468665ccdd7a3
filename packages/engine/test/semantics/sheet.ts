import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { area, isError, parseArea, type Scalar, type Snapshot, Workbook, type WorkbookData } from '../../src/index.ts';
import type { ApplyContext, Refusal } from '../../src/workbook/types.ts';
import { contextWith } from '../workbook/dialect.ts';

/** The value of a cell; errors as their codes. */
export type Shown = number | string | boolean | null;

/** A formula in the file grammar with its result: one cell, or the rows that it spills. */
export type Example = readonly [formula: string, expected: Shown | readonly (readonly Shown[])[]];

/** The workbook of a table's formulas. */
export interface World {
  /** Cells of the first sheet by address: values, and formulas as texts that begin with `=`. */
  readonly cells?: Readonly<Record<string, Shown>>;
  /** Rows of the first sheet from A1. */
  readonly rows?: readonly (readonly Shown[])[];
  /** Further sheets, by name. */
  readonly sheets?: Readonly<Record<string, readonly (readonly Shown[])[]>>;
  readonly names?: WorkbookData['names'];
  readonly tables?: WorkbookData['tables'];
  readonly hiddenRows?: readonly number[];
  readonly locale?: WorkbookData['settings']['locale'];
  readonly dateSystem?: WorkbookData['settings']['dateSystem'];
  readonly context?: Partial<ApplyContext>;
  /** Formulas from before dynamic arrays, which intersect implicitly. */
  readonly legacy?: boolean;
  /** Relative tolerance of numbers. */
  readonly tolerance?: number;
}

/** Rows between two formulas of a table: one may spill into at most this many. */
const ROOM = 40;
/** The first cell of a table's formulas on the first sheet, zero-based, away from the cells that they read. */
const FIRST_ROW = 999;
const COLUMN = 60;
const DEFAULT_TOLERANCE = 1e-12;

type CellData = WorkbookData['sheets'][number]['cells'] extends Iterable<infer C> ? C : never;

function cellOf(row: number, column: number, value: Shown): CellData {
  if (typeof value === 'string' && value.startsWith('=')) {
    return { row, column, value: null, formula: value.slice(1), dynamic: true };
  }
  return { row, column, value };
}

function cellsOf(rows: readonly (readonly Shown[])[]): CellData[] {
  return rows.flatMap((values, row) => values.map((value, column) => cellOf(row, column, value)));
}

function cellsByAddress(cells: Readonly<Record<string, Shown>>): CellData[] {
  return Object.entries(cells).map(([ref, value]) => {
    const at = parseArea(ref);
    assert.ok(at, ref);
    return cellOf(at.top, at.left, value);
  });
}

function sheetOf(name: string, cells: readonly CellData[], hiddenRows: readonly number[] = []) {
  return { name, hidden: false, color: null, hiddenRows, columnFormats: new Map(), cells };
}

/** Calculates formulas in the world, each in its own cell of the first sheet. */
export function calculated(formulas: readonly string[], world: World = {}): Snapshot {
  const workbook = tried(formulas, world);
  assert.ok(workbook instanceof Workbook, JSON.stringify(workbook));
  return workbook.head;
}

/** The same for formulas that may cost more than the world's budget. */
export function tried(formulas: readonly string[], world: World): Workbook | Refusal {
  const first = [...cellsOf(world.rows ?? []), ...cellsByAddress(world.cells ?? {})];
  const results = formulas.map((text, i) => ({
    row: FIRST_ROW + i * ROOM,
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
        sheetOf('Sheet1', [...first, ...results], world.hiddenRows),
        ...Object.entries(world.sheets ?? {}).map(([name, rows]) => sheetOf(name, cellsOf(rows))),
      ],
    },
    contextWith(world.context),
  );
}

function shown(value: Scalar): Shown {
  return isError(value) ? value.code : value;
}

/** The result of the formula with an index: one value, or the rows of its spill. */
function resultAt(head: Snapshot, index: number): Shown | Shown[][] {
  const sheet = head.sheets[0];
  assert.ok(sheet);
  const top = FIRST_ROW + index * ROOM;
  const spill = [...sheet.spills.values()].find(({ blocked, area }) => !blocked && area.top === top);
  const { bottom, right } = spill?.area ?? area(top, COLUMN, top, COLUMN);
  if (bottom === top && right === COLUMN) return shown(sheet.value(top, COLUMN));
  return Array.from({ length: bottom - top + 1 }, (_, r) =>
    Array.from({ length: right - COLUMN + 1 }, (_, c) => shown(sheet.value(top + r, COLUMN + c))),
  );
}

function agree(actual: unknown, expected: unknown, what: string, tolerance: number): void {
  if (typeof expected === 'number' && typeof actual === 'number') {
    const apart = Math.abs(actual - expected);
    assert.ok(apart <= tolerance * Math.max(Math.abs(expected), 1e-3), `${what}: ${actual} is not ${expected}`);
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    assert.equal(actual.length, expected.length, `${what}: length`);
    for (const [i, part] of expected.entries()) agree(actual[i], part, what, tolerance);
  } else assert.deepEqual(actual, expected, what);
}

/** One test for each formula: its result in the world. */
export function table(title: string, examples: readonly Example[], world: World = {}): void {
  describe(title, () => {
    const head = calculated(
      examples.map(([formula]) => formula),
      world,
    );
    for (const [i, [formula, expected]] of examples.entries()) {
      it(formula, () => agree(resultAt(head, i), expected, formula, world.tolerance ?? DEFAULT_TOLERANCE));
    }
  });
}
