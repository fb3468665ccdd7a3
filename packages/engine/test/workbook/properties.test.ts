import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { areaText, type Edit, type Input, Workbook } from '../../src/index.ts';
import { Book, createContext, describeContents, replayBatch, storeAndRestore, ThreadCopy } from './book.ts';

/** Edits stay in a small corner of the grid, so that formulas read each other, with circles and spills. */
const ROWS = 8;
const COLUMNS = 5;

const cell = fc
  .record({ row: fc.nat(ROWS - 1), column: fc.nat(COLUMNS - 1) })
  .map(({ row, column }) => areaText({ top: row, left: column, bottom: row, right: column }));
const range = fc.tuple(cell, cell).map(([a, b]) => `${a}:${b}`);
const reference = fc.oneof(
  { weight: 6, arbitrary: cell },
  { weight: 1, arbitrary: cell.map((ref) => `Other!${ref}`) },
  { weight: 1, arbitrary: cell.map((ref) => `Later!${ref}`) },
);

/** Formulas with a single value, which may form circular references. */
const single = fc.oneof(
  fc.tuple(reference, reference).map(([a, b]) => `=${a}+${b}`),
  fc.tuple(reference, fc.constantFrom('*', '-', '&', '/', '>')).map(([a, op]) => `=${a}${op}2`),
  range.map((r) => `=SUM(${r})`),
  range.map((r) => `=MAX(${r})`),
  range.map((r) => `=COUNTIF(${r};">1")`),
  cell.map((a) => `=LET(x;${a};x*x)`),
  fc.constant('=SUM(B:B)'),
);

/** Formulas that spill, branch, catch errors, or read cells that are not in their text. */
const any = fc.oneof(
  single,
  range.map((r) => `=IFERROR(MAX(${r});-1)`),
  fc.tuple(cell, cell).map(([a, b]) => `=IF(${a}>1;${b};0)`),
  fc.integer({ min: 1, max: 4 }).map((n) => `=SEQUENCE(${n})`),
  fc.tuple(cell, fc.integer({ min: 1, max: 3 })).map(([a, n]) => `=SEQUENCE(1;${n};${a})`),
  cell.map((a) => `=SUM(${a}#)`),
  range.map((r) => `=SORT(${r})`),
  cell.map((a) => `=INDIRECT("${a}")+1`),
  fc.tuple(cell, fc.integer({ min: -1, max: 2 })).map(([a, n]) => `=OFFSET(${a};${n};0)`),
  range.map((r) => `=${r}*2`),
  fc.constant('=A:A'),
);

/** A formula for column C that reads columns A and B and may spill downwards, without circular references. */
const fromLeft = fc
  .tuple(fc.constantFrom('A', 'B'), fc.integer({ min: 1, max: ROWS }), fc.integer({ min: 1, max: ROWS }))
  .chain(([column, first, last]) => {
    const r = `${column}${Math.min(first, last)}:${column}${Math.max(first, last)}`;
    const a = `${column}${first}`;
    return fc.constantFrom(
      `=SORT(${r})`,
      `=${r}*2`,
      `=FILTER(${r};${r}>1;0)`,
      `=INDIRECT("${a}")+1`,
      `=OFFSET(${a};1;0)`,
      `=IFERROR(${a}/0;SEQUENCE(2))`,
      `=SUM(INDIRECT("${r}"))`,
      `=${column}:${column}`,
      `=IF(${a}>1;${r};7)`,
    );
  });
const literal = fc.constantFrom<Input>(-2, 0, 1, 2, 5, '', 'text', true, '01.02.2026', '5%', null);

const arbitrarySteps = (formulas: fc.Arbitrary<string>) =>
  fc.array(arbitraryStep(formulas), { minLength: 1, maxLength: 12 });

type EditStep =
  | { readonly kind: 'set'; readonly at: string; readonly values: Input[][] }
  | { readonly kind: 'clear'; readonly at: string }
  | { readonly kind: 'sheet'; readonly what: 'add' | 'rename' | 'delete' };

function arbitraryStep(formulas: fc.Arbitrary<string>): fc.Arbitrary<EditStep> {
  const input = fc.oneof({ weight: 3, arbitrary: literal }, { weight: 4, arbitrary: formulas });
  const values = fc.array(fc.array(input, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('set' as const), at: cell, values }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('clear' as const), at: range }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('sheet' as const),
        what: fc.constantFrom('add' as const, 'rename' as const, 'delete' as const),
      }),
    },
  );
}

/** Steps that write values into columns A and B, and formulas that read them into column C. */
const layeredSteps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('set' as const),
      at: fc.tuple(fc.constantFrom('A', 'B'), fc.integer({ min: 1, max: ROWS })).map(([c, r]) => `${c}${r}`),
      values: fc.array(
        literal.map((value) => [value]),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    fc.record({
      kind: fc.constant('set' as const),
      at: fc.integer({ min: 1, max: 40 }).map((r) => `C${r}`),
      values: fc.oneof({ weight: 4, arbitrary: fromLeft }, { weight: 1, arbitrary: literal }).map((value) => [[value]]),
    }),
    fc.record({ kind: fc.constant('clear' as const), at: range }),
  ),
  { minLength: 1, maxLength: 12 },
);

