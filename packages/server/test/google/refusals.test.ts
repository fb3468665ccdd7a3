import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memberAt } from '../http/support.ts';
import {
  createGridRange,
  createRowRange,
  type GoogleClient,
  readErrorMessage,
  type Spreadsheet,
  startGoogle,
  type World,
} from './support.ts';

const TYPES = 'type.googleapis.com/google.apps.sheets.v4';
const cells = createGridRange(0, 2, 0, 2);
const createPoint = (type: string, value?: string) => ({ type, value, color: { red: 1 } });
const createRuleRequest = (rule: object) => ({
  addConditionalFormatRule: { rule: { ranges: [cells], ...rule }, index: 0 },
});
const booleanRule = { condition: { type: 'NOT_BLANK' }, format: { textFormat: { bold: true } } };
const createRowInsertion = (startIndex: number, inheritFromBefore = false) => ({
  insertDimension: { range: createRowRange(startIndex, startIndex + 1), inheritFromBefore },
});
const createCellUpdate = (start: object, rows: readonly object[]) => ({
  updateCells: { start, rows, fields: 'userEnteredValue' },
});
const createRow = (...numbers: readonly number[]) => ({
  values: numbers.map((numberValue) => ({ userEnteredValue: { numberValue } })),
});
const createFormatRequest = (userEnteredFormat: object) => ({
  repeatCell: { range: cells, cell: { userEnteredFormat }, fields: 'userEnteredFormat' },
});

/** Requests that Google refuses on a sheet of 20 rows and 10 columns, with Google's errors. */
const REFUSALS: readonly (readonly [request: unknown, message: string])[] = [
  ['addSheet', `Invalid value at 'requests[0]' (${TYPES}.BatchUpdateSpreadsheetRequest.Request), "addSheet"`],
  [{ addSheet: 'x' }, `Invalid value at 'requests[0].add_sheet' (${TYPES}.AddSheetRequest), "x"`],
  [
    { addSheet: {}, deleteSheet: {} },
    "Invalid value at 'requests[0]' (oneof), oneof field 'kind' is already set. Cannot set 'deleteSheet'",
  ],
  [{ addSheet: { properties: { sheetId: -1 } } }, 'Invalid requests[0].addSheet: Sheet id must be non-negative.'],
  [{ addSheet: { properties: { sheetId: 0 } } }, 'Invalid requests[0].addSheet: Sheet with id 0 already exists.'],
  [
    { addSheet: { properties: { title: 'a'.repeat(101) } } },
    'Invalid requests[0].addSheet: The sheet name cannot be greater than 100 characters.',
  ],
  [
    { updateSheetProperties: { properties: { title: '' }, fields: 'title' } },
    'Invalid requests[0].updateSheetProperties: The sheet name cannot be empty.',
  ],
  [
    { updateSheetProperties: { properties: { sheetId: 9 }, fields: 'title' } },
    'Invalid requests[0].updateSheetProperties: No sheet with id: 9',
  ],
  [
    { updateSheetProperties: { properties: {}, fields: 'gridProperties.rowCount' } },
    "Invalid requests[0].updateSheetProperties: You can't delete all the rows on the sheet.",
  ],
  [
    { updateSpreadsheetProperties: { properties: { title: '' }, fields: 'title' } },
    'Invalid requests[0].updateSpreadsheetProperties: A title must have 1 to 255 characters',
  ],
  [
    createRowInsertion(21),
    'Invalid requests[0].insertDimension: range.startIndex is larger than current grid size (20)',
  ],
  [
    createRowInsertion(20),
    'Invalid requests[0].insertDimension: range.startIndex must be less than the grid size (20) if ' +
      'inheritFromBefore is false.',
  ],
  [{ insertDimension: { range: { startIndex: 1 } } }, 'Invalid requests[0].insertDimension: No dimension specified.'],
  [
    { insertDimension: { range: { dimension: 'CELLS' } } },
    `Invalid value at 'requests[0].insert_dimension.range.dimension' (${TYPES}.Dimension), "CELLS"`,
  ],
  [
    { deleteDimension: { range: createRowRange(18, 21) } },
    "Invalid requests[0].deleteDimension: Cannot delete a row that doesn't exist. Tried to delete row index 20 but " +
      'there are only 20 rows.',
  ],
  [
    createCellUpdate({ rowIndex: 20 }, [createRow(1)]),
    'Invalid requests[0].updateCells: GridCoordinate.rowIndex[20] is after last row in grid[19]',
  ],
  [
    createCellUpdate({ columnIndex: 10 }, [createRow(1)]),
    'Invalid requests[0].updateCells: GridCoordinate.columnIndex[10] is after last column in grid[9]',
  ],
  [
    createCellUpdate({ columnIndex: 9 }, [createRow(1, 2)]),
    'Invalid requests[0].updateCells: Attempting to write column: 10, beyond the last requested column of: 9',
  ],
  [
    createCellUpdate({ rowIndex: 19 }, [createRow(1), createRow(2)]),
    'Invalid requests[0].updateCells: Attempting to write row: 20, beyond the last requested row of: 19',
  ],
  [
    createCellUpdate({}, [{ values: [{ userEnteredValue: { numberValue: 1, boolValue: true } }] }]),
    "Invalid value at 'requests[0].update_cells.rows[0].values[0].user_entered_value' (oneof), oneof field 'value' " +
      "is already set. Cannot set 'boolValue'",
  ],
  [
    { updateCells: { start: {}, range: cells, fields: '*' } },
    "Invalid value at 'requests[0].update_cells' (oneof), oneof field 'area' is already set. Cannot set 'range'",
  ],
  [
    { repeatCell: { range: cells, cell: { note: 5 }, fields: 'note' } },
    "Invalid value at 'requests[0].repeat_cell.cell.note' (TYPE_STRING), 5",
  ],
  [
    createFormatRequest({ horizontalAlignment: 'MIDDLE' }),
    `Invalid value at 'requests[0].repeat_cell.cell.user_entered_format.horizontal_alignment' ` +
      `(${TYPES}.HorizontalAlign), "MIDDLE"`,
  ],
  [
    createFormatRequest({ color: 1 }),
    `Invalid JSON payload received. Unknown name "color" at 'requests[0].repeat_cell.cell.user_entered_format': ` +
      'Cannot find field.',
  ],
  [
    { mergeCells: { range: createGridRange(11, 13, 1, 3), mergeType: 'MERGE_ALL' } },
    'Invalid requests[0].mergeCells: You must select all cells in a merged range to merge or unmerge them.',
  ],
  [
    { unmergeCells: { range: createGridRange(10, 11, 0, 2) } },
    'Invalid requests[0].unmergeCells: You must select all cells in a merged range to merge or unmerge them.',
  ],
  [
    { mergeCells: { range: createGridRange(4, 6, 0, 1), mergeType: 'MERGE_ALL' } },
    "Invalid requests[0].mergeCells: You can't merge frozen and non-frozen rows.",
  ],
  [
    { addNamedRange: { namedRange: { name: 'taken', range: cells } } },
    'Invalid requests[0].addNamedRange: Cannot add named range with name taken, a named range with that name ' +
      'already exists.',
  ],
  [
    { addProtectedRange: { protectedRange: { range: cells, warningOnly: true, editors: { users: ['a@b.c'] } } } },
    'Invalid requests[0].addProtectedRange: ProtectedRange is warningOnly. Editors cannot be set on it.',
  ],
  [
    { addBanding: { bandedRange: { range: createGridRange(1, 3, 9, 10), rowProperties: {} } } },
    'Invalid requests[0].addBanding: You cannot add alternating background colors to a range that already has ' +
      'alternating background colors.',
  ],
  [
    createRuleRequest({ booleanRule, gradientRule: {} }),
    "Invalid value at 'requests[0].add_conditional_format_rule.rule' (oneof), oneof field 'rule' is already set. " +
      "Cannot set 'gradientRule'",
  ],
  [
    createRuleRequest({ gradientRule: { minpoint: createPoint('MIN') } }),
    'Invalid requests[0].addConditionalFormatRule: No interpolationPointType specified.',
  ],
  [
    createRuleRequest({ gradientRule: { minpoint: createPoint('NUMBER'), maxpoint: createPoint('MAX') } }),
    'Invalid requests[0].addConditionalFormatRule: InterpolationPoint.value is required.',
  ],
  [
    { setDataValidation: { range: cells, rule: { condition: { type: 'NUMBER_GREATER' } } } },
    "Invalid requests[0].setDataValidation: ConditionType 'NUMBER_GREATER' requires exactly one ConditionValue, but " +
      '0 values were supplied.',
  ],
  [
    {
      setDataValidation: {
        range: cells,
        rule: { condition: { type: 'ONE_OF_LIST', values: [{ userEnteredValue: 'a' }, { userEnteredValue: 2 }] } },
      },
    },
    "Invalid value at 'requests[0].set_data_validation.rule.condition.values[1].user_entered_value' (TYPE_STRING), 2",
  ],
  [
    { setBasicFilter: { filter: { range: cells, criteria: { 0: { condition: { type: 'BOOLEAN' } } } } } },
    "Invalid requests[0].setBasicFilter: ConditionType 'BOOLEAN' is not supported in filters.",
  ],
];

