import { MAX_TOOL_RECORDS } from '../../limits/mcp.ts';
import { appendRecords } from '../../operations/records/append-records.ts';
import { deleteRecords } from '../../operations/records/delete-records.ts';
import { upsertRecords } from '../../operations/records/upsert-records.ts';
import { undoRevision } from '../../operations/revisions/undo-revision.ts';
import { addSheet } from '../../operations/sheets/add-sheet.ts';
import { deleteSheet } from '../../operations/sheets/delete-sheet.ts';
import { renameSheet } from '../../operations/sheets/rename-sheet.ts';
import { changeStructure } from '../../operations/structure/change-structure.ts';
import { batchUpdateValues } from '../../operations/values/batch-update-values.ts';
import { ToolError } from '../results.ts';
import {
  addDescription,
  DOCUMENT,
  describeBodyMember,
  dropUndefined,
  INPUT_LOCALE,
  OBJECT,
  resolveDocumentId,
  SHEET,
  STRING,
  type ToolArguments,
  type ToolDefinition,
} from '../tool.ts';
import {
  CONFIRM,
  changesFilledCells,
  concernsHiddenCells,
  IF_REVISION,
  listFilledCells,
  performWrite,
  WRITE_INPUT,
  WRITE_OUTPUT,
} from '../write.ts';
import { requireOwnRevision } from './history.ts';
import { FILTER_INPUT, RECORDS_RANGE } from './query-records.ts';

const RECORDS = {
  ...describeBodyMember(appendRecords, 'records'),
  maxItems: MAX_TOOL_RECORDS,
  description: `At most ${MAX_TOOL_RECORDS} objects with fields by column name. JSON types are kept as they are; {"value": "00501", "as": "text"} states a type.`,
};
const CONSENT = 'If the token’s writes need consent, nothing is written and the result is a proposal.';
const TWO_STEPS =
  'A preview writes nothing: its result has `preview: true`, `changes` and `confirm`, and `moves`, `sheetChanges` and `settingChanges` if rows, columns, sheets, names, tables or filters change. Show the changes; to write, call again with the same arguments and `confirm`.';

/** The arguments of the operation. Arguments that control the write, such as `confirm`, are left out. */
function dropControlArguments(args: ToolArguments): ToolArguments {
  const { confirm: _c, title: _t, note: _n, idempotencyKey: _k, onFilled: _f, ifRevision: _r, ...input } = args;
  return input;
}

/** Maximum cells that a refusal lists. */
const MAX_NAMED_CELLS = 20;

