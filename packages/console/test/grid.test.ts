import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { areaText } from '@cellwire/engine';
import { array, assert as holds, integer, property, record } from 'fast-check';
import type { ValueRange } from '../src/data/types.ts';
import { formatTsvRow, readTsvRows } from '../src/grid/clipboard-formats/tsv.ts';
import { findCommand } from '../src/grid/controller/commands.ts';
import { continueSeries, findAddedArea } from '../src/grid/editing/fill-series.ts';
import { type CellDraft, cycleReference, insertReference } from '../src/grid/formula/draft.ts';
import {
  canAcceptReferenceAt,
  findReferences,
  getFormulaSeparators,
  parseCaretContext,
} from '../src/grid/formula/formula-text.ts';
import { createCellSelection, findNextInSelection, formatSelection } from '../src/grid/selection/selection.ts';
import { BLOCK_ROWS, type BlockFetcher, CellStore } from '../src/grid/session/cell-store.ts';
import { MergedRanges, overrideSizes } from '../src/grid/session/sheet-shape.ts';
import { AxisLayout } from '../src/grid/view/axis-layout.ts';
import { HEADING_HEIGHT, HEADING_WIDTH, Viewport } from '../src/grid/view/viewport.ts';

suite('loading of visible cells', () => {
  const createVisibleArea = (top: number) => ({ top, left: 0, bottom: top + 30, right: 5 });

  test('loads the visible cells and the area ahead once', async () => {
    const requestedRanges: string[] = [];
    const readBlocks = async (ranges: readonly string[]) => {
      requestedRanges.push(...ranges);
      const emptyRanges = ranges.map((range) => ({ sheet: 'S', range, cells: [] }) as unknown as ValueRange);
      return { ok: true, value: { ranges: emptyRanges, styles: [], revision: 1 }, headers: new Headers() } as const;
    };
    const store = new CellStore('S', { readBlocks, onChange: () => {} });
    const waitUntilSettled = () => new Promise(setImmediate);
    store.setVisibleArea(createVisibleArea(0));
    await waitUntilSettled();
    assert.deepEqual(requestedRanges.splice(0), ['S!A1:P128']);
    store.setVisibleArea(createVisibleArea(28));
    await waitUntilSettled();
    assert.deepEqual(requestedRanges.splice(0), ['S!A129:P256']);
    store.setVisibleArea(createVisibleArea(2 * BLOCK_ROWS + 60));
    await waitUntilSettled();
    assert.deepEqual(requestedRanges.splice(0), ['S!A257:P384', 'S!A385:P512']);
    store.setVisibleArea(createVisibleArea(2 * BLOCK_ROWS + 40));
    await waitUntilSettled();
    assert.deepEqual(requestedRanges, []);
  });

  const firstCell = { top: 0, left: 0, bottom: 0, right: 0 };

  /** Creates a store whose requests the test answers, each with a text in A1. */
  function createManualStore() {
    const answers: ((text: string) => Promise<unknown>)[] = [];
    const readBlocks = (ranges: readonly string[]) => {
      const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<BlockFetcher>>>();
      answers.push((text) => {
        const cells = [[{ v: text, m: text }]];
        const valueRanges = ranges.map((range) => ({ sheet: 'S', range, cells }) as unknown as ValueRange);
        resolve({ ok: true, value: { ranges: valueRanges, styles: [], revision: 1 }, headers: new Headers() });
        return new Promise(setImmediate);
      });
      return promise;
    };
    const store = new CellStore('S', { readBlocks, onChange: () => {} });
    return { store, answers, shown: () => store.getCell(0, 0)?.v };
  }

  test('loads cells again if they change before the answer', async () => {
    const { store, answers, shown: displayedValue } = createManualStore();
    store.setVisibleArea(firstCell);
    store.markStale([firstCell]);
    await answers[0]?.('before');
    assert.equal(displayedValue(), 'before');
    await answers[1]?.('after');
    assert.equal(displayedValue(), 'after');
    assert.equal(answers.length, 2);
  });

  test('ignores a late answer to an earlier request', async () => {
    const { store, answers, shown: displayedValue } = createManualStore();
    store.setVisibleArea(firstCell);
    const isKnown = store.ensureLoaded(firstCell);
    await answers[1]?.('newer');
    assert.equal(await isKnown, true);
    await answers[0]?.('older');
    assert.equal(displayedValue(), 'newer');
    assert.equal(answers.length, 2);
  });

  test('shows the last typed text until it is written', async () => {
    const { store, answers, shown: displayedValue } = createManualStore();
    const first = store.showPending(0, 0, [['one']]);
    const second = store.showPending(0, 0, [['two']]);
    const settled = store.endPendingWrite(firstCell, first);
    await answers[0]?.('one');
    await settled;
    assert.deepEqual([displayedValue(), store.getPendingText(0, 0)], ['one', 'two']);
    const last = store.endPendingWrite(firstCell, second);
    await answers[1]?.('two');
    await last;
    assert.deepEqual([displayedValue(), store.getPendingText(0, 0)], ['two', undefined]);
  });
});

