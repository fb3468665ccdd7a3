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
  type Arguments,
  BOOLEAN,
  DOCUMENT,
  described,
  documentOf,
  given,
  LIST,
  OBJECT,
  SHEET,
  STRING,
  type ToolDefinition,
} from '../tool.ts';
import {
  CONFIRM,
  changesFilledCells,
  filledCells,
  IF_REVISION,
  performWrite,
  WRITE_INPUT,
  WRITE_OUTPUT,
} from '../write.ts';
import { ownRevision } from './history.ts';

const RECORDS = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_TOOL_RECORDS,
  items: { type: 'object' },
  description: `At most ${MAX_TOOL_RECORDS}, each an object of fields by column name. A field is typed, never guessed; {"value": "00501", "as": "text"} says its type.`,
};
const RANGE = described(STRING, 'An A1 range whose first row is the header, a sheet, a table or a defined name.');
const CONSENT = 'With a token whose writes need consent the result is a proposal, and nothing is written.';
const TWO_STEPS =
  'It previews first and writes nothing: the result then has `preview: true`, `changes` and `confirm`. Show the changes, and call again with the same arguments and `confirm` to write.';

function withoutControls(args: Arguments): Arguments {
  const { confirm: _c, title: _t, note: _n, idempotencyKey: _k, onFilled: _f, ifRevision: _r, ...input } = args;
  return input;
}

/** Cells that a refusal names. */
const NAMED_CELLS = 20;

export const writeRangesTool: ToolDefinition = {
  name: 'write_ranges',
  title: 'Write ranges',
  description: `Writes blocks of values, all or none, in one revision; null leaves a cell as it is, "" clears it, texts that begin with = are formulas. Cells that are filled are refused and named unless onFilled is "overwrite"; overwriting previews first. ${TWO_STEPS} Cost: one request and one recalculation. For rows below a header prefer append_records or upsert_records. ${CONSENT} Example: {"document": "Orders 2026", "data": [{"range": "Orders!B2", "values": [[120, "=B2*2"]]}]}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    data: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: { range: STRING, values: { type: 'array', items: { type: 'array' } } },
        required: ['range', 'values'],
        additionalProperties: false,
      },
      description: 'Each block with the range of its first cell, and rows of values.',
    },
    valueInputOption: described(
      { type: 'string', enum: ['RAW', 'USER_ENTERED'] },
      'USER_ENTERED (default) reads texts as if typed.',
    ),
    onFilled: described(
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
    const document = await documentOf(session, args);
    return performWrite(session, {
      ...{ tool: 'write_ranges', document, args, operation: batchUpdateValues },
      input: { ...withoutControls(args), document },
      needsConfirmation: (preview) => {
        const filled = filledCells(preview, NAMED_CELLS);
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

/** Counts and the first rows of a change of records. */
function recordsShape(name: string) {
  return (body: Arguments): Arguments => {
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
  description: `Adds rows below the records of a range, by the names of its columns. Nothing that is filled is changed, so it writes at once. Cost: one request and one recalculation, at most ${MAX_TOOL_RECORDS} records. Result: how many rows were made, and the changed cells. ${CONSENT} Example: {"document": "Orders 2026", "range": "Orders", "records": [{"Number": "A-1014", "Date": "2026-03-27", "Sum": 120}]}`,
  kind: 'append',
  input: {
    document: DOCUMENT,
    range: RANGE,
    records: RECORDS,
    fillFormulas: described(BOOLEAN, 'Give new rows the formulas of the row above in the columns that they leave out.'),
    ...IF_REVISION,
    ...WRITE_INPUT,
  },
  required: ['document', 'range', 'records'],
  output: { ...WRITE_OUTPUT, appended: OBJECT },
  async run(session, args) {
    const document = await documentOf(session, args);
    return performWrite(session, {
      ...{ tool: 'append_records', document, args, operation: appendRecords },
      input: { ...withoutControls(args), document },
      needsConfirmation: () => false,
      shape: recordsShape('appended'),
    });
  },
};

export const upsertRecordsTool: ToolDefinition = {
  name: 'upsert_records',
  title: 'Update or append records by key',
  description: `Changes the records that have the keys, and appends those whose keys are not there. If it would change a filled cell it previews first. ${TWO_STEPS} Cost: one request and one recalculation, at most ${MAX_TOOL_RECORDS} records. ${CONSENT} Example: {"document": "Orders 2026", "range": "Orders", "key": ["Number"], "records": [{"Number": "A-1013", "Status": "paid"}]}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    range: RANGE,
    key: { type: 'array', minItems: 1, items: STRING, description: 'The columns that tell records apart.' },
    records: RECORDS,
    onMatch: described(
      { type: 'string', enum: ['update', 'skip', 'error'] },
      'A record whose key is there; update by default.',
    ),
    onMissing: described(
      { type: 'string', enum: ['append', 'skip', 'error'] },
      'One whose key is not there; append by default.',
    ),
    onMany: described(
      { type: 'string', enum: ['error', 'first', 'all'] },
      'A key that several rows have; error by default.',
    ),
    ...IF_REVISION,
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'range', 'key', 'records'],
  output: { ...WRITE_OUTPUT, upserted: OBJECT },
  async run(session, args) {
    const document = await documentOf(session, args);
    return performWrite(session, {
      ...{ tool: 'upsert_records', document, args, operation: upsertRecords },
      input: { ...withoutControls(args), document },
      needsConfirmation: changesFilledCells,
      shape: recordsShape('upserted'),
    });
  },
};

