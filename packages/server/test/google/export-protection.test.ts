import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readPart } from '../../../files/test/workbook-files.ts';
import { memberAt } from '../http/support.ts';
import { createGridRange, type GoogleClient, type Spreadsheet, startGoogle, type World } from './support.ts';

const createProtectedRange = (cells: object, rest: object = {}) => ({
  addProtectedRange: { protectedRange: { range: cells, ...rest } },
});

describe('protected ranges and filter views in exported files', () => {
  let world: World;
  let google: GoogleClient;
  let folder: string;

  before(async () => {
    ({ world, google } = await startGoogle());
    folder = await mkdtemp(join(tmpdir(), 'cellwire-protection-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await world.close();
  });

  /**
   * Reads the first sheet of the exported file: whether it is protected, its editable cells, and what the report
   * lists.
   */
  async function readExport(book: Spreadsheet): Promise<readonly [boolean, string | undefined, unknown]> {
    const path = join(folder, `${book.id}.xlsx`);
    const address = `${world.server.address}/google/spreadsheets/d/${book.id}/export?format=xlsx`;
    const answer = await fetch(address, { headers: { authorization: `Bearer ${google.token}` } });
    await writeFile(path, Buffer.from(await answer.arrayBuffer()));
    const sheet = await readPart(path, 'xl/worksheets/sheet1.xml');
    const { leftOut } = memberAt(
      (await world.apiFor(google.token, book.id).requestInDocument('GET', '/export?format=xlsx&report=true')).body,
      'report',
    );
    const editable = /<protectedRange sqref="([^"]*)"/.exec(sheet)?.[1];
    return [/<sheetProtection [^>]*sheet="1"/.test(sheet), editable, leftOut];
  }

  for (const [what, requests, isProtected, editable, leftOut] of [
    ['one range', [createProtectedRange(createGridRange(1, 3, 1, 2))], true, 'A1:XFD1 A4:XFD1048576 A2:A3 C2:XFD3', []],
    [
      'a range with a part that is not protected',
      [createProtectedRange(createGridRange(0, 3, 0, 1), { unprotectedRanges: [createGridRange(1, 2, 0, 1)] })],
      true,
      'A2:XFD2 A4:XFD1048576 B1:XFD1 B3:XFD3',
      [],
    ],
    ['no range', [], false, undefined, []],
    [
      'a range that only warns',
      [createProtectedRange(createGridRange(0, 1, 0, 1), { warningOnly: true })],
      false,
      undefined,
      [{ kind: 'protectedRanges', count: 1, what: 'protected range' }],
    ],
    [
      'filter views',
      [{ addFilterView: { filter: { title: 'Mine', range: createGridRange(0, 3, 0, 2) } } }],
      false,
      undefined,
      [{ kind: 'filterViews', count: 1, what: 'filter view' }],
    ],
  ] as const) {
    it(`export ${what}`, async () => {
      const book = await google.createSpreadsheet();
      if (requests.length > 0) await book.readReplies(...requests);
      const [sheet, cells, report] = await readExport(book);
      assert.deepEqual([sheet, cells?.split(' ').toSorted()], [isProtected, editable?.split(' ').toSorted()]);
      assert.deepEqual(report, leftOut);
    });
  }

  it('keep the protection of an imported file, and report the ranges that cannot be added to it', async () => {
    const book = await google.createSpreadsheet();
    await book.readReplies(createProtectedRange(createGridRange(1, 3, 1, 2)));
    const file = await fetch(`${world.server.address}/google/spreadsheets/d/${book.id}/export?format=xlsx`, {
      headers: { authorization: `Bearer ${google.token}` },
    });
    const imported = await fetch(`${world.server.address}/google/upload/drive/v3/files?uploadType=media`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${google.token}`,
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      },
      body: await file.arrayBuffer(),
    });
    const copy = google.getSpreadsheet(String(((await imported.json()) as { readonly id: string }).id));
    await copy.readReplies(createProtectedRange(createGridRange(5, 6, 5, 6)));
    const [isProtected, , leftOut] = await readExport(copy);
    assert.equal(isProtected, true);
    assert.deepEqual(leftOut, [{ kind: 'protectedRanges', count: 1, what: 'protected range' }]);
  });
});