suite('line layout', () => {
  const bands = array(
    record({
      gap: integer({ min: 0, max: 4 }),
      length: integer({ min: 1, max: 4 }),
      size: integer({ min: 0, max: 60 }),
    }),
    {
      maxLength: 6,
    },
  );

  test('places lines one after another and finds them by offset', () => {
    holds(
      property(bands, (drawn) => {
        let next = 0;
        const lines = drawn.map(({ gap, length, size }) => {
          const first = next + gap;
          next = first + length;
          return { first, last: next - 1, size };
        });
        const axis = new AxisLayout(40, 22, lines);
        let offset = 0;
        for (let line = 0; line < 40; line++) {
          assert.equal(axis.computeOffset(line), offset);
          const size = axis.getSize(line);
          if (size > 0) assert.equal(axis.findLineAt(offset + size - 1), line);
          offset += size;
        }
        assert.equal(axis.total, offset);
      }),
    );
  });

  test('gives a line its own size', () => {
    const axis = new AxisLayout(
      10,
      100,
      overrideSizes([{ first: 2, last: 5, size: 40 }], [{ first: 3, last: 3, size: 7 }]),
    );
    assert.deepEqual(
      [2, 3, 4, 6].map((line) => axis.getSize(line)),
      [40, 7, 40, 100],
    );
  });
});

suite('viewport', () => {
  const rows = new AxisLayout(1_000, 20, []);
  const columns = new AxisLayout(50, 100, []);
  const viewport = new Viewport({
    rows,
    columns,
    frozen: { rows: 1, columns: 1 },
    scroll: { x: 250, y: 400 },
    width: 852,
    height: 424,
  });

  test('keeps frozen lines in place and scrolls the others', () => {
    assert.deepEqual([viewport.computeColumnX(0), viewport.computeRowY(0)], [HEADING_WIDTH, HEADING_HEIGHT]);
    assert.deepEqual(viewport.visibleRows, { first: 21, last: 40 });
    assert.deepEqual(viewport.visibleColumns, { first: 3, last: 10 });
    const { row, column, on } = viewport.findHit(HEADING_WIDTH + 10, HEADING_HEIGHT + 5);
    assert.deepEqual([row, column, on], [0, 0, 'cell']);
    assert.equal(viewport.findHit(HEADING_WIDTH + 101, 200).column, 3);
  });

  test('finds a line edge in the headings from both sides', () => {
    const on = (x: number, y: number) => {
      const hit = viewport.findHit(x, y);
      return [hit.on, hit.on === 'rowEdge' ? hit.row : hit.column];
    };
    assert.deepEqual(on(10, HEADING_HEIGHT + 10)[0], 'row');
    assert.deepEqual(on(10, HEADING_HEIGHT + 18), ['rowEdge', 0]);
    assert.deepEqual(on(10, HEADING_HEIGHT + 22), ['rowEdge', 0]);
    assert.deepEqual(on(HEADING_WIDTH + 50, 10)[0], 'column');
    assert.deepEqual(on(HEADING_WIDTH + 98, 10), ['columnEdge', 0]);
  });

  test('scrolls only as far as needed to show a cell', () => {
    assert.deepEqual(viewport.computeScrollToShow({ row: 25, column: 5 }), { x: 250, y: 400 });
    assert.deepEqual(viewport.computeScrollToShow({ row: 2, column: 1 }), { x: 0, y: 20 });
    assert.deepEqual(viewport.computeScrollToShow({ row: 0, column: 0 }), { x: 250, y: 400 });
  });
});

suite('tab-separated text', () => {
  const cases: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    [
      'a\tb\nc\td',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a\r\n', [['a']]],
    ['"x\ty"\t"say ""hi"""', [['x\ty', 'say "hi"']]],
    ['"two\nlines"', [['two\nlines']]],
    ['"open', [['"open']]],
    ['5" pipe', [['5" pipe']]],
    ['', [['']]],
    ['a\rb\tc\r', [['a'], ['b', 'c']]],
    ['"a\r\nb"\r\n"c"""\r\n', [['a\r\nb'], ['c"']]],
    ['\t', [['', '']]],
  ];
  for (const [text, rows] of cases) {
    test(`${JSON.stringify(text)} is read`, () => assert.deepEqual([...readTsvRows(text)], rows));
  }

  test('reads what it writes', () => {
    const cells = [
      ['a"b', 'line\nbreak', 'tab\there'],
      ['', ' ', '=A1'],
    ];
    assert.deepEqual([...readTsvRows(cells.map(formatTsvRow).join('\n'))], cells);
  });
});