function toEdits(book: Book, next: EditStep): Edit[] {
  if (next.kind === 'set') return [book.write(next.at, next.values)];
  if (next.kind === 'clear') return [{ kind: 'clear', sheet: 1, area: toArea(next.at) }];
  const otherSheet = book.head.sheetByName('Other');
  const later = book.head.sheetByName('Later');
  if (next.what === 'add') return later ? [] : [{ kind: 'addSheet', name: 'Later' }];
  if (next.what === 'rename') return otherSheet ? [{ kind: 'renameSheet', sheet: otherSheet.id, name: 'Renamed' }] : [];
  return later ? [{ kind: 'deleteSheet', sheet: later.id }] : [];
}

function toArea(ref: string) {
  const [x, y] = ref.split(':').map((text) => ({ row: Number(text.slice(1)) - 1, column: text.charCodeAt(0) - 65 }));
  assert.ok(x && y);
  return {
    top: Math.min(x.row, y.row),
    bottom: Math.max(x.row, y.row),
    left: Math.min(x.column, y.column),
    right: Math.max(x.column, y.column),
  };
}

/** Recalculates all formulas of a document. */
function calculateNewWorkbook(book: Book): unknown {
  const fresh = Workbook.open(storeAndRestore(book.head));
  const outcome = fresh.apply([{ kind: 'recalculate', everything: true }], createContext());
  assert.equal(outcome.kind, 'applied');
  return describeContents(fresh.head);
}

describe('a workbook under random edits', () => {
  const history = arbitrarySteps(any);

  function run(steps: readonly EditStep[], check: (book: Book, next: EditStep) => void): void {
    const book = new Book();
    book.addSheet('Other');
    for (const next of steps) check(book, next);
  }

  function equalsFromScratch(steps: readonly EditStep[]): void {
    run(steps, (book, next) => {
      book.apply(toEdits(book, next));
      assert.deepEqual(describeContents(book.head), calculateNewWorkbook(book));
    });
  }

  it('has the values of a full calculation after each edit, including circular references', () => {
    fc.assert(fc.property(arbitrarySteps(single), equalsFromScratch), { numRuns: scaleRunCount(300) });
  });

  it('has the values of a full calculation with spills and references from text', () => {
    fc.assert(fc.property(layeredSteps, equalsFromScratch), { numRuns: scaleRunCount(300) });
  });

  it('can be replicated from deltas', () => {
    fc.assert(
      fc.property(history, (steps) => {
        run(steps, (book, next) => {
          const before = storeAndRestore(book.head);
          const batch = book.apply(toEdits(book, next));
          assert.deepEqual(describeContents(replayBatch(batch, before)), describeContents(book.head));
        });
      }),
      { numRuns: scaleRunCount(200) },
    );
  });

  it('can be sent to another thread, which continues from the same state', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const copy = new ThreadCopy();
        run(steps, (book, next) => {
          const received = copy.receiveChange(book.head);
          assert.deepEqual(describeContents(received), describeContents(book.head));
          const edits = toEdits(book, next);
          const onCopy = Workbook.open(new ThreadCopy().receiveChange(received)).apply(edits, book.context);
          const onOriginal = book.apply(edits);
          assert.equal(onCopy.kind, 'applied');
          assert.deepEqual(
            onCopy.kind === 'applied' && describeContents(onCopy.change.after),
            describeContents(book.head),
          );
          assert.deepEqual(onCopy.kind === 'applied' && onCopy.change.derived, onOriginal.change.derived);
          assert.deepEqual(describeContents(copy.receiveChange(book.head)), describeContents(book.head));
        });
      }),
      { numRuns: scaleRunCount(60) },
    );
  });

  it('reports exactly the changed cells', () => {
    fc.assert(
      fc.property(history, (steps) => {
        run(steps, (book, next) => {
          const { change } = book.apply(toEdits(book, next));
          const reportedCells = new Set<string>();
          for (const { sheet, areas } of [...change.written, ...change.derived]) {
            for (const { top, left, bottom, right } of areas) {
              for (let r = top; r <= bottom; r++) {
                for (let c = left; c <= right; c++) {
                  const key = `${sheet}:${r}:${c}`;
                  assert.ok(!reportedCells.has(key), `${key} is named twice`);
                  reportedCells.add(key);
                }
              }
            }
          }
          for (const sheet of change.after.sheets) {
            const old = change.before.sheetById(sheet.id);
            const rows = Math.max(sheet.extent().rows, old?.extent().rows ?? 0);
            const columns = Math.max(sheet.extent().columns, old?.extent().columns ?? 0);
            for (let r = 0; r < rows; r++) {
              for (let c = 0; c < columns; c++) {
                if (old && Object.is(old.value(r, c), sheet.value(r, c))) continue;
                assert.ok(reportedCells.has(`${sheet.id}:${r}:${c}`), `R${r}C${c} of ${sheet.name} changed unnamed`);
              }
            }
          }
        });
      }),
      { numRuns: scaleRunCount(150) },
    );
  });

  it('is unchanged after a refused batch', () => {
    fc.assert(
      fc.property(arbitrarySteps(single), history, (steps, failingSteps) => {
        const book = new Book();
        book.addSheet('Other');
        for (const next of steps) book.apply(toEdits(book, next));
        const before = describeContents(book.head);
        const edits = failingSteps.flatMap((next) => (next.kind === 'sheet' ? [] : toEdits(book, next)));
        book.context = createContext({ budget: { cells: 3, milliseconds: 1, clock: () => 0 } });
        book.tryEdits([...edits, book.write('A1', '=SUM(SEQUENCE(100))')]);
        book.context = createContext();
        assert.deepEqual(describeContents(book.head), before);
        book.set('E8', 1);
        assert.deepEqual(describeContents(book.head), calculateNewWorkbook(book));
      }),
      { numRuns: scaleRunCount(150) },
    );
  });
});