describe('refused requests of batchUpdate', () => {
  let world: World;
  let google: GoogleClient;
  let book: Spreadsheet;

  before(async () => {
    ({ world, google } = await startGoogle());
    book = await google.createSpreadsheet();
    const gridProperties = { rowCount: 20, columnCount: 10, frozenRowCount: 5 };
    await book.readReplies(
      { updateSheetProperties: { properties: { gridProperties }, fields: 'gridProperties' } },
      { mergeCells: { range: createGridRange(10, 12, 0, 2), mergeType: 'MERGE_ALL' } },
      { addNamedRange: { namedRange: { name: 'taken', range: cells } } },
      { addBanding: { bandedRange: { range: createGridRange(2, 5, 8, 10), rowProperties: {} } } },
    );
  });
  after(() => world.close());

  it('have the errors of Google, which name the request, and change nothing', async () => {
    const revision = await world.apiFor(google.token, book.id).revision();
    for (const [request, message] of REFUSALS) {
      const refused = await book.request('POST', ':batchUpdate', { requests: [request] });
      assert.equal(refused.status, 400, JSON.stringify(request));
      assert.equal(readErrorMessage(refused), message);
    }
    assert.equal(await world.apiFor(google.token, book.id).revision(), revision);
  });

  it('leave no spreadsheet behind when one is created', async () => {
    const values = Array.from({ length: 27 }, () => ({ userEnteredValue: { numberValue: 1 } }));
    const refused = await google.request('POST', '/v4/spreadsheets', {
      properties: { title: 'Not created' },
      sheets: [{ properties: { title: 'One' } }, { properties: { sheetId: 7 }, data: [{ rowData: [{ values }] }] }],
    });
    assert.deepEqual(
      [refused.status, readErrorMessage(refused)],
      [400, 'Invalid sheets[1].data[0]: Attempting to write column: 26, beyond the last requested column of: 25'],
    );
    const query = encodeURIComponent("name = 'Not created'");
    assert.deepEqual(memberAt((await google.request('GET', `/drive/v3/files?q=${query}`)).body, 'files'), []);
  });
});
