import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSingleSheetParts, createTestFolder, readPart, writeZip } from '../../../files/test/workbook-files.ts';
import { type Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

type InputMatrix = Parameters<Api['put']>[1];

let world: World;
let anna: Person;
let annaBrowser: Browser;
const folder = await createTestFolder();
before(async () => {
  world = await startWorld();
  anna = await createPerson(world);
  annaBrowser = await signInAs(world, anna);
});
after(() => world.close());

const CITIES: InputMatrix = [
  ['City', 'Count', 'Day'],
  ['Riga', 5, '2026-01-31'],
  ['Oslo', 7, '2026-02-28'],
  ['riga', 12, '2026-03-31'],
  ['Rome', '', '2026-03-30'],
];

async function createBookWithValues(values: InputMatrix): Promise<Api> {
  const book = world.apiFor(await world.createToken(String(anna.id)), await world.createDocument(String(anna.id)));
  await book.put('A1', values);
  return book;
}

const applyOperations = (book: Api, ...operations: readonly object[]) => book.post('/structure', { operations });

interface FilterView {
  readonly range: string;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly bottom: number;
  readonly shown: string;
}

async function readFilter(book: Api, sheet = 'Sheet1', browser = annaBrowser): Promise<FilterView | null> {
  const { status, body } = await browser.request('GET', `/documents/${book.document}/sheets/${sheet}/filter`);
  assert.equal(status, 200, JSON.stringify(body));
  return body['filter'] as unknown as FilterView | null;
}

/** The visible rows below the header, with row numbers from 1. */
async function readVisibleRows(book: Api, sheet = 'Sheet1', browser = annaBrowser): Promise<readonly number[]> {
  const filter = await readFilter(book, sheet, browser);
  if (filter === null) return [];
  const bits = Buffer.from(filter.shown, 'base64');
  const top = Number(/\d+/.exec(filter.range)?.[0]) - 1;
  return Array.from({ length: filter.bottom - top }, (_, i) => i)
    .filter((i) => ((bits[i >> 3] ?? 0) >> (i & 7)) & 1)
    .map((i) => top + 2 + i);
}

const setFilter = (book: Api, columns: object, range = 'A1:C5') =>
  applyOperations(book, { setFilter: { range, columns } });

describe('the filter of a sheet', () => {
  const tests: readonly (readonly [string, object, readonly number[]])[] = [
    ['values, whatever the case', { A: { values: ['RIGA'] } }, [2, 4]],
    ['all but some values', { A: { values: ['riga'], except: true } }, [3, 5]],
    ['empty cells among values', { B: { values: ['', '7'] } }, [3, 5]],
    ['a month of dates', { C: { values: [], dates: ['2026-03'] } }, [4, 5]],
    ['two columns', { A: { values: ['Riga'] }, B: { tests: [{ op: 'gt', value: 5 }] } }, [4]],
    ['a part of a text', { A: { tests: [{ op: 'contains', value: 'SL' }] } }, [3]],
    ['a text without a part', { A: { tests: [{ op: 'notContains', value: 'o' }] } }, [2, 4]],
    [
      'a beginning and an end',
      {
        A: {
          tests: [
            { op: 'startsWith', value: 'r' },
            { op: 'endsWith', value: 'E' },
          ],
        },
      },
      [5],
    ],
    ['wildcards', { A: { tests: [{ op: 'matches', value: 'r?*a' }] } }, [2, 4]],
    ['numbers that differ, and what is none', { B: { tests: [{ op: 'ne', value: 7 }] } }, [2, 4, 5]],
    ['numbers between', { B: { tests: [{ op: 'between', value: 5, to: 7 }] } }, [2, 3]],
    [
      'one of two tests',
      {
        A: {
          tests: [
            { op: 'eq', value: 'oslo' },
            { op: 'eq', value: 'rome' },
          ],
          match: 'any',
        },
      },
      [3, 5],
    ],
    ['filled cells', { B: { tests: [{ op: 'filled' }] } }, [2, 3, 4]],
    ['a day', { C: { tests: [{ op: 'eq', value: '2026-03-31' }] } }, [4]],
    ['days after one', { C: { tests: [{ op: 'gt', value: '2026-03-30' }] } }, [4]],
    ['days up to one', { C: { tests: [{ op: 'lte', value: '2026-02-28' }] } }, [2, 3]],
  ];
  it('shows rows by the conditions of its columns', async () => {
    const book = await createBookWithValues(CITIES);
    for (const [name, columns, rows] of tests) {
      assert.equal((await setFilter(book, columns)).status, 200, name);
      assert.deepEqual(await readVisibleRows(book), rows, name);
    }
  });

  it('is a revision that can be undone, and changes column by column', async () => {
    const book = await createBookWithValues(CITIES);
    await setFilter(book, { A: { values: ['Riga'] } });
    await applyOperations(book, {
      filterColumn: { sheet: 'Sheet1', column: 'B', condition: { tests: [{ op: 'gt', value: 5 }] } },
    });
    assert.deepEqual(await readVisibleRows(book), [4]);
    await applyOperations(book, { filterColumn: { sheet: 'Sheet1', column: 'A', condition: null } });
    assert.deepEqual(await readVisibleRows(book), [3, 4]);
    await book.undo(await book.revision());
    assert.deepEqual(await readVisibleRows(book), [4]);
    await applyOperations(book, { deleteFilter: { sheet: 'Sheet1' } });
    assert.equal(await readFilter(book), null);
    await book.undo(await book.revision());
    assert.deepEqual(await readVisibleRows(book), [4]);
  });

  it('follows inserted, deleted, moved and sorted rows and columns, and renamed sheets', async () => {
    const book = await createBookWithValues(CITIES);
    await setFilter(book, { A: { values: ['Riga'] }, B: { tests: [{ op: 'lt', value: 10 }] } });
    await applyOperations(book, { insertRows: { sheet: 'Sheet1', before: 1, count: 2 } });
    assert.deepEqual([(await readFilter(book))?.range, await readVisibleRows(book)], ['A3:C7', [4]]);
    await applyOperations(book, { insertColumns: { sheet: 'Sheet1', before: 'B', count: 1 } });
    assert.deepEqual(Object.keys((await readFilter(book))?.columns ?? {}), ['A', 'C']);
    assert.deepEqual(await readVisibleRows(book), [4]);
    await applyOperations(book, { moveColumns: { sheet: 'Sheet1', from: 'C', count: 1, before: 'B' } });
    assert.deepEqual(Object.keys((await readFilter(book))?.columns ?? {}), ['A', 'B']);
    await applyOperations(book, { deleteColumns: { sheet: 'Sheet1', from: 'B', count: 1 } });
    assert.deepEqual(Object.keys((await readFilter(book))?.columns ?? {}), ['A']);
    assert.deepEqual(await readVisibleRows(book), [4, 6]);
    await applyOperations(book, { deleteRows: { sheet: 'Sheet1', from: 4, count: 1 } });
    assert.deepEqual(await readVisibleRows(book), [5]);
    await applyOperations(book, { sort: { range: 'A4:C6', by: [{ column: 'A', order: 'descending' }] } });
    assert.deepEqual(await readVisibleRows(book), [5]);
    await book.renameSheet('Sheet1', 'Cities');
    assert.deepEqual(await readVisibleRows(book, 'Cities'), [5]);
    const duplication = await applyOperations(book, { duplicateSheet: { sheet: 'Cities', name: 'Copy' } });
    assert.equal(duplication.status, 200);
    assert.deepEqual(await readVisibleRows(book, 'Copy'), [5]);
  });

  it('is removed with its header, and drops a column that moves out of its range', async () => {
    const book = await createBookWithValues(CITIES);
    await setFilter(book, { A: { values: ['Riga'] }, B: { tests: [{ op: 'lt', value: 10 }] } });
    await applyOperations(book, { moveColumns: { sheet: 'Sheet1', from: 'B', count: 1, before: 'F' } });
    assert.deepEqual(Object.keys((await readFilter(book))?.columns ?? {}), ['A']);
    assert.deepEqual(await readVisibleRows(book), [2, 4]);
    await applyOperations(book, { deleteRows: { sheet: 'Sheet1', from: 1, count: 1 } });
    assert.equal(await readFilter(book), null);
    await book.undo(await book.revision());
    assert.deepEqual(await readVisibleRows(book), [2, 4]);
  });

  it('applies to changed cells and to rows appended directly below', async () => {
    const book = await createBookWithValues(CITIES);
    await setFilter(book, { A: { values: ['Riga'] } });
    await book.put('A3', [['Riga']]);
    await book.append('A:C', [
      ['Oslo', 1],
      ['Riga', 2],
    ]);
    assert.deepEqual(await readVisibleRows(book), [2, 3, 4, 7]);
    await book.put('A9', [['Oslo']]);
    assert.deepEqual(await readVisibleRows(book), [2, 3, 4, 7]);
  });

  it('is refused with the path of an error, and without permission to edit or see the sheet', async () => {
    const book = await createBookWithValues(CITIES);
    const invalidOperations: readonly (readonly [object, string])[] = [
      [{ setFilter: { range: 'A1:C5', columns: { D: { values: [] } } } }, 'operations.0.columns.D'],
      [{ setFilter: { range: 'A1:C5', columns: { A: { value: [] } } } }, 'operations.0.columns.A'],
      [{ setFilter: { range: 'A1:C5', columns: { A: { values: [1] } } } }, 'operations.0.columns.A.values'],
      [
        { setFilter: { range: 'A1:C5', columns: { A: { tests: [{ op: 'is' }] } } } },
        'operations.0.columns.A.tests.0.op',
      ],
      [{ filterColumn: { sheet: 'Sheet1', column: 'A', condition: { values: ['x'] } } }, 'operations.0.column'],
    ];
    for (const [operation, field] of invalidOperations) {
      const { status, body } = await applyOperations(book, operation);
      assert.deepEqual([status, Object.keys(body['errors'] ?? {})], [422, [field]], JSON.stringify(operation));
    }
    const ben = await createPerson(world);
    const benBrowser = await signInAs(world, ben);
    await world.share(book.document, String(ben.id), 'edit');
    const benApi = world.apiFor(await world.createToken(String(ben.id)), book.document);
    await setFilter(book, { A: { values: ['secret'] } });
    await book.requestInDocument('PUT', '/sheets/Sheet1/protection', { body: { hideValues: true, lock: false } });
    assert.equal((await setFilter(benApi, { A: { values: ['Riga'] } })).status, 403);
    for (const path of ['filter', 'filter-values?range=A1:C5&column=A']) {
      assert.equal(
        (await benBrowser.request('GET', `/documents/${book.document}/sheets/Sheet1/${path}`)).status,
        403,
        path,
      );
    }
    const changes = await benApi.requestInDocument('GET', '/changes?since=1');
    assert.ok(!JSON.stringify(changes.body).includes('secret'));
  });

  it('offers the values that remain after the other columns, with their counts', async () => {
    const book = await createBookWithValues(CITIES);
    await setFilter(book, { B: { tests: [{ op: 'filled' }] }, A: { values: ['Oslo'] } });
    const requestValues = async (search: string) =>
      (
        await annaBrowser.request(
          'GET',
          `/documents/${book.document}/sheets/Sheet1/filter-values?range=A1:C5&column=A&search=${search}`,
        )
      ).body['values'];
    assert.deepEqual(await requestValues(''), [
      { text: 'Oslo', count: 1, isKept: true },
      { text: 'Riga', count: 2, isKept: false },
    ]);
    assert.deepEqual(await requestValues('SL'), [{ text: 'Oslo', count: 1, isKept: true }]);
  });
});

describe('a personal filter', () => {
  it('keeps hidden rows in place when the visible rows are sorted', async () => {
    const book = await createBookWithValues(CITIES);
    const sort = (by: object, others: readonly object[] = []) =>
      applyOperations(book, { sort: { range: 'A2:C5', by: [by], filtered: true } }, ...others);
    const readCounts = async () => {
      const { body } = await book.get('B2:B5', { render: 'plain' });
      return (memberAt(body, 'values')['cells'] as unknown as unknown[][]).map(([value]) => value);
    };
    const byCount = { column: 'B', order: 'descending' };
    assert.equal((await sort(byCount)).status, 200);
    assert.deepEqual(await readCounts(), [12, 7, 5, null]);
    await setFilter(book, { A: { values: ['riga'] } });
    const descending = await applyOperations(book, { sort: { range: 'A2:C5', by: [{ column: 'B' }], filtered: true } });
    assert.equal(descending.status, 200, JSON.stringify(descending.body));
    assert.deepEqual(await readCounts(), [5, 7, 12, null]);
    await book.undo(await book.revision());
    assert.deepEqual(await readCounts(), [12, 7, 5, null]);
    const own = { revisionId: await book.revision(), range: 'A1:C5', columns: { A: { values: ['Oslo', 'Riga'] } } };
    await annaBrowser.request('PUT', `/documents/${book.document}/sheets/Sheet1/filter`, { body: own });
    await sort({ column: 'B' });
    assert.deepEqual(await readCounts(), [5, 7, 12, null]);
    const { status, body } = await sort(byCount, [{ deleteFilter: { sheet: 'Sheet1' } }]);
    assert.deepEqual([status, Object.keys(memberAt(body, 'errors'))], [422, ['operations.0.filtered']]);
  });

  it('applies to one user, also a viewer, and follows structural changes', async () => {
    const book = await createBookWithValues(CITIES);
    await setFilter(book, { A: { values: ['Oslo'] } });
    const ben = await createPerson(world);
    const benBrowser = await signInAs(world, ben);
    await world.share(book.document, String(ben.id), 'view');
    const at = `/documents/${book.document}/sheets/Sheet1/filter`;
    const own = { revisionId: await book.revision(), range: 'A1:C5', columns: { A: { values: ['Riga'] } } };
    await applyOperations(book, { insertRows: { sheet: 'Sheet1', before: 1, count: 1 } });
    assert.equal((await benBrowser.request('PUT', at, { body: own })).status, 200);
    assert.deepEqual([await readVisibleRows(book, 'Sheet1', benBrowser), await readVisibleRows(book)], [[3, 5], [4]]);
    await applyOperations(book, { insertColumns: { sheet: 'Sheet1', before: 'A', count: 1 } });
    await book.put('B6', [['Riga']]);
    const { range, columns } = (await readFilter(book, 'Sheet1', benBrowser)) ?? { range: '', columns: {} };
    assert.deepEqual([range, Object.keys(columns)], ['B2:D6', ['B']]);
    assert.deepEqual(await readVisibleRows(book, 'Sheet1', benBrowser), [3, 5, 6]);
    await applyOperations(book, { deleteColumns: { sheet: 'Sheet1', from: 'B', count: 1 } });
    assert.deepEqual(await readVisibleRows(book, 'Sheet1', benBrowser), [3, 4, 5, 6]);
    assert.equal((await benBrowser.request('DELETE', at)).status, 200);
    assert.equal(
      (await benBrowser.request('PUT', at, { body: { ...own, columns: { D: { values: [] } } } })).status,
      422,
    );
    assert.deepEqual((await readFilter(book, 'Sheet1', benBrowser))?.columns, {});
  });
});

describe('the filter of an imported workbook', () => {
  const formatCellXml = (filterPath: string, text: string) =>
    `<c r="${filterPath}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const formatRowsXml = (hidden: readonly number[]) =>
    `<sheetData>${['Name', 'Nut', 'Bolt', 'Nail', '']
      .map(
        (name, i) =>
          `<row r="${i + 1}"${hidden.includes(i + 1) ? ' hidden="1"' : ''}>${name === '' ? '' : formatCellXml(`A${i + 1}`, name)}<c r="B${i + 1}"><v>${i}</v></c></row>`,
      )
      .join('')}</sheetData>`;

  async function importWorkbook(columns: string, hidden: readonly number[]): Promise<Api> {
    const sheet = `${formatRowsXml(hidden)}<autoFilter ref="A1:B5">${columns}</autoFilter>`;
    const raw = await readFile(await writeZip(join(folder, 'in.xlsx'), createSingleSheetParts(sheet)));
    const api = world.apiFor(await world.createToken(String(anna.id)));
    const headers = { 'content-type': 'application/octet-stream' };
    const { body } = await api.request('POST', '/documents', { raw, headers });
    return api.forDocument(String(body['document']?.['id']));
  }

  async function exportSheetXml(book: Api): Promise<string> {
    const response = await fetch(`${book.base}/api/v1/documents/${book.document}/export`, {
      headers: { authorization: `Bearer ${book.token}` },
    });
    const path = join(folder, 'out.xlsx');
    await writeFile(path, Buffer.from(await response.arrayBuffer()));
    return readPart(path, 'xl/worksheets/sheet1.xml');
  }

  const CASES: readonly (readonly [columns: string, condition: object, rows: readonly number[]])[] = [
    ['<filters><filter val="Nut"/><filter val="Nail"/></filters>', { values: ['Nut', 'Nail'] }, [2, 4]],
    ['<filters blank="1"/>', { values: [''] }, [5]],
    [
      '<customFilters><customFilter val="N*"/></customFilters>',
      { tests: [{ op: 'startsWith', value: 'N' }], match: 'any' },
      [2, 4],
    ],
    [
      '<customFilters and="1"><customFilter val="*n*"/><customFilter operator="notEqual" val="*ai*"/></customFilters>',
      {
        tests: [
          { op: 'contains', value: 'n' },
          { op: 'notContains', value: 'ai' },
        ],
        match: 'all',
      },
      [2],
    ],
    [
      '<customFilters><customFilter operator="notEqual" val=" "/></customFilters>',
      { tests: [{ op: 'filled' }], match: 'any' },
      [2, 3, 4],
    ],
  ];
  it('becomes the filter of the sheet, and is exported with the currently hidden rows', async () => {
    for (const [columns, condition, rows] of CASES) {
      const book = await importWorkbook(`<filterColumn colId="0">${columns}</filterColumn>`, [2, 3]);
      assert.deepEqual((await readFilter(book, 'Data'))?.columns?.['A'], condition);
      assert.deepEqual(await readVisibleRows(book, 'Data'), rows);
      const xml = await exportSheetXml(book);
      assert.ok(
        xml.includes(`<autoFilter ref="A1:B5"><filterColumn colId="0">${columns}</filterColumn></autoFilter>`),
        xml,
      );
      const hidden = [...xml.matchAll(/<row r="(\d+)"[^>]* hidden="1"/g)].map(([, row]) => Number(row));
      assert.deepEqual(
        hidden,
        [2, 3, 4, 5].filter((row) => !rows.includes(row)),
        columns,
      );
    }
  });

  it('keeps unsupported conditions with their hidden rows', async () => {
    const top = '<filterColumn colId="1"><top10 val="2" filterVal="3"/></filterColumn>';
    const book = await importWorkbook(top, [2, 3]);
    assert.deepEqual(await readVisibleRows(book, 'Data'), [4, 5]);
    await applyOperations(book, { filterColumn: { sheet: 'Data', column: 'A', condition: { values: ['Nail'] } } });
    assert.deepEqual(await readVisibleRows(book, 'Data'), [4]);
    await applyOperations(book, { insertColumns: { sheet: 'Data', before: 'A', count: 1 } });
    const xml = await exportSheetXml(book);
    assert.ok(
      xml.includes(
        '<autoFilter ref="B1:C5"><filterColumn colId="0"><filters><filter val="Nail"/></filters></filterColumn>',
      ),
      xml,
    );
    assert.ok(xml.includes(top), xml);
    await applyOperations(book, { filterColumn: { sheet: 'Data', column: 'C', condition: null } });
    assert.deepEqual(await readVisibleRows(book, 'Data'), [4]);
    await applyOperations(book, { filterColumn: { sheet: 'Data', column: 'B', condition: null } });
    const { layout } = (await annaBrowser.request('GET', `/documents/${book.document}/sheets/Data/layout`)).body;
    assert.deepEqual([await readVisibleRows(book, 'Data'), layout?.['rowHeights']], [[2, 3, 4, 5], []]);
  });

  it('is exported as a list of values if the file format has no such condition', async () => {
    const book = await importWorkbook('', []);
    await applyOperations(book, {
      setFilter: { range: 'Data!A1:B5', columns: { A: { values: ['Nut'], except: true } } },
    });
    const xml = await exportSheetXml(book);
    assert.ok(xml.includes('<filters blank="1"><filter val="Bolt"/><filter val="Nail"/></filters>'), xml);
  });
});