const FILTERS = ['where', 'any', 'none', 'formula', 'all'];

export const deleteRecordsTool: ToolDefinition = {
  name: 'delete_records',
  title: 'Delete records',
  description: `Takes out the records that a filter holds for; what is below moves up. A filter (where, none, formula, …) or all must be given. ${TWO_STEPS} Cost: one request and one recalculation, at most 1,000 records. ${CONSENT} Example: {"document": "Orders 2026", "range": "Orders", "where": {"Status": "cancelled"}}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    range: RANGE,
    where: described(OBJECT, 'A condition by column name; all of it must hold.'),
    ['any']: described(LIST, 'Conditions of which one holds.'),
    none: described(LIST, 'Conditions none of which holds.'),
    formula: described(STRING, 'A formula that must be TRUE, such as =[Sum]=0.'),
    all: described(BOOLEAN, 'true: every record.'),
    ...IF_REVISION,
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'range'],
  output: { ...WRITE_OUTPUT, deleted: OBJECT },
  async run(session, args) {
    if (!FILTERS.some((name) => args[name] !== undefined)) {
      throw new ToolError(
        'One of where, any, none, formula or all is required. Say which records are meant, or "all": true for every record.',
      );
    }
    const document = await documentOf(session, args);
    return performWrite(session, {
      ...{ tool: 'delete_records', document, args, operation: deleteRecords },
      input: { ...withoutControls(args), document },
      needsConfirmation: ({ previewed }) => previewed.proposed.edits.length > 0,
      shape: recordsShape('deleted'),
    });
  },
};

const SHEET_ACTIONS = ['add', 'rename', 'delete', 'hide', 'show'];

export const manageSheetsTool: ToolDefinition = {
  name: 'manage_sheets',
  title: 'Manage sheets',
  description: `Adds, renames, deletes, hides or shows a sheet. Hiding is a matter of user interfaces: values stay readable. Only delete previews first. ${TWO_STEPS} Cost: one request. ${CONSENT} Example: {"document": "Orders 2026", "action": "add", "name": "Archive"}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    action: { type: 'string', enum: SHEET_ACTIONS, description: 'What to do.' },
    sheet: described(SHEET, 'The sheet; not for add.'),
    name: described(STRING, 'The new name; for add and rename.'),
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
    const document = await documentOf(session, args);
    const write = sheetWrite(String(action), given({ document, sheet, name }));
    return performWrite(session, {
      ...{ tool: 'manage_sheets', document, args, ...write },
      needsConfirmation: () => action === 'delete',
      shape: ({ sheet: changed, deleted }) => given({ sheet: changed, deleted }),
    });
  },
};

function sheetWrite(action: string, { document, sheet, name }: Arguments) {
  switch (action) {
    case 'add':
      return { operation: addSheet, input: given({ document, name }) };
    case 'rename':
      return { operation: renameSheet, input: { document, sheet, name } };
    case 'delete':
      return { operation: deleteSheet, input: { document, sheet } };
    default:
      return { operation: renameSheet, input: { document, sheet, hidden: action === 'hide' } };
  }
}

export const changeStructureTool: ToolDefinition = {
  name: 'change_structure',
  title: 'Change the structure',
  description: `Inserts, deletes and moves rows, columns and cells, sorts, replaces, fills, and defines names and tables: a list of operations, each seeing what the one before left, all or none. References follow. What removes or changes filled cells previews first. ${TWO_STEPS} Cost: one request and one recalculation. ${CONSENT} Example: {"document": "Orders 2026", "operations": [{"insertRows": {"sheet": "Orders", "before": 3, "count": 2}}]}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    operations: {
      type: 'array',
      minItems: 1,
      items: OBJECT,
      description: 'Objects with one key each, such as {"deleteRows": {"sheet": "Orders", "from": 3, "count": 1}}.',
    },
    ...IF_REVISION,
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'operations'],
  output: { ...WRITE_OUTPUT, structure: OBJECT },
  async run(session, args) {
    const document = await documentOf(session, args);
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
  description: `Takes back a revision that this token wrote, as a new one; history marks those as own. Others are refused: ask a person. ${TWO_STEPS} Cost: one request. ${CONSENT} Example: {"document": "Orders 2026", "of": 42}`,
  kind: 'destroy',
  input: {
    document: DOCUMENT,
    of: { type: 'integer', minimum: 1, description: 'The revision to take back.' },
    ...CONFIRM,
    ...WRITE_INPUT,
  },
  required: ['document', 'of'],
  output: { ...WRITE_OUTPUT, undone: OBJECT },
  async run(session, args) {
    const document = await documentOf(session, args);
    const revision = Number(args['of']);
    await ownRevision(session, document, revision);
    return performWrite(session, {
      ...{ tool: 'undo', document, args, operation: undoRevision },
      input: { document, revision: String(revision) },
      needsConfirmation: () => true,
      shape: ({ undone }) => ({ undone }),
    });
  },
};