export const writeRangesTool: ToolDefinition = {
  name: 'write_ranges',
  title: 'Write ranges',
  description: `Writes blocks of values, all or none, in one revision; null leaves a cell as it is, "" clears it, texts that begin with = are formulas, with \`;\` between arguments and a decimal comma, or as typed in \`inputLocale\`. A write over filled cells is refused, and the cells are named, unless onFilled is "overwrite"; that previews first. ${TWO_STEPS} Cost: one request and one recalculation. Result: the written ranges, the changed cells, and \`warnings\` about formulas. For rows below a header prefer append_records or upsert_records. ${CONSENT} Example: {"document": "Orders 2026", "data": [{"range": "Orders!B2", "values": [[120, "=B2*2"]]}]}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    // The operation's schema is not used, because it describes options that the tool does not have.
    data: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: { range: STRING, values: { type: 'array', items: { type: 'array' } } },
        required: ['range', 'values'],
        additionalProperties: false,
      },
      description:
        'Blocks: the range of the first cell, and rows of values. {"value": "08:30:00.5", "as": "time"} states a type: text, date, time or duration; {"error": "#N/A"} is an error. Write texts such as 00501, elapsed times and fractions of seconds in this form.',
    },
    valueInputOption: describeBodyMember(batchUpdateValues, 'valueInputOption'),
    inputLocale: INPUT_LOCALE,
    onFilled: addDescription(
      { type: 'string', enum: ['refuse', 'overwrite'] },
      'What to do if a cell is filled; refuse by default.',
    ),
    ...IF_REVISION,
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'data'],
  output: { ...WRITE_OUTPUT, updated: OBJECT },
  async run(session, args) {
    const document = await resolveDocumentId(session, args);
    return performWrite(session, {
      ...{ tool: 'write_ranges', document, args, operation: batchUpdateValues },
      input: { ...dropControlArguments(args), document },
      needsConfirmation: (preview) => {
        // Whether a hidden cell is filled is hidden, too: neither the refusal nor the preview may depend on it.
        if (concernsHiddenCells(preview, session)) {
          if (args['onFilled'] === 'overwrite') return true;
          throw new ToolError(
            'Sheet values are hidden. Nothing was written. The service does not tell which of these cells are filled. Choose another sheet, or call again with onFilled "overwrite".',
          );
        }
        const filled = listFilledCells(preview, MAX_NAMED_CELLS);
        if (filled.length === 0) return false;
        if (args['onFilled'] === 'overwrite') return true;
        throw new ToolError(
          `Cells are filled: ${filled.join(', ')}. Nothing was written. Choose empty cells, or call again with onFilled "overwrite".`,
        );
      },
      shape: ({ updated }) => {
        const { cells, ranges } = updated as {
          cells: number;
          ranges: readonly { updatedRange?: string; range: string }[];
        };
        return {
          updated: { cells, ranges: ranges.slice(0, 50).map(({ updatedRange, range }) => updatedRange ?? range) },
        };
      },
    });
  },
};

/** The counts and the first rows in the result of a record change. */
function createRecordsShape(name: string) {
  return (body: ToolArguments): ToolArguments => {
    const {
      records = [],
      revisionId: _r,
      ...counts
    } = body[name] as { records?: readonly unknown[]; revisionId: string };
    return { [name]: { ...counts, records: records.slice(0, 50) } };
  };
}

export const appendRecordsTool: ToolDefinition = {
  name: 'append_records',
  title: 'Append records',
  description: `Adds rows below the records of a range, by the names of its columns. It changes no filled cell, so it writes without a preview. Cost: one request and one recalculation, at most ${MAX_TOOL_RECORDS} records. Result: the number and rows of the new records, and the changed cells. ${CONSENT} Example: {"document": "Orders 2026", "range": "Orders", "records": [{"Number": "A-1014", "Date": "2026-03-27", "Sum": 120}]}`,
  kind: 'append',
  input: {
    document: DOCUMENT,
    range: RECORDS_RANGE,
    records: RECORDS,
    fillFormulas: describeBodyMember(
      appendRecords,
      'fillFormulas',
      'true: in columns that a record does not name, copy the formula of the row above.',
    ),
    ...IF_REVISION,
    ...WRITE_INPUT,
  },
  required: ['document', 'range', 'records'],
  output: { ...WRITE_OUTPUT, appended: OBJECT },
  async run(session, args) {
    const document = await resolveDocumentId(session, args);
    return performWrite(session, {
      ...{ tool: 'append_records', document, args, operation: appendRecords },
      input: { ...dropControlArguments(args), document },
      needsConfirmation: null,
      shape: createRecordsShape('appended'),
    });
  },
};

export const upsertRecordsTool: ToolDefinition = {
  name: 'upsert_records',
  title: 'Update or append records by key',
  description: `Updates the records that have the given keys, and appends records whose key does not exist. It previews first if it would change a filled cell. ${TWO_STEPS} Cost: one request and one recalculation, at most ${MAX_TOOL_RECORDS} records. Result: what happened to each record, and the changed cells. ${CONSENT} Example: {"document": "Orders 2026", "range": "Orders", "key": ["Number"], "records": [{"Number": "A-1013", "Status": "paid"}]}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    range: RECORDS_RANGE,
    key: describeBodyMember(upsertRecords, 'key', 'Names of the columns that identify a record.'),
    records: RECORDS,
    onMatch: describeBodyMember(upsertRecords, 'onMatch', 'If a row has the key; update by default.'),
    onMissing: describeBodyMember(upsertRecords, 'onMissing', 'If no row has the key; append by default.'),
    onMany: describeBodyMember(upsertRecords, 'onMany', 'If several rows have the key; error by default.'),
    ...IF_REVISION,
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'range', 'key', 'records'],
  output: { ...WRITE_OUTPUT, upserted: OBJECT },
  async run(session, args) {
    const document = await resolveDocumentId(session, args);
    return performWrite(session, {
      ...{ tool: 'upsert_records', document, args, operation: upsertRecords },
      input: { ...dropControlArguments(args), document },
      needsConfirmation: changesFilledCells,
      shape: createRecordsShape('upserted'),
    });
  },
};

const FILTERS = [...Object.keys(FILTER_INPUT), 'all'];

export const deleteRecordsTool: ToolDefinition = {
  name: 'delete_records',
  title: 'Delete records',
  description: `Deletes the records that match a filter; the rows below move up. A filter (where, any, none, formula) or all is required. It previews first. ${TWO_STEPS} Cost: one request and one recalculation, at most 1,000 records. Result: the rows of the deleted records, and the changed cells. ${CONSENT} Example: {"document": "Orders 2026", "range": "Orders", "where": {"Status": "cancelled"}}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    range: RECORDS_RANGE,
    ...FILTER_INPUT,
    all: describeBodyMember(deleteRecords, 'all', 'true: every record.'),
    ...IF_REVISION,
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'range'],
  output: { ...WRITE_OUTPUT, deleted: OBJECT },
  async run(session, args) {
    if (!FILTERS.some((name) => args[name] !== undefined)) {
      throw new ToolError(
        'One of where, any, none, formula or all is required. Give a filter, or "all": true for every record.',
      );
    }
    const document = await resolveDocumentId(session, args);
    return performWrite(session, {
      ...{ tool: 'delete_records', document, args, operation: deleteRecords },
      input: { ...dropControlArguments(args), document },
      needsConfirmation: ({ previewed }) => previewed.proposed.edits.length > 0,
      shape: createRecordsShape('deleted'),
    });
  },
};

const SHEET_ACTIONS = ['add', 'rename', 'delete', 'hide', 'show'];

export const manageSheetsTool: ToolDefinition = {
  name: 'manage_sheets',
  title: 'Manage sheets',
  description: `Adds, renames, deletes, hides or shows a sheet. Hiding only removes the sheet from user interfaces: its values stay readable. Only delete previews first. ${TWO_STEPS} Cost: one request. Result: the sheet. ${CONSENT} Example: {"document": "Orders 2026", "action": "add", "name": "Archive"}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    action: { type: 'string', enum: SHEET_ACTIONS, description: 'What to do.' },
    sheet: addDescription(SHEET, 'The sheet; not for add.'),
    name: describeBodyMember(addSheet, 'name', 'The new name; for add and rename.'),
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'action'],
  output: { ...WRITE_OUTPUT, sheet: OBJECT, deleted: OBJECT },
  async run(session, args) {
    const { action, sheet, name } = args;
    if (action !== 'add' && sheet === undefined) {
      throw new ToolError('sheet is required. Call describe_document to see the names of the sheets.');
    }
    if (action === 'rename' && name === undefined)
      throw new ToolError('name is required. Give the new name of the sheet.');
    const document = await resolveDocumentId(session, args);
    const write = chooseSheetOperation(String(action), dropUndefined({ document, sheet, name }));
    return performWrite(session, {
      ...{ tool: 'manage_sheets', document, args, ...write },
      needsConfirmation: () => action === 'delete',
      shape: ({ sheet: changed, deleted }) => dropUndefined({ sheet: changed, deleted }),
    });
  },
};

