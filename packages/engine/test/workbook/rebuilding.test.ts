import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName } from '../../src/grid/a1.ts';
import {
  applyDelta,
  type Edit,
  encodeCheckpoint,
  encodeDelta,
  type Input,
  restoreCheckpoint,
  Workbook,
} from '../../src/index.ts';
import { SPILLED } from '../../src/sheet/cell-kind.ts';
import { Book } from './book.ts';
import { parseMove } from './parse-move.ts';

/** Columns A and B contain values. Each other column has a formula in its first row that reads columns to its left. */
const PLAIN = 2;
const FORMULAS = 5;
const ROWS = 6;
const NUM_RUNS = scaleRunCount(3_000);
const NUM_RUNS_OF_TWO = scaleRunCount(500);

/** A column to the left of a formula. */
const arbitraryColumnLeftOf = (column: number) => fc.nat(column - 1).map(columnName);
const rows = fc
  .tuple(fc.integer({ min: 1, max: ROWS }), fc.integer({ min: 1, max: ROWS }))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

/** A formula whose array, if any, spills downwards, so that no two arrays need the same cells. */
const arbitraryFormula = (column: number): fc.Arbitrary<string> =>
  fc
    .tuple(arbitraryColumnLeftOf(column), arbitraryColumnLeftOf(column), rows, fc.integer({ min: 1, max: ROWS }))
    .chain(([x, y, [top, bottom], row]) => {
      const range = `${x}${top}:${x}${bottom}`;
      return fc.constantFrom(
        `=SORT(${range})`,
        `=${range}*2`,
        `=FILTER(${range};${range}>1;0)`,
        `=UNIQUE(${range})`,
        `=SEQUENCE(${x}${row})`,
        `=${x}1#`,
        `=SUM(${x}1#)+${y}${row}`,
        `=${x}1#&${y}1`,
        `=INDIRECT("${x}${row}")`,
        `=INDIRECT("${x}${top}:${x}${bottom}")`,
        `=SUM(OFFSET(${x}1;1;0;${row};1))`,
        `=OFFSET(${x}1;0;0;${row};1)`,
        `=COUNT(${x}:${x})&"/"&SUM(${y}:${y})`,
        `=${x}:${x}`,
        `=IF(${x}${row}>1;${range};7)`,
        `=IFERROR(${x}${row}/${y}${row};SEQUENCE(2))`,
        `=VLOOKUP(${y}${row};${range};1;FALSE)`,
        `=SUMIF(${range};">1";${y}${top}:${y}${bottom})`,
        `=Other!A${row}+${x}${row}`,
      );
    });

type RebuildStep =
  | { readonly kind: 'write'; readonly column: number; readonly row: number; readonly value: Input }
  | { readonly kind: 'sheet'; readonly what: 'add' | 'rename' | 'delete' };

const literal = fc.constantFrom<Input>(0, 1, 2, 3, 5, -1, 'text', true, '', 'Text');
const step: fc.Arbitrary<RebuildStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      column: fc.nat(PLAIN - 1),
      row: fc.nat(ROWS - 1),
      value: literal,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.integer({ min: PLAIN, max: PLAIN + FORMULAS - 1 }).chain((column) =>
      fc.record({
        kind: fc.constant('write' as const),
        column: fc.constant(column),
        row: fc.constant(0),
        value: fc.oneof({ weight: 6, arbitrary: arbitraryFormula(column) }, { weight: 1, arbitrary: literal }),
      }),
    ),
  },
  {
    // Blocks a spill, and unblocks it again.
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      column: fc.integer({ min: PLAIN, max: PLAIN + FORMULAS - 1 }),
      row: fc.integer({ min: 1, max: ROWS }),
      value: fc.constantFrom<Input>(9, '', ''),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('sheet' as const),
      what: fc.constantFrom('add' as const, 'rename' as const, 'delete' as const),
    }),
  },
);

