import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createRowRange,
  type GoogleClient,
  readErrorMessage,
  type Spreadsheet,
  startGoogle,
  type World,
} from './support.ts';

const OTHER = 9;
const columnB = { sheetId: 0, dimension: 'COLUMNS', startIndex: 1, endIndex: 2 };

/** Metadata by key, with its location. */
const STORED: Readonly<Record<string, object>> = {
  row3: { dimensionRange: createRowRange(2, 3) },
  row4: { dimensionRange: createRowRange(3, 4) },
  columnB: { dimensionRange: columnB },
  sheet: { sheetId: 0 },
  otherSheet: { sheetId: OTHER },
  spreadsheet: { spreadsheet: true },
};

describe('lookups of developer metadata', () => {
  let world: World;
  let google: GoogleClient;
  let book: Spreadsheet;

  before(async () => {
    ({ world, google } = await startGoogle({ oneNode: true }));
    book = await google.createSpreadsheet();
    await book.readReplies(
      { addSheet: { properties: { sheetId: OTHER } } },
      ...Object.entries(STORED).map(([metadataKey, location]) => ({
        createDeveloperMetadata: { developerMetadata: { metadataKey, visibility: 'DOCUMENT', location } },
      })),
    );
  });
  after(() => world.close());

  async function findKeys(lookup: object): Promise<readonly string[]> {
    const { status, body } = await book.request('POST', '/developerMetadata:search', {
      dataFilters: [{ developerMetadataLookup: lookup }],
    });
    assert.equal(status, 200, JSON.stringify(body));
    const matched = (body['matchedDeveloperMetadata'] ?? []) as readonly {
      readonly developerMetadata: { readonly metadataKey: string };
    }[];
    return matched.map(({ developerMetadata }) => developerMetadata.metadataKey).toSorted();
  }

  const FOUND: readonly (readonly [
    what: string,
    location: object,
    exact: readonly string[],
    meeting: readonly string[],
  ])[] = [
    ['a row', { dimensionRange: createRowRange(2, 3) }, ['row3'], ['columnB', 'row3', 'sheet', 'spreadsheet']],
    ['rows', { dimensionRange: createRowRange(2, 9) }, [], ['columnB', 'row3', 'row4', 'sheet', 'spreadsheet']],
    ['a column', { dimensionRange: columnB }, ['columnB'], ['columnB', 'row3', 'row4', 'sheet', 'spreadsheet']],
    ['a sheet', { sheetId: OTHER }, ['otherSheet'], ['otherSheet', 'spreadsheet']],
    ['the spreadsheet', { spreadsheet: true }, ['spreadsheet'], Object.keys(STORED).toSorted()],
  ];

  for (const [what, metadataLocation, exact, meeting] of FOUND) {
    // https://developers.google.com/sheets/api/reference/rest/v4/DataFilter#developermetadatalookup
    it(`find what lies at ${what}, or intersects it by default`, async () => {
      assert.deepEqual(await findKeys({ metadataLocation, locationMatchingStrategy: 'EXACT_LOCATION' }), exact);
      assert.deepEqual(
        await findKeys({ metadataLocation, locationMatchingStrategy: 'INTERSECTING_LOCATION' }),
        meeting,
      );
      assert.deepEqual(await findKeys({ metadataLocation }), meeting);
    });
  }

  it('are refused if they are malformed, also if nothing is stored', async () => {
    const empty = await google.createSpreadsheet();
    const filters: readonly (readonly [filter: object, message: RegExp])[] = [
      [{ developerMetadataLookup: { key: 'a' } }, /Unknown name "key"/],
      [{ developerMetadataLookup: { metadataLocation: { rows: 1 } } }, /Unknown name "rows"/],
      [{ lookup: {} }, /Unknown name "lookup"/],
      [{ developerMetadataLookup: { visibility: 'ALL' } }, /Invalid value at .*visibility/],
      [{ developerMetadataLookup: { locationType: 'CELL' } }, /Invalid value at .*location_type/],
      [{ developerMetadataLookup: { locationMatchingStrategy: 'EXACT_LOCATION' } }, /needs a metadataLocation/],
      [
        { developerMetadataLookup: { metadataLocation: { dimensionRange: { dimension: 'ROW' } } } },
        /Invalid value at .*dimension/,
      ],
    ];
    for (const [filter, message] of filters) {
      const searched = await empty.request('POST', '/developerMetadata:search', { dataFilters: [filter] });
      const deleted = await empty.batch({ deleteDeveloperMetadata: { dataFilter: filter } });
      for (const answer of [searched, deleted]) {
        assert.equal(answer.status, 400, JSON.stringify(filter));
        assert.match(readErrorMessage(answer), message);
      }
    }
  });
});
