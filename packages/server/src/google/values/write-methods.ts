import type { Edit, Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { AuditNote } from '../../service/history/audit-log.ts';
import { type ClosedRange, formatA1Range } from '../a1.ts';
import {
  commitCall,
  type GoogleCall,
  type GoogleMethod,
  openCallReading,
  requireBodyObject,
  requireCallDocument,
  requireRequestBody,
  toJsonAnswer,
  WRITES,
} from '../call.ts';
import { type RequestObject, readObjects, readText, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem, Problem } from '../problem.ts';
import { resolveFilters } from '../sheets/filters.ts';
import { growGrid } from '../sheets/grid-edits.ts';
import { refuseProtectedArea } from '../sheets/protected-ranges.ts';
import { clampToGrid, formatResolvedRange, type ResolvedRange, resolveA1 } from '../sheets/resolve.ts';
import { findTableArea } from './append-place.ts';
import { computeMatrixArea, enterValues } from './enter.ts';
import {
  countChangedCells,
  type InputOption,
  measureWidth,
  parseInputOption,
  parseValueMatrix,
  type ValueMatrix,
} from './matrix.ts';
import { isQueryFlagSet, parseEnumOption, parseMajorDimension, parseValueOptions } from './options.ts';
import type { ValueOptions } from './read.ts';
import { readValueRange, refuseHiddenValues } from './read-methods.ts';

/** One block of values to write. */
interface ValueBlockInput {
  readonly matrix: ValueMatrix;
  readonly resolve: (snapshot: Snapshot) => ResolvedRange;
  /** `data[0]`, which errors name; null: the request has one block. */
  readonly place: string | null;
}

/** Members of an answer that say how much was written. They are absent if nothing was. */
interface AnsweredCounts {
  readonly updatedRows?: number;
  readonly updatedColumns?: number;
  readonly updatedCells?: number;
}

/** The result of writing a block. */
interface BlockUpdate {
  readonly place: ResolvedRange;
  readonly updatedRange: string;
  readonly counts: AnsweredCounts;
  readonly written: ClosedRange;
}

/** The edits that write a block from a cell on, and the data of the answer. */
function planBlockUpdate(
  snapshot: Snapshot,
  resolvedRange: ResolvedRange,
  matrix: ValueMatrix,
  option: InputOption,
  access: DocumentAccess,
): { readonly edits: readonly Edit[]; readonly update: BlockUpdate } {
  const { sheet, range, open } = resolvedRange;
  const { top, left } = range;
  const width = measureWidth(matrix);
  const isTooTall = open.bottom !== null && matrix.length > open.bottom - top + 1;
  const isTooWide = open.right !== null && width > open.right - left + 1;
  const isCell = open.bottom === top && open.right === left;
  if ((isTooTall || isTooWide) && !isCell) {
    const [tried, bounds] = isTooTall ? ['row', top + 1 + (range.bottom - top + 1)] : ['column', range.right + 2];
    throw createInvalidProblem(
      `Requested writing within range [${formatA1Range(sheet.name, range)}], but tried writing to ${tried} [${
        tried === 'row' ? bounds : toColumnLetters(Number(bounds))
      }]`,
    );
  }
  const area = computeMatrixArea(matrix, top, left);
  const writtenArea = area ?? { top, left, bottom: top, right: left };
  refuseProtectedArea(sheet, writtenArea, access);
  const grid = { rows: writtenArea.bottom + 1, columns: writtenArea.right + 1 };
  const { rows, columns, cells } = countChangedCells(matrix);
  const update: BlockUpdate = {
    place: resolvedRange,
    updatedRange: formatA1Range(sheet.name, writtenArea),
    written: writtenArea,
    counts: cells === 0 ? {} : { updatedRows: rows, updatedColumns: columns, updatedCells: cells },
  };
  if (area === null) return { edits: [], update };
  const target = { snapshot, sheet, sheetId: sheet.id, row: top, column: left };
  return { edits: [...growGrid(sheet, grid), ...enterValues(matrix, target, option)], update };
}

/** Runs a step of a request. An error of it names the place in the request. */
function runWithPlace<T>(place: string | null, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const isPlain = error instanceof Problem && error.code === 400 && error.details.length === 0;
    if (place === null || !isPlain) throw error;
    throw createInvalidProblem(`Invalid ${place}: ${error.message}`);
  }
}

function toColumnLetters(column: number): string {
  return formatA1Range('A', { top: 0, left: column - 1, bottom: 0, right: column - 1 }).replace(/^A!|\d+$/g, '');
}

