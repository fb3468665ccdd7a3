import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSingleSheetParts, createTestFolder, MAIN, writeZip } from '../../../files/test/workbook-files.ts';
import { type Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
let anna: Person;
let annaBrowser: Browser;
let benBrowser: Browser;
let book: Api;

before(async () => {
  world = await startWorld();
  anna = await createPerson(world);
  annaBrowser = await signInAs(world, anna);
  book = world.apiFor(await world.createToken(String(anna.id)), await world.createDocument(String(anna.id)));
  await book.put('A1', [
    ['Name', 'Count'],
    ['Nut', 2],
    ['Bolt', 3],
    ['', ''],
    ['Washer', 4],
  ]);
  const ben = await createPerson(world);
  await world.share(book.document, String(ben.id), 'edit');
  benBrowser = await signInAs(world, ben);
});
after(() => world.close());

const formatPath = (path: string) => `/documents/${book.document}${path}`;

describe("the console's grid", () => {
  it("gets the size of a sheet and the caller's permissions", async () => {
    const { status, body } = await annaBrowser.request('GET', formatPath('/sheets/Sheet1/layout'));
    const { rows, columns, frozen, locale, may, hasLooks } = body['layout'] as unknown as Record<string, unknown>;
    assert.deepEqual(
      [status, rows, columns, frozen, locale, may, hasLooks],
      [200, 5, 2, { rows: 0, columns: 0 }, 'en-US', { read: true, write: true }, false],
    );
    assert.equal((await annaBrowser.request('GET', formatPath('/sheets/None/layout'))).status, 404);
  });

  it('gets the style of empty cells in a styled row', async () => {
    const rows =
      '<row r="2" s="1" customFormat="1"><c r="B2"><v>1</v></c></row><row r="3"><c r="C3"><v>1</v></c></row>';
    const styles = `<styleSheet ${MAIN}><fonts><font/></fonts><fills><fill/><fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/></patternFill></fill></fills><borders><border/></borders><cellXfs><xf/><xf fillId="1" applyFill="1"/></cellXfs></styleSheet>`;
    const file = createSingleSheetParts(`<sheetData>${rows}</sheetData>`, { 'xl/styles.xml': styles });
    const raw = await readFile(await writeZip(join(await createTestFolder(), 'row.xlsx'), file));
    const headers = { 'content-type': 'application/octet-stream' };
    const { document } = (await book.request('POST', '/documents', { raw, headers })).body;
    const documentPath = `/documents/${document?.['id']}`;
    assert.equal(
      (await annaBrowser.request('GET', `${documentPath}/sheets/Data/layout`)).body['layout']?.['hasLooks'],
      true,
    );
    const [looks] = (await annaBrowser.request('GET', `${documentPath}/looks?ranges[]=Data!A1:C3`)).body[
      'looks'
    ] as unknown as readonly unknown[];
    const none = [-1, -1, -1];
    assert.deepEqual(looks, { styles: [{ fill: '#FFFF00' }], cells: [none, [0, -1, 0], none] });
  });

  it('gets hidden rows and row heights, within the response limit', async () => {
    const folder = await createTestFolder();
    const readRowHeights = async (rows: string) => {
      const raw = await readFile(
        await writeZip(join(folder, 'rows.xlsx'), createSingleSheetParts(`<sheetData>${rows}</sheetData>`)),
      );
      const headers = { 'content-type': 'application/octet-stream' };
      const { document } = (await book.request('POST', '/documents', { raw, headers })).body;
      const { layout } = (await annaBrowser.request('GET', `/documents/${document?.['id']}/sheets/Data/layout`)).body;
      return layout?.['rowHeights'] as unknown as { first: number; last: number; size: number }[];
    };
    const HIDDEN = 'hidden="1"';
    const shortSheet = [HIDDEN, 'ht="15"', 'ht="15"', `ht="15" ${HIDDEN}`, HIDDEN, 'ht="30"', 'ht="30"'];
    assert.deepEqual(
      await readRowHeights(shortSheet.map((attributes, i) => `<row r="${i + 1}" ${attributes}/>`).join('')),
      [
        { first: 0, last: 0, size: 0 },
        { first: 1, last: 2, size: 20 },
        { first: 3, last: 4, size: 0 },
        { first: 5, last: 6, size: 40 },
      ],
    );
    const alternating = Array.from({ length: 21_000 }, (_, i) => `<row r="${i + 1}" ${i % 2 ? HIDDEN : 'ht="30"'}/>`);
    const rowHeights = await readRowHeights(alternating.join(''));
    assert.equal(rowHeights.length, 20_000);
    assert.deepEqual(rowHeights.at(-1), { first: 19_999, last: 19_999, size: 0 });
  });

  it('gets the revision of its own write in a header that API clients do not get', async () => {
    const copy = world.apiFor(await world.createToken(String(anna.id)), await world.createDocument(String(anna.id)));
    const readRevisionHeader = async (method: string, path: string, body: unknown) => {
      const { status, headers } = await annaBrowser.request(method, path, { body });
      assert.equal(status, 200);
      return headers.get('x-revision');
    };
    const api = `/api/documents/${copy.document}`;
    const written = await readRevisionHeader('PUT', `${api}/values/A1`, { values: [['x']] });
    assert.equal(written, await copy.revision());
    const undone = await readRevisionHeader('POST', `${api}/revisions/${written}/undo`, {});
    assert.equal(undone, await copy.revision());
    assert.equal(
      await readRevisionHeader('PUT', `/documents/${copy.document}/sizes/A:A`, { size: 90 }),
      await copy.revision(),
    );
    assert.equal(await readRevisionHeader('PUT', `${api}/values/A1?dryRun=true`, { values: [['y']] }), null);
    const { headers } = await copy.put('A1', [['z']]);
    assert.equal(headers.get('x-revision'), null);
  });

  it('finds the edge of the data in each direction', async () => {
    const cases = [
      [
        { cell: 'A1', direction: 'down' },
        { row: 2, column: 0 },
      ],
      [
        { cell: 'A3', direction: 'down' },
        { row: 4, column: 0 },
      ],
      [
        { cell: 'A5', direction: 'down' },
        { row: 4, column: 0 },
      ],
      [
        { cell: 'A10', direction: 'up' },
        { row: 4, column: 0 },
      ],
      [
        { cell: 'F1', direction: 'left' },
        { row: 0, column: 1 },
      ],
      [
        { cell: 'A4', direction: 'right' },
        { row: 3, column: 1 },
      ],
    ] as const;
    for (const [from, edge] of cases) {
      const search = new URLSearchParams(Object.entries(from));
      const answer = await annaBrowser.request('GET', formatPath(`/sheets/Sheet1/edge?${search}`));
      assert.deepEqual(answer.body['edge'], edge, JSON.stringify(from));
    }
    assert.equal(
      (await annaBrowser.request('GET', formatPath('/sheets/Sheet1/edge?cell=A0&direction=down'))).status,
      422,
    );
  });

  it('finds the edge of the data across a million empty cells and at the end of a long run', async () => {
    const far = world.apiFor(await world.createToken(String(anna.id)), await world.createDocument(String(anna.id)));
    await far.put(
      'B2:B700',
      Array.from({ length: 699 }, (_, row) => [row]),
    );
    for (const cell of ['B1048576', 'XFD2', 'XFD1048576']) await far.put(cell, [['far']]);
    const edges = {
      'B2 down': { row: 699, column: 1 },
      'B700 down': { row: 1_048_575, column: 1 },
      'B1048576 up': { row: 699, column: 1 },
      'B650 up': { row: 1, column: 1 },
      'B2 right': { row: 1, column: 16_383 },
      'XFD2 left': { row: 1, column: 1 },
      'A9 down': { row: 1_048_575, column: 0 },
      'C1048576 up': { row: 0, column: 2 },
      'A1048576 right': { row: 1_048_575, column: 1 },
    };
    for (const [from, edge] of Object.entries(edges)) {
      const [cell, direction] = from.split(' ') as [string, string];
      const answer = await annaBrowser.request(
        'GET',
        `/documents/${far.document}/sheets/Sheet1/edge?cell=${cell}&direction=${direction}`,
      );
      assert.deepEqual(answer.body['edge'], edge, from);
    }
  });

  it('gets the spill range of a cell', async () => {
    await book.put('J1', [['=SEQUENCE(3;2)'], [], [], [], [], ['=SEQUENCE(2)'], ['in the way']]);
    const readSpill = async (cell: string) => {
      const { status, body } = await annaBrowser.request('GET', formatPath(`/sheets/Sheet1/spill?cell=${cell}`));
      return status === 200 ? body['spill'] : status;
    };
    const spills = await Promise.all(['J1', 'K3', 'J4', 'A1', 'J6', 'J7', 'J0'].map(readSpill));
    assert.deepEqual(spills, ['J1:K3', 'J1:K3', null, null, null, null, 422]);
    await book.clear('J1:K9');
  });

  it('sets number formats through a route that the API does not have', async () => {
    const set = (browser: Browser, range: string, format: string) =>
      browser.request('PUT', formatPath(`/format/${encodeURIComponent(range)}`), { body: { format } });
    assert.equal((await set(benBrowser, 'Sheet1!B2:B3', '0.00')).status, 200);
    assert.equal((await book.cell('B2'))['m'], '2.00');
    assert.equal((await set(annaBrowser, 'B:B', 'General')).status, 200);
    assert.equal((await book.cell('B3'))['m'], '3');
    assert.equal((await set(annaBrowser, 'B2', '[nonsense')).status, 422);
    assert.equal((await set(annaBrowser, 'None!B2', '0')).status, 404);
    const bearer = await book.request('PUT', `/documents/${book.document}/format/B2`, { body: { format: '0' } });
    assert.equal(bearer.status, 404);
  });

  it('stores dragged column widths and row heights, and undoes them', async () => {
    const resize = (browser: Browser, range: string, size: number) =>
      browser.request('PUT', formatPath(`/sizes/${encodeURIComponent(range)}`), { body: { size } });
    const layout = async (id = book.document) =>
      (await annaBrowser.request('GET', `/documents/${id}/sheets/Sheet1/layout`)).body['layout'] as unknown as {
        readonly columnWidths: unknown;
        readonly rowHeights: unknown;
      };
    const readWidths = async () => (await layout()).columnWidths;
    assert.equal((await resize(benBrowser, 'Sheet1!2:3', 48)).status, 200);
    assert.deepEqual((await layout()).rowHeights, [{ first: 1, last: 2, size: 48 }]);
    assert.equal((await resize(benBrowser, 'Sheet1!B:D', 145)).status, 200);
    assert.deepEqual(await readWidths(), [{ first: 1, last: 3, size: 145 }]);
    assert.equal((await resize(annaBrowser, 'C:C', 0)).status, 200);
    assert.deepEqual(await readWidths(), [
      { first: 1, last: 1, size: 145 },
      { first: 2, last: 2, size: 0 },
      { first: 3, last: 3, size: 145 },
    ]);
    const headers = {
      cookie: String(annaBrowser.cookie),
      origin: annaBrowser.base,
      'content-type': 'application/octet-stream',
    };
    const base = `${annaBrowser.base}/console/api/documents`;
    const file = await fetch(`${base}/${book.document}/export?format=xlsx`, { headers });
    const imported = await fetch(base, { method: 'POST', headers, body: await file.arrayBuffer() });
    const { document } = (await imported.json()) as { readonly document: { readonly id: string } };
    const [copied, original] = [await layout(document.id), await layout()];
    assert.deepEqual([copied.columnWidths, copied.rowHeights], [original.columnWidths, original.rowHeights]);
    assert.equal((await book.undo(await book.revision())).status, 200);
    assert.deepEqual(await readWidths(), [{ first: 1, last: 3, size: 145 }]);
    for (const [range, width] of [
      ['B2:D3', 100],
      ['B:B', -1],
      ['B:B', 100_000],
      ['2:2', 0],
      ['2:2', 1_000],
    ] as const) {
      assert.equal((await resize(annaBrowser, range, width)).status, 422, range);
    }
    assert.equal((await resize(annaBrowser, 'None!B:B', 100)).status, 404);
  });

  it('fills values and repeated formulas in one revision', async () => {
    await book.addSheet('Series');
    await book.put('Series!A1', [
      ['31.01.2026', 1, '=B1*2'],
      ['28.02.2026', 2, '=B2*2'],
    ]);
    const original = Number(await book.revision());
    const fill = (browser: Browser, body: unknown) => browser.request('POST', formatPath('/fill'), { body });
    const body = {
      from: 'Series!A1:C2',
      to: 'Series!A3:C4',
      values: [
        [46112, 3],
        [46142, 4],
      ],
    };
    assert.equal((await fill(benBrowser, body)).status, 200);
    assert.equal(Number(await book.revision()), original + 1);
    assert.deepEqual(await book.cell('Series!A4'), { v: 46142, m: '4/30/2026', t: 'd' });
    assert.deepEqual(await book.cell('Series!C4'), { v: 8, m: '8', f: '=B4*2' });
    assert.equal((await fill(annaBrowser, { ...body, to: 'Series!A3:B3' })).status, 422);
    assert.equal((await fill(annaBrowser, { ...body, to: 'Sheet1!A3:C4' })).status, 422);
    assert.equal((await fill(annaBrowser, { ...body, to: 'Series!A1:XFD1048576' })).status, 422);
    await book.undo(await book.revision());
    assert.equal(await book.cell('Series!A3'), null);
  });

  const cellsRequest = (browser: Browser, edits: unknown, more: Readonly<Record<string, unknown>> = {}) =>
    browser.request('POST', formatPath('/cells'), { body: { edits, ...more } });

  it('applies several cell edits in one revision, each to the result of the previous one', async () => {
    await book.addSheet('Parts');
    await book.put('Parts!A1', [
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    const original = Number(await book.revision());
    const edits = [
      { clear: 'Parts!A1' },
      { clear: 'Parts!A3' },
      { format: 'Parts!B1:B3', code: '0.00' },
      { put: 'Parts!C1', values: [['1.5', { value: '007', as: 'text' }, '=SUM(B1,B2)']] },
      { copy: 'Parts!E1', to: 'Parts!E2' },
      { fill: 'Parts!B1', to: 'Parts!B2' },
    ];
    const answer = await cellsRequest(benBrowser, edits, { inputLocale: 'en-US' });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(Number(await book.revision()), original + 1);
    const rows = (await book.cells('Parts!A1:E3')) as unknown as readonly (readonly ({
      v: unknown;
      m: string;
    } | null)[])[];
    assert.deepEqual(
      rows.map((row) => row.map((cell) => cell?.v ?? null)),
      [
        [null, 2, 1.5, '007', 4],
        [3, 2, null, null, 8],
        [null, 6, null, null, null],
      ],
    );
    assert.equal(rows[2]?.[1]?.m, '6.00');
    const { body } = await annaBrowser.request('GET', formatPath('/log'));
    const [newest] = memberAt(body, 'log')['entries'] as unknown as readonly {
      readonly properties: { readonly range: string };
    }[];
    assert.ok(newest?.properties.range.startsWith('Parts!'));
    await book.undo(await book.revision());
    assert.equal((await book.cell('Parts!A1'))['v'], 1);
  });

  it('applies all cell edits or none, and names the invalid edit', async () => {
    const original = await book.revision();
    const invalidEdits: readonly (readonly [edit: unknown, status: number])[] = [
      [{ clear: 'None!A1' }, 404],
      [{ clear: 'no range!!' }, 422],
      [{ format: 'Sheet1!A1', code: '[' }, 422],
      [{ put: 'Sheet1!XFD1', values: [[1, 2]] }, 422],
      [{ copy: 'Sheet1!A1:B1', to: 'Sheet1!XFD1' }, 422],
      [{ fill: 'Sheet1!A1', to: 'None!A2' }, 404],
      [{ clear: 'Sheet1!A1', colour: 'red' }, 422],
      [{}, 422],
    ];
    for (const [edit, status] of invalidEdits) {
      const answer = await cellsRequest(annaBrowser, [{ clear: 'Sheet1!A2' }, edit]);
      assert.equal(answer.status, status, JSON.stringify([edit, answer.body]));
    }
    assert.equal((await cellsRequest(annaBrowser, [])).status, 422);
    assert.equal(await book.revision(), original);
  });

  it('accepts as many cells per request as the API', async () => {
    await book.addSheet('Large');
    const values = Array.from({ length: 20_000 }, (_, row) => [row, `text of row ${row}`]);
    assert.equal((await cellsRequest(annaBrowser, [{ put: 'Large!A1', values }])).status, 200);
    assert.equal((await book.cell('Large!A20000'))['v'], 19_999);
    const series = { from: 'Large!A1', to: 'Large!A2:A20000', values: values.slice(1).map(([row]) => [row]) };
    assert.equal((await annaBrowser.request('POST', formatPath('/fill'), { body: series })).status, 200);
  });

  it('gets number formats together with styles', async () => {
    await book.addSheet('Formats');
    await book.put('Formats!A1', [['5%', 1, '2026-01-31']]);
    const [looks] = (await annaBrowser.request('GET', formatPath('/looks?ranges[]=Formats!A1:C1'))).body[
      'looks'
    ] as unknown as readonly {
      readonly styles: readonly unknown[];
      readonly cells: readonly (readonly number[])[];
    }[];
    assert.deepEqual(looks, { styles: [{ format: '0%' }, { format: 'm/d/yyyy' }], cells: [[0, -1, 1]] });
  });

  it('refuses cell edits on a locked sheet and hides values of a hidden one', async () => {
    await book.addSheet('Shut');
    await book.put('Shut!A1', [['secret']]);
    await world.protect(book.document, 'Shut', { hideValues: true, lock: false });
    for (const edit of [
      { copy: 'Shut!A1', to: 'Sheet1!A9' },
      { fill: 'Shut!A1', to: 'Shut!A2' },
    ]) {
      const answer = await cellsRequest(benBrowser, [edit]);
      assert.deepEqual([answer.status, answer.body['message']], [403, 'Sheet values are hidden']);
    }
    await world.protect(book.document, 'Shut', { hideValues: false, lock: true });
    for (const edit of [{ clear: 'Shut!A1' }, { format: 'Shut!A1', code: '0' }, { put: 'Shut!A1', values: [[1]] }]) {
      const answer = await cellsRequest(benBrowser, [edit]);
      assert.deepEqual([answer.status, answer.body['message']], [403, 'Sheet is protected']);
    }
    assert.equal((await book.cell('Shut!A1'))['v'], 'secret');
  });

  it('reveals nothing of a hidden sheet and changes nothing on a locked one', async () => {
    await book.addSheet('Closed');
    await book.put('Closed!A1', [['secret'], ['secret']]);
    await world.protect(book.document, 'Closed', { hideValues: true, lock: true });
    const layout = memberAt((await benBrowser.request('GET', formatPath('/sheets/Closed/layout'))).body, 'layout');
    assert.deepEqual([layout['rows'], layout['may']], [0, { read: false, write: false }]);
    const edge = await benBrowser.request('GET', formatPath('/sheets/Closed/edge?cell=A1&direction=down'));
    assert.deepEqual([edge.status, edge.body['message']], [403, 'Sheet values are hidden']);
    const looks = await benBrowser.request('GET', formatPath('/looks?ranges[]=Closed!A1:B2'));
    assert.deepEqual(looks.body['looks'], [{ styles: [], cells: [] }]);
    const format = await benBrowser.request('PUT', formatPath('/format/Closed!A1'), { body: { format: '0.00' } });
    assert.deepEqual([format.status, format.body['message']], [403, 'Sheet is protected']);
    const width = await benBrowser.request('PUT', formatPath('/sizes/Closed!A:A'), { body: { size: 10 } });
    assert.deepEqual([width.status, width.body['message']], [403, 'Sheet is protected']);
    const fill = { from: 'Closed!A1', to: 'Closed!A2:A3', values: [] };
    assert.equal(
      (await benBrowser.request('POST', formatPath('/fill'), { body: fill })).body['message'],
      'Sheet values are hidden',
    );
    await world.protect(book.document, 'Closed', { hideValues: true, lock: false });
    const whole = await benBrowser.request('PUT', formatPath('/format/Closed!A:A'), { body: { format: '0.00' } });
    assert.deepEqual(
      [whole.status, whole.body['message']],
      [403, 'Sheet values are hidden'],
      'or it tells how far it is filled',
    );
  });
});