/** Moves in the notation of `parseMove`. */
const move = fc.constantFrom(
  'insert rows 2 1',
  'delete rows 3 1',
  'reorder rows 1 1 4',
  'insert columns B 1 across 8',
  'carry A1:A2 Sheet1 B3',
);

function parseMoveEdits(book: Book, text: string): Edit[] {
  return [{ kind: 'moveCells', move: parseMove(text, (name) => book.sheetId(name)) }];
}

function createEdits(book: Book, next: RebuildStep): Edit[] {
  if (next.kind === 'write') {
    const { column, row, value } = next;
    return [{ kind: 'setValues', sheet: 1, row, column, values: [[value]], mode: 'user' }];
  }
  const otherSheet = book.head.sheets[1];
  if (next.what === 'add') return otherSheet ? [] : [{ kind: 'addSheet', name: 'Other' }];
  if (!otherSheet) return [];
  return next.what === 'rename'
    ? [{ kind: 'renameSheet', sheet: otherSheet.id, name: otherSheet.name === 'Other' ? 'Renamed' : 'Other' }]
    : [{ kind: 'deleteSheet', sheet: otherSheet.id }];
}

/** The values of the first sheet without formats, which depend on how a cell was filled first. */
function readGridValues(book: Book): unknown {
  return book.grid(`A1:${columnName(PLAIN + FORMULAS - 1)}${2 * ROWS + 2}`);
}

/** A workbook that gets all input at once. */
function buildEqualBook(book: Book): Book {
  const fresh = new Book();
  const otherSheet = book.head.sheets[1];
  if (otherSheet) fresh.addSheet(otherSheet.name);
  const edits: Edit[] = [];
  const [sheet] = book.head.sheets;
  assert.ok(sheet);
  const { rows, columns } = sheet.extent();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const view = book.view(`${columnName(column)}${row + 1}`);
      if (!view || (sheet.kind(row, column) & SPILLED) !== 0) continue;
      const input = view.f ?? view.v;
      const mode = view.f === undefined ? 'raw' : 'user';
      edits.push({ kind: 'setValues', sheet: 1, row, column, values: [[input]], mode });
    }
  }
  if (edits.length > 0) fresh.apply(edits);
  return fresh;
}

describe('a workbook edited step by step', () => {
  it('equals a workbook that gets all input at once', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 14 }), (steps) => {
        const book = new Book();
        book.addSheet('Other');
        for (const next of steps) {
          const edits = createEdits(book, next);
          if (edits.length === 0) continue;
          book.apply(edits);
          assert.deepEqual(readGridValues(book), readGridValues(buildEqualBook(book)));
        }
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('is the same in two processes that write in turns, without traces of refused batches', () => {
    const turn = fc.record({
      next: fc.oneof({ weight: 5, arbitrary: step }, { weight: 1, arbitrary: move }),
      byFirst: fc.boolean(),
      stands: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 14 }), (turns) => {
        const [single, first, second] = [new Book(), new Book(), new Book()];
        single.addSheet('Other');
        const { meta, chunks } = encodeCheckpoint(single.head, -1);
        for (const book of [first, second]) book.workbook = Workbook.open(restoreCheckpoint(meta, chunks));
        for (const { next, byFirst, stands } of turns) {
          const [writer, reader] = byFirst ? [first, second] : [second, first];
          const edits = typeof next === 'string' ? parseMoveEdits(writer, next) : createEdits(writer, next);
          if (edits.length === 0) continue;
          const { change } = writer.apply(edits);
          if (!stands) {
            writer.workbook.follow(change.before);
            continue;
          }
          reader.workbook.follow(applyDelta(reader.head, encodeDelta(change)));
          single.apply(edits);
          for (const book of [writer, reader]) assert.deepEqual(readGridValues(book), readGridValues(single));
        }
      }),
      { numRuns: NUM_RUNS_OF_TWO },
    );
  });
});