/** Writes blocks in one revision, with one audit entry. */
async function writeBlocks(
  call: GoogleCall,
  blocks: readonly ValueBlockInput[],
  option: InputOption,
): Promise<readonly BlockUpdate[]> {
  let updates: readonly BlockUpdate[] = [];
  await commitCall(call, ({ snapshot }, access) => {
    const plans = blocks.map(({ matrix, resolve, place }) =>
      runWithPlace(place, () => planBlockUpdate(snapshot, resolve(snapshot), matrix, option, access)),
    );
    updates = plans.map(({ update }) => update);
    const cells = updates.reduce((sum, { counts }) => sum + (counts.updatedCells ?? 0), 0);
    const note: AuditNote = { action: 'update', range: getAuditRange(updates), cells };
    return { edits: plans.flatMap(({ edits }) => edits), describe: () => ({ body: {}, notes: [note] }) };
  });
  return updates;
}

/** The written range for the audit entry, which contains one range; empty if there is none or there are several. */
function getAuditRange(updates: readonly Pick<BlockUpdate, 'updatedRange'>[]): string {
  return updates.length === 1 ? (updates[0]?.updatedRange ?? '') : '';
}

const VALUE_RANGE_MEMBERS = ['range', 'majorDimension', 'values'];

/** The block in a body that is a `ValueRange`, for the range in the path. */
function parseSentBlock(
  body: RequestObject,
  range: string,
  path: string,
  place: string | null = null,
): ValueBlockInput {
  refuseUnknownMembers(body, VALUE_RANGE_MEMBERS, path);
  const matrix = parseValueMatrix(
    body,
    path,
    parseMajorDimension((name) => body[name]),
  );
  const own = readText(body, 'range', path);
  if (own !== undefined && own !== '' && range !== '' && own !== range) {
    return {
      matrix,
      place,
      resolve: (snapshot) => {
        const [addressRange, bodyRange] = [resolveA1(snapshot, range), resolveA1(snapshot, own)];
        if (formatResolvedRange(addressRange) === formatResolvedRange(bodyRange)) return addressRange;
        throw createInvalidProblem(
          `Request range[${formatResolvedRange(addressRange)}] does not match value's range[${formatResolvedRange(bodyRange)}]`,
        );
      },
    };
  }
  return { matrix, place, resolve: (snapshot) => resolveA1(snapshot, range === '' ? (own ?? '') : range) };
}

/** Builds the answer for an update; with `values`, including the current content of its cells. */
async function buildUpdateAnswer(
  call: GoogleCall,
  { place, updatedRange, counts, written }: BlockUpdate,
  response: ValueOptions | null,
): Promise<object> {
  const spreadsheetId = requireCallDocument(call).documentId;
  const answer = { spreadsheetId, updatedRange, ...counts };
  if (response === null) return answer;
  const { snapshot } = await openCallReading(call);
  const sheet = snapshot.sheetById(place.sheet.id);
  if (sheet === undefined) return answer;
  const updatedData = await readValueRange(
    snapshot,
    clampToGrid(sheet, written, false),
    response,
    requireCallDocument(call),
  );
  return { ...answer, updatedData };
}

/** How a response renders the written values; null: it does not contain them. */
function parseResponseOptions(get: (name: string) => unknown): ValueOptions | null {
  const options = parseValueOptions((name) => (name === 'majorDimension' ? undefined : get(name)), 'response');
  return isQueryFlagSet(get('includeValuesInResponse')) ? options : null;
}

/** PUT `values/{range}`. */
export const updateValues: GoogleMethod = {
  requires: WRITES,
  writes: true,
  async run(call, { range = '' }) {
    const body = requireBodyObject(call);
    const get = (name: string) => call.query.get(name) ?? undefined;
    const block = parseSentBlock(body, range, 'data');
    const option = parseInputOption(get('valueInputOption'), 'value_input_option');
    const [update] = await writeBlocks(call, [block], option);
    return toJsonAnswer(await buildUpdateAnswer(call, update as BlockUpdate, parseResponseOptions(get)));
  },
};

interface BatchUpdateParts {
  readonly members: readonly string[];
  readonly blocks: (
    call: GoogleCall,
    body: RequestObject,
  ) => Promise<readonly (ValueBlockInput & { readonly filter?: unknown })[]>;
}