suite('formulas while typing', () => {
  test('finds references, but not in texts and names', () => {
    const references = findReferences('=SUM(A1:B2;Orders!C3;"D4")+LOG10(2)+TAX2026X').map(({ sheet, area }) => [
      sheet,
      area.top,
      area.left,
    ]);
    assert.deepEqual(references, [
      [null, 0, 0],
      ['Orders', 2, 2],
    ]);
  });

  test('accepts a clicked reference where one is possible', () => {
    for (const text of ['=', '=SUM(', '=A1+', '=SUM(A1;', '=1 <'])
      assert.ok(canAcceptReferenceAt(text, text.length), text);
    for (const text of ['A', '=A', '=SUM(A1)', 'x+']) assert.ok(!canAcceptReferenceAt(text, text.length), text);
  });

  test('finds the call and argument at the caret', () => {
    assert.deepEqual(parseCaretContext('=IF(A1;SUM(1;2', 14).call, { name: 'SUM', argument: 1 });
    assert.deepEqual(parseCaretContext('=IF(SUM(1;2);', 13).call, { name: 'IF', argument: 1 });
    assert.deepEqual(parseCaretContext('=IF("a;(";', 10).call, { name: 'IF', argument: 1 });
    assert.equal(parseCaretContext('=VLO', 4).word?.text, 'VLO');
  });

  const draft: CellDraft = {
    sheet: 'Orders',
    position: { row: 0, column: 0 },
    text: '=SUM(',
    caret: 5,
    where: 'cell',
    isEnterMode: true,
    initialText: '',
    lastRevision: null,
    problem: null,
    pickedReference: null,
  };
  const area = { top: 1, left: 1, bottom: 2, right: 1 };

  test('replaces the last picked reference', () => {
    const once = insertReference(draft, 'Orders', area);
    assert.equal(once?.text, '=SUM(B2:B3');
    assert.equal(once && insertReference(once, 'Other sheet', area)?.text, "=SUM('Other sheet'!B2:B3");
  });

  test('uses the separators of the locale', () => {
    assert.deepEqual(parseCaretContext('=IF(A1,1.5', 10, getFormulaSeparators('en-US').separator).call, {
      name: 'IF',
      argument: 1,
    });
    assert.deepEqual(parseCaretContext('=IF(A1;1,5', 10, getFormulaSeparators('ru-RU').separator).call, {
      name: 'IF',
      argument: 1,
    });
  });

  test('cycles the $ of a reference', () => {
    const texts = ['=A1', '=$A$1', '=A$1', '=$A1', '=A1'];
    for (const [i, text] of texts.slice(0, -1).entries()) {
      assert.equal(cycleReference({ ...draft, text, caret: text.length }).text, texts[i + 1]);
    }
  });
});