/** The operation of the API and its input for an action: add, rename, delete, hide or show. */
function chooseSheetOperation(action: string, { document, sheet, name }: ToolArguments) {
  switch (action) {
    case 'add':
      return { operation: addSheet, input: dropUndefined({ document, name }) };
    case 'rename':
      return { operation: renameSheet, input: { document, sheet, name } };
    case 'delete':
      return { operation: deleteSheet, input: { document, sheet } };
    default:
      return { operation: renameSheet, input: { document, sheet, hidden: action === 'hide' } };
  }
}

/** The members of each operation, as short as possible: models read it with every list of tools. */
const STRUCTURE_OPERATIONS =
  'Objects with one key each. insertRows, insertColumns: {sheet, before, count}. deleteRows, deleteColumns: {sheet, from, count}. moveRows, moveColumns: {sheet, from, count, before}. Rows are numbers, columns letters. insertCells, deleteCells: {range, shift: down | right | up | left}. sort: {range without its header, by: [{column: "C", order: "descending"}]}. copy, cut, fill: {from, to}. replace: {range, find, with}. removeDuplicates: {range without its header, columns: ["A"]}. duplicateSheet: {sheet, name}. moveSheet: {sheet, order}. colorSheet: {sheet, color}. setName: {name, refersTo: "=Orders!$A$1"}. deleteName, deleteTable: {name}. setTable: {name, range}. Example: {"deleteRows": {"sheet": "Orders", "from": 3, "count": 1}}';

export const changeStructureTool: ToolDefinition = {
  name: 'change_structure',
  title: 'Change the structure',
  description: `Inserts, deletes and moves rows, columns and cells, sorts, replaces, fills, and defines names and tables: a list of operations, applied in order, all or none. References follow. It previews first if it would remove or change filled cells. ${TWO_STEPS} Cost: one request and one recalculation. Result: the number of cells of each operation, and the changed cells. ${CONSENT} Example: {"document": "Orders 2026", "operations": [{"insertRows": {"sheet": "Orders", "before": 3, "count": 2}}]}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    operations: describeBodyMember(changeStructure, 'operations', STRUCTURE_OPERATIONS),
    ...IF_REVISION,
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'operations'],
  output: { ...WRITE_OUTPUT, structure: OBJECT },
  async run(session, args) {
    const document = await resolveDocumentId(session, args);
    return performWrite(session, {
      ...{ tool: 'change_structure', document, args, operation: changeStructure },
      input: { document, operations: args['operations'] },
      needsConfirmation: (preview) =>
        changesFilledCells(preview) || preview.previewed.proposed.edits.some(({ kind }) => kind === 'deleteSheet'),
      shape: ({ structure }) => ({ structure }),
    });
  },
};

export const undoTool: ToolDefinition = {
  name: 'undo',
  title: 'Undo a revision',
  description: `Undoes a revision that this token wrote, in a new revision; history marks such revisions as own. Other revisions are refused: ask a person. It previews first. ${TWO_STEPS} Cost: one request. Result: the new revision, and the changed cells. ${CONSENT} Example: {"document": "Orders 2026", "of": 42}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    of: { type: 'integer', minimum: 1, description: 'The revision to undo.' },
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'of'],
  output: { ...WRITE_OUTPUT, undone: OBJECT },
  async run(session, args) {
    const document = await resolveDocumentId(session, args);
    const revision = Number(args['of']);
    await requireOwnRevision(session, document, revision);
    return performWrite(session, {
      ...{ tool: 'undo', document, args, operation: undoRevision },
      input: { document, revision: String(revision) },
      needsConfirmation: () => true,
      shape: ({ undone }) => ({ undone }),
    });
  },
};