/** A method that writes several blocks; `blocks` resolves the blocks of its body. */
function createBatchUpdateMethod({ members, blocks: blocksOf }: BatchUpdateParts): GoogleMethod {
  return {
    requires: WRITES,
    writes: true,
    async run(call) {
      const body = requireRequestBody(call, [...BATCH_MEMBERS, ...members]);
      const blocks = await blocksOf(call, body);
      const option = parseInputOption(readText(body, 'valueInputOption', ''), 'value_input_option');
      const response = parseResponseOptions((name) => body[name]);
      const updates = await writeBlocks(call, blocks, option);
      const responses: object[] = [];
      for (const [i, update] of updates.entries()) {
        const filter = blocks[i]?.filter;
        responses.push({
          ...(await buildUpdateAnswer(call, update, response)),
          ...(filter === undefined ? {} : { dataFilter: filter }),
        });
      }
      return toJsonAnswer({
        spreadsheetId: requireCallDocument(call).documentId,
        ...sumUpdates(updates),
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

export const batchUpdateValues = createBatchUpdateMethod({
  members: [],
  blocks: async (_call, body) =>
    (readObjects(body, 'data', '') ?? []).map((data, i) => {
      const place = `data[${i}]`;
      return runWithPlace(place, () => parseSentBlock(data, '', place, place));
    }),
});

export const batchUpdateByDataFilter = createBatchUpdateMethod({
  members: [],
  async blocks(call, body) {
    const { snapshot } = await openCallReading(call);
    return (readObjects(body, 'data', '') ?? []).flatMap((data, i) => {
      const place = `data[${i}]`;
      refuseUnknownMembers(data, ['dataFilter', 'majorDimension', 'values'], place);
      const filter = (data['dataFilter'] ?? {}) as RequestObject;
      const matrix = parseValueMatrix(
        data,
        place,
        parseMajorDimension((name) => data[name]),
      );
      return resolveFilters(snapshot, [filter], requireCallDocument(call)).map((found, at) => ({
        matrix,
        filter,
        place,
        resolve: (state: Snapshot) =>
          resolveFilters(state, [filter], requireCallDocument(call))[at]?.place ?? found.place,
      }));
    });
  },
});

/** The totals of several updates. Rows and columns count once for each sheet. */
function sumUpdates(updates: readonly BlockUpdate[]): object {
  const rows = new Set<string>();
  const columns = new Set<string>();
  const sheets = new Set<number>();
  let cells = 0;
  for (const { place, written, counts } of updates) {
    const { updatedCells = 0 } = counts;
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
    const body = requireBodyObject(call);
    const get = (name: string) => call.query.get(name) ?? undefined;
    const { matrix, resolve } = parseSentBlock(body, range, 'data');
    const option = parseInputOption(get('valueInputOption'), 'value_input_option');
    const insertion = parseEnumOption(get, 'insertDataOption', INSERT_OPTIONS, 'AppendValuesRequest.InsertDataOption');
    const response = parseResponseOptions(get);
    let update: BlockUpdate | null = null;
    let tableRange: string | null = null;
    await commitCall(call, ({ snapshot }, access) => {
      const place = resolve(snapshot);
      refuseHiddenValues(place, access);
      const table = findTableArea(place);
      tableRange = table === null ? null : formatA1Range(place.sheet.name, table);
      const row = table === null ? place.range.top : table.bottom + 1;
      const column = table?.left ?? place.range.left;
      const isBeyond = row >= place.grid.rows;
      const open = { top: row, left: column, bottom: null, right: null };
      const at = { top: row, left: column, bottom: row, right: column };
      const target: ResolvedRange = { ...place, open, range: at };
      const plan = planBlockUpdate(snapshot, target, matrix, option, access);
      update = plan.update;
      const shifts: readonly Edit[] =
        insertion === 'INSERT_ROWS' && matrix.length > 0 && !isBeyond && table !== null
          ? buildRowInsertion(place, row, matrix.length)
          : [];
      const note: AuditNote = {
        action: 'append',
        range: plan.update.updatedRange,
        cells: plan.update.counts.updatedCells ?? 0,
      };
      return { edits: [...shifts, ...plan.edits], describe: () => ({ body: {}, notes: [note] }) };
    });
    const updates = await buildUpdateAnswer(call, update as unknown as BlockUpdate, response);
    return toJsonAnswer({
      spreadsheetId: requireCallDocument(call).documentId,
      ...(tableRange === null ? {} : { tableRange }),
      updates,
    });
  },
};

const INSERT_OPTIONS = ['OVERWRITE', 'INSERT_ROWS'] as const;

/** Edits that insert rows. The grid grows by the same number. */
function buildRowInsertion({ sheet, grid }: ResolvedRange, row: number, count: number): readonly Edit[] {
  const move = { kind: 'insert', sheet: sheet.id, axis: 'rows', at: row, count } as const;
  const edits: readonly Edit[] = [{ kind: 'moveCells', move }];
  return [...edits, ...growGrid(sheet, { rows: grid.rows + count, columns: grid.columns })];
}