suite('fill series', () => {
  const createColumnReader = (values: readonly (number | string)[]) => (row: number) => {
    const v = values[row];
    return v === undefined ? null : { v, m: String(v) };
  };
  const from = { top: 0, left: 0, bottom: 1, right: 0 };
  const inputLocale = { locale: 'en-US', dateSystem: 'google' } as const;

  test('continues numbers by their difference in both directions', () => {
    assert.deepEqual(continueSeries(from, { ...from, bottom: 3 }, createColumnReader([1, 3]), inputLocale), [[5], [7]]);
    const below = { top: 2, left: 0, bottom: 3, right: 0 };
    assert.deepEqual(continueSeries(below, { ...below, top: 0 }, createColumnReader([0, 0, 0.3, 0.4]), inputLocale), [
      [0.1],
      [0.2],
    ]);
    assert.deepEqual(findAddedArea(below, { ...below, top: 0 }), { top: 0, left: 0, bottom: 1, right: 0 });
  });

  const seriesCases: readonly (readonly [readonly (number | string)[], readonly (number | string)[]])[] = [
    [
      ['Monday', 'Tuesday'],
      ['Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday'],
    ],
    [['SAT'], ['SUN', 'MON']],
    [
      ['янв', 'мар'],
      ['май', 'июл'],
    ],
    [['Item 9'], ['Item 10', 'Item 11']],
    [
      ['A-007', 'A-009'],
      ['A-011', 'A-013'],
    ],
  ];
  for (const [begin, on] of seriesCases) {
    test(`${begin.join(', ')} continues with ${on.join(', ')}`, () => {
      const first = { ...from, bottom: begin.length - 1 };
      const to = { ...first, bottom: first.bottom + on.length };
      assert.deepEqual(
        continueSeries(first, to, createColumnReader(begin), { ...inputLocale, locale: 'ru' }),
        on.map((value) => [value]),
      );
    });
  }

  /** Serial numbers in the google system: 46023 is 2026-01-01. */
  const dates: readonly (readonly [string, readonly number[], readonly number[]])[] = [
    ['one date goes on by days', [46023], [46024, 46025]],
    ['the same weekday goes on by weeks', [46023, 46030], [46037, 46044]],
    ['the first of months goes on by months', [46023, 46054], [46082, 46113]],
    ['the last of months goes on with last ones', [46053, 46081], [46112, 46142]],
    ['years go on by years', [46023, 46388], [46753, 47119]],
  ];
  for (const [what, begin, on] of dates) {
    test(what, () => {
      const first = { ...from, bottom: begin.length - 1 };
      const createDateCell = (row: number) => ({ v: begin[row] ?? 0, m: '', t: 'd' }) as const;
      const continued = continueSeries(
        first,
        { ...first, bottom: first.bottom + on.length },
        createDateCell,
        inputLocale,
      );
      assert.deepEqual(
        continued,
        on.map((value) => [value]),
      );
    });
  }

  test('repeats other cells', () => {
    assert.equal(continueSeries(from, { ...from, bottom: 3 }, createColumnReader(['a', 3]), inputLocale), null);
    assert.equal(
      continueSeries({ ...from, bottom: 0 }, { ...from, bottom: 3 }, createColumnReader([1]), inputLocale),
      null,
    );
    const createNumberedCell = (row: number, column: number) => ({ v: column === 0 ? row + 1 : 'same', m: '' });
    const both = continueSeries(
      { ...from, right: 1 },
      { ...from, right: 1, bottom: 2 },
      createNumberedCell,
      inputLocale,
    );
    assert.deepEqual(both, [[3, null]]);
  });
});

suite('keyboard', () => {
  const press = (key: string, mods: string = '', code = '') =>
    findCommand({
      key,
      code,
      ctrlKey: mods.includes('c'),
      metaKey: false,
      shiftKey: mods.includes('s'),
      altKey: mods.includes('a'),
    });

  test('maps the usual keys to commands', () => {
    assert.deepEqual(press('ArrowDown', 'cs'), { kind: 'move', to: 'down', extend: true, far: true });
    assert.deepEqual(press('я', 'c', 'KeyZ'), { kind: 'undo' });
    assert.deepEqual(press('Tab', 's'), { kind: 'step', by: 'row', step: -1 });
    assert.deepEqual(press('PageDown', 'a'), { kind: 'page', to: 'right', extend: false });
    assert.equal(press('c', 'c', 'KeyC'), null);
    assert.equal(press('a'), null);
  });

  test('moves through a selection with Tab and Enter', () => {
    const selection = { ...createCellSelection({ row: 1, column: 1 }), corner: { row: 2, column: 2 } };
    assert.equal(formatSelection(selection), 'B2:C3');
    assert.deepEqual(findNextInSelection(selection, { row: 1, column: 2 }, 'row', 1), { row: 2, column: 1 });
    assert.deepEqual(findNextInSelection(selection, { row: 2, column: 2 }, 'row', 1), { row: 1, column: 1 });
    assert.deepEqual(findNextInSelection(selection, { row: 2, column: 1 }, 'column', 1), { row: 1, column: 2 });
  });
});

test('finds the merged range of a cell, however large', () => {
  const merges = new MergedRanges(['B2:C3', 'A100:A9000', 'XFD1:XFD2']);
  const createSeriesCell = (row: number, column: number) => {
    const area = merges.findArea(row, column);
    return area === null ? null : areaText(area);
  };
  assert.equal(createSeriesCell(0, 0), null);
  assert.equal(createSeriesCell(2, 2), 'B2:C3');
  assert.equal(createSeriesCell(8999, 0), 'A100:A9000');
  assert.equal(createSeriesCell(9000, 0), null);
  assert.equal(createSeriesCell(1, 16383), 'XFD1:XFD2');
  assert.equal(areaText(merges.expandArea({ top: 2, left: 2, bottom: 3, right: 3 })), 'B2:D4');
  assert.equal(areaText(merges.expandArea({ top: 4, left: 3, bottom: 4, right: 3 })), 'D5');
});
