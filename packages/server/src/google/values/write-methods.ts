import type { Edit, Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { AuditNote } from '../../service/history/audit-log.ts';
import { type ClosedRange, rangeEcho } from '../a1.ts';
import { bodyOf, commit, documentOf, type GoogleCall, type GoogleMethod, json, readingOf, WRITES } from '../call.ts';
import { objects, type RequestObject, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { resolveFilters } from '../sheets/filters.ts';
import { growGrid } from '../sheets/grid-edits.ts';
import { refuseProtected } from '../sheets/protected.ts';
import { echo, placeOf, type ResolvedRange, resolveA1 } from '../sheets/resolve.ts';
import { tableAt } from './append-place.ts';
import { areaOf, enterValues } from './enter.ts';
import { countChanged, type InputOption, inputOption, matrixOf, type ValueMatrix, widthOf } from './matrix.ts';
import { isOn, majorOf, optionsOf } from './options.ts';
import type { ValueOptions } from './read.ts';
import { refuseHidden, valueRange } from './read-methods.ts';

/** One block of values to write. */
interface SentBlock {
  readonly matrix: ValueMatrix;
  readonly resolve: (snapshot: Snapshot) => ResolvedRange;
}

/** The effect of a block. */
interface BlockUpdate {
  readonly place: ResolvedRange;
  readonly updatedRange: string;
  readonly updatedRows: number;
  readonly updatedColumns: number;
  readonly updatedCells: number;
  readonly written: ClosedRange;
}

/** The edits that write a block from a cell on, and the data of the answer. */
function updateOf(
  snapshot: Snapshot,
  place: ResolvedRange,
  matrix: ValueMatrix,
  option: InputOption,
  access: DocumentAccess,
): { readonly edits: readonly Edit[]; readonly update: BlockUpdate } {
  const { sheet, range, open } = place;
  const { top, left } = range;
  const width = widthOf(matrix);
  const isTooTall = open.bottom !== null && matrix.length > open.bottom - top + 1;
  const isTooWide = open.right !== null && width > open.right - left + 1;
  const isCell = open.bottom === top && open.right === left;
  if ((isTooTall || isTooWide) && !isCell) {
    const [tried, bounds] = isTooTall ? ['row', top + 1 + (range.bottom - top + 1)] : ['column', range.right + 2];
    throw invalid(
      `Requested writing within range [${rangeEcho(sheet.name, range)}], but tried writing to ${tried} [${
        tried === 'row' ? bounds : letters(Number(bounds))
      }]`,
    );
  }
  const area = areaOf(matrix, top, left);
  const writtenArea = area ?? { top, left, bottom: top, right: left };
  refuseProtected(sheet, writtenArea, access);
  const grid = { rows: writtenArea.bottom + 1, columns: writtenArea.right + 1 };
  const { rows, columns, cells } = countChanged(matrix);
  const counted = cells === 0 ? {} : { updatedRows: rows, updatedColumns: columns, updatedCells: cells };
  const update = {
    place,
    updatedRange: rangeEcho(sheet.name, writtenArea),
    written: writtenArea,
    ...counted,
  } as BlockUpdate;
  if (area === null) return { edits: [], update };
  const target = { snapshot, sheet, sheetId: sheet.id, row: top, column: left };
  return { edits: [...growGrid(sheet, grid), ...enterValues(matrix, target, option)], update };
}

function letters(column: number): string {
  return rangeEcho('A', { top: 0, left: column - 1, bottom: 0, right: column - 1 }).replace(/^A!|\d+$/g, '');
}

/** Writes blocks in one revision, with one audit entry. */
async function writeBlocks(
  call: GoogleCall,
  blocks: readonly SentBlock[],
  option: InputOption,
): Promise<readonly BlockUpdate[]> {
  let updates: readonly BlockUpdate[] = [];
  await commit(call, ({ snapshot }, access) => {
    const plans = blocks.map(({ matrix, resolve }) => updateOf(snapshot, resolve(snapshot), matrix, option, access));
    updates = plans.map(({ update }) => update);
    const cells = updates.reduce((sum, { updatedCells = 0 }) => sum + updatedCells, 0);
    const note: AuditNote = { action: 'update', range: auditRange(updates), cells };
    return { edits: plans.flatMap(({ edits }) => edits), describe: () => ({ body: {}, notes: [note] }) };
  });
  return updates;
}

/** Audit entries contain one range. */
function auditRange(updates: readonly Pick<BlockUpdate, 'updatedRange'>[]): string {
  return updates.length === 1 ? (updates[0]?.updatedRange ?? '') : '';
}

const VALUE_RANGE_MEMBERS = ['range', 'majorDimension', 'values'];

/** The block in a body that is a `ValueRange`, for the range in the path. */
function blockOf(body: RequestObject, range: string, place: string): SentBlock {
  refuseUnknown(body, VALUE_RANGE_MEMBERS, place);
  const matrix = matrixOf(
    body,
    place,
    majorOf((name) => body[name]),
  );
  const own = text(body, 'range', place);
  if (own !== undefined && own !== '' && range !== '' && own !== range) {
    return {
      matrix,
      resolve: (snapshot) => {
        const [addressRange, bodyRange] = [resolveA1(snapshot, range), resolveA1(snapshot, own)];
        if (echo(addressRange) === echo(bodyRange)) return addressRange;
        throw invalid(
          `Requested writing within range [${echo(addressRange)}], but range [${echo(bodyRange)}] was given`,
        );
      },
    };
  }
  return { matrix, resolve: (snapshot) => resolveA1(snapshot, range === '' ? (own ?? '') : range) };
}

/** The answer for an update; with `values`, including the current content of its cells. */
async function updateAnswer(
  call: GoogleCall,
  { place, updatedRange, updatedRows, updatedColumns, updatedCells, written }: BlockUpdate,
  response: ValueOptions | null,
): Promise<object> {
  const spreadsheetId = documentOf(call).documentId;
  const counts = JSON.parse(JSON.stringify({ updatedRows, updatedColumns, updatedCells })) as object;
  const answer = { spreadsheetId, updatedRange, ...counts };
  if (response === null) return answer;
  const { snapshot } = await readingOf(call);
  const sheet = snapshot.sheetById(place.sheet.id);
  if (sheet === undefined) return answer;
  const updatedData = await valueRange(snapshot, placeOf(sheet, written, false), response, documentOf(call));
  return { ...answer, updatedData };
}

/** How a response renders the written values; null: it does not contain them. */
function responseOf(get: (name: string) => unknown): ValueOptions | null {
  const options = optionsOf((name) => (name === 'majorDimension' ? undefined : get(name)), 'response');
  return isOn(get('includeValuesInResponse')) ? options : null;
}

/** PUT `values/{range}`. */
export const updateValues: GoogleMethod = {
  requires: WRITES,
  writes: true,
  async run(call, { range = '' }) {
    const body = bodyOf(call);
    const get = (name: string) => call.query.get(name) ?? undefined;
    const block = blockOf(body, range, 'data');
    const option = inputOption(get('valueInputOption'), 'value_input_option');
    const [update] = await writeBlocks(call, [block], option);
    return json(await updateAnswer(call, update as BlockUpdate, responseOf(get)));
  },
};

interface BatchUpdateParts {
  readonly members: readonly string[];
  readonly blocks: (
    call: GoogleCall,
    body: RequestObject,
  ) => Promise<readonly (SentBlock & { readonly filter?: unknown })[]>;
}

function batchUpdate({ members, blocks: blocksOf }: BatchUpdateParts): GoogleMethod {
  return {
    requires: WRITES,
    writes: true,
    async run(call) {
      const body = bodyOf(call);
      refuseUnknown(body, [...BATCH_MEMBERS, ...members], '');
      const blocks = await blocksOf(call, body);
      const option = inputOption(text(body, 'valueInputOption', ''), 'value_input_option');
      const response = responseOf((name) => body[name]);
      const updates = await writeBlocks(call, blocks, option);
      const responses: object[] = [];
      for (const [i, update] of updates.entries()) {
        const filter = blocks[i]?.filter;
        responses.push({
          ...(await updateAnswer(call, update, response)),
          ...(filter === undefined ? {} : { dataFilter: filter }),
        });
      }
      return json({
        spreadsheetId: documentOf(call).documentId,
        ...totals(updates),
        ...(responses.length > 0 && { responses }),
      });
    },
  };
}

const BATCH_MEMBERS = [
  'valueInputOption',
  'data',
  'includeValuesInResponse',
  'responseValueRenderOption',
  'responseDateTimeRenderOption',
];

export const batchUpdateValues = batchUpdate({
  members: [],
  blocks: async (_call, body) => (objects(body, 'data', '') ?? []).map((data, i) => blockOf(data, '', `data[${i}]`)),
});

export const batchUpdateByDataFilter = batchUpdate({
  members: [],
  async blocks(call, body) {
    const { snapshot } = await readingOf(call);
    return (objects(body, 'data', '') ?? []).flatMap((data, i) => {
      const place = `data[${i}]`;
      refuseUnknown(data, ['dataFilter', 'majorDimension', 'values'], place);
      const filter = (data['dataFilter'] ?? {}) as RequestObject;
      const matrix = matrixOf(
        data,
        place,
        majorOf((name) => data[name]),
      );
      return resolveFilters(snapshot, [filter], documentOf(call)).map((found, at) => ({
        matrix,
        filter,
        resolve: (state: Snapshot) => resolveFilters(state, [filter], documentOf(call))[at]?.place ?? found.place,
      }));
    });
  },
});

/** Rows and columns count once for each sheet. */
function totals(updates: readonly BlockUpdate[]): object {
  const rows = new Set<string>();
  const columns = new Set<string>();
  const sheets = new Set<number>();
  let cells = 0;
  for (const { place, written, updatedCells = 0 } of updates) {
    if (updatedCells === 0) continue;
    const { id } = place.sheet;
    sheets.add(id);
    cells += updatedCells;
    for (let row = written.top; row <= written.bottom; row++) rows.add(`${id}:${row}`);
    for (let column = written.left; column <= written.right; column++) columns.add(`${id}:${column}`);
  }
  if (cells === 0) return {};
  return {
    totalUpdatedRows: rows.size,
    totalUpdatedColumns: columns.size,
    totalUpdatedCells: cells,
    totalUpdatedSheets: sheets.size,
  };
}

/** POST `values/{range}:append`. */
export const appendValues: GoogleMethod = {
  requires: WRITES,
  writes: true,
  async run(call, { range = '' }) {
    const body = bodyOf(call);
    const get = (name: string) => call.query.get(name) ?? undefined;
    const { matrix, resolve } = blockOf(body, range, 'data');
    const option = inputOption(get('valueInputOption'), 'value_input_option');
    const inserts = insertsRows(get('insertDataOption'));
    const response = responseOf(get);
    let update: BlockUpdate | null = null;
    let tableRange: string | null = null;
    await commit(call, ({ snapshot }, access) => {
      const place = resolve(snapshot);
      refuseHidden(place, access);
      const table = tableAt(place);
      tableRange = table === null ? null : rangeEcho(place.sheet.name, table);
      const row = table === null ? place.range.top : table.bottom + 1;
      const column = table?.left ?? place.range.left;
      const isBeyond = row >= place.grid.rows;
      const open = { top: row, left: column, bottom: null, right: null };
      const at = { top: row, left: column, bottom: row, right: column };
      const target: ResolvedRange = { ...place, open, range: at };
      const plan = updateOf(snapshot, target, matrix, option, access);
      update = plan.update;
      const shifts: readonly Edit[] =
        inserts && matrix.length > 0 && !isBeyond && table !== null ? insertedRows(place, row, matrix.length) : [];
      const note: AuditNote = {
        action: 'append',
        range: plan.update.updatedRange,
        cells: plan.update.updatedCells ?? 0,
      };
      return { edits: [...shifts, ...plan.edits], describe: () => ({ body: {}, notes: [note] }) };
    });
    const updates = await updateAnswer(call, update as unknown as BlockUpdate, response);
    return json({
      spreadsheetId: documentOf(call).documentId,
      ...(tableRange === null ? {} : { tableRange }),
      updates,
    });
  },
};

function insertsRows(value: string | undefined): boolean {
  if (value === undefined || value === 'OVERWRITE') return false;
  if (value === 'INSERT_ROWS') return true;
  throw invalid(
    `Invalid value at 'insert_data_option' (type.googleapis.com/google.apps.sheets.v4.AppendValuesRequest.InsertDataOption), ${JSON.stringify(value)}`,
  );
}

/** Edits that insert rows. The grid grows by the same number. */
function insertedRows({ sheet, grid }: ResolvedRange, at: number, count: number): readonly Edit[] {
  const move = { kind: 'insert', sheet: sheet.id, axis: 'rows', at, count } as const;
  const edits: readonly Edit[] = [{ kind: 'moveCells', move }];
  return [...edits, ...growGrid(sheet, { rows: grid.rows + count, columns: grid.columns })];
}
