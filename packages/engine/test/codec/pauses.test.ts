import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ChangeSender,
  decodeInverse,
  decodeOutline,
  type Edit,
  encodeInverse,
  type Move,
  measureMemoryInSteps,
  readRegion,
  readRegionInSteps,
  receiveChange,
  Workbook,
} from '@cellwire/engine';
import { moveCellsInSteps } from '../../src/sheet/moves/move-cells.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
const CONTEXT = { now: 0, seed: 1, budget: { cells: 1e9, milliseconds: 60_000, clock: () => 0 } };
const COLUMNS = 4_096;
const SHEET = 1;

function createWideWorkbook(): Workbook {
  const cells = Array.from({ length: COLUMNS }, (_, column) => [
    { row: 0, column, value: `Field ${column}` },
    { row: 1, column, value: column },
  ]).flat();
  const sheet = { name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells };
  const workbook = Workbook.import({ settings: SETTINGS, names: [], tables: [], sheets: [sheet] }, CONTEXT);
  assert.ok(workbook instanceof Workbook);
  return workbook;
}

/** Runs steps to the end and returns their result and the number of pauses. */
function runAndCountPauses<T>(steps: Generator<void, T>): { readonly result: T; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done) return { result: step.value, pauses };
  }
}

describe('work on a sheet of many columns with few cells each', () => {
  const { head } = createWideWorkbook();
  const move: Move = { kind: 'insert', sheet: SHEET, axis: 'rows', at: 1, count: 1 };

  it('pauses every few hundred columns', () => {
    const sent = runAndCountPauses(new ChangeSender(null).send(head));
    const received = runAndCountPauses(receiveChange(null, sent.result));
    const movedCells = runAndCountPauses(moveCellsInSteps(head, move, head.revision + 1));
    const measured = runAndCountPauses(measureMemoryInSteps(head));
    const sheet = head.sheets[0];
    assert.ok(sheet !== undefined);
    const area = { top: 0, left: 0, bottom: 1, right: COLUMNS - 1, openRows: true, openColumns: false };
    const region = runAndCountPauses(readRegionInSteps(head, sheet, area));
    for (const { pauses } of [sent, received, movedCells, region]) assert.ok(pauses >= COLUMNS / 256, String(pauses));
    assert.ok(measured.pauses >= COLUMNS / 1_024);
    assert.deepEqual(readRegion(head, sheet, area), region.result);
    assert.equal(movedCells.result.sheetById(SHEET)?.value(2, COLUMNS - 1), COLUMNS - 1);
    assert.equal(received.result.sheetById(SHEET)?.value(1, COLUMNS - 1), COLUMNS - 1);
  });
});

describe('the outline of an inverse', () => {
  it('contains the head and the areas of the whole inverse', () => {
    const workbook = createWideWorkbook();
    const value = (row: number, values: readonly (string | number | boolean | null)[]): Edit => ({
      kind: 'setValues',
      sheet: SHEET,
      row,
      column: 0,
      values: [values],
      mode: 'user',
    });
    const first = workbook.apply(
      [value(4, ['text', 'кириллица', 1.5, 2 ** 41, true, '=A1&"x"', '=1/0', '12%', '']), value(9, ['below'])],
      CONTEXT,
    );
    assert.equal(first.kind, 'applied');
    const second = workbook.apply(
      [
        { kind: 'clear', sheet: SHEET, area: { top: 0, left: 0, bottom: 9, right: 20 } },
        { kind: 'moveCells', move: { kind: 'insert', sheet: SHEET, axis: 'rows', at: 1, count: 1 } },
        { kind: 'addSheet', name: 'Other' },
      ],
      CONTEXT,
    );
    assert.ok(second.kind === 'applied');
    const bytes = encodeInverse(second.change);
    const { head, blocks } = decodeInverse(bytes);
    assert.deepEqual(decodeOutline(bytes), { head, blocks: blocks.map(({ sheet, area }) => ({ sheet, area })) });
    assert.ok(blocks.length > 0);
  });
});
