import {
  CHUNK_ROWS,
  ColumnReader,
  cellText,
  type FieldValue,
  MAX_COLUMNS,
  MAX_ROWS,
  parseMoment,
  roundToMoment,
  type Snapshot,
} from '@cellwire/engine';
import { type MaybePromise, runInSlices, runSynchronously } from '@cellwire/event-loop';
import type { DocumentAccess } from '../access/access.ts';
import type { ProposalHead } from '../documents/types.ts';
import { MAX_DIFFERENCES, MAX_EXPECTATIONS, MAX_EXPECTED_CELLS, MAX_RANGE_LENGTH } from '../limits/requests.ts';
import {
  createSheetFinder,
  formatQualifiedRange,
  locateRange,
  type ParsedRange,
  parseRange,
  type SnapshotSheet,
} from './ranges.ts';
import {
  type CellDifference,
  createUnknownFieldRefusal,
  invalidRequest,
  isRefusal,
  type Refusal,
  VALUES_HIDDEN,
} from './refusal.ts';

/** Values that a caller expects in a range: plain values by rows, from the first cell. */
export interface Expectation {
  readonly range: ParsedRange;
  readonly values: readonly (readonly FieldValue[])[];
}

interface ExpectationInput {
  readonly range: string;
  readonly values: readonly (readonly FieldValue[])[];
}

const SHAPE = invalidRequest('expect', 'expect must be a list such as [{ "range": "Orders!B3", "values": [[99]] }]');

const MEMBERS = ['range', 'values'];

/** Refuses the first member of an expectation that is unknown; null if all are known. */
function refuseUnknownMember(expectations: readonly unknown[]): Refusal | null {
  for (const [i, one] of expectations.entries()) {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) continue;
    const name = Object.keys(one).find((member) => !MEMBERS.includes(member));
    if (name !== undefined) return createUnknownFieldRefusal(`expect.${i}`, name, MEMBERS);
  }
  return null;
}

function isExpectation(value: unknown): value is ExpectationInput {
  if (typeof value !== 'object' || value === null || !('range' in value) || !('values' in value)) return false;
  const { range, values } = value;
  if (typeof range !== 'string' || range.length > MAX_RANGE_LENGTH || !Array.isArray(values)) return false;
  return values.every((row) => Array.isArray(row) && row.every(isFieldValue));
}

function isFieldValue(value: unknown): value is FieldValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'object') {
    return 'error' in value && typeof value.error === 'string' && Object.keys(value).length === 1;
  }
  return Number.isFinite(value);
}

/** Parses the member `expect` of a request. */
export function parseExpectations(input: unknown): readonly Expectation[] | Refusal {
  if (!Array.isArray(input)) return SHAPE;
  const unknown = refuseUnknownMember(input);
  if (unknown !== null) return unknown;
  if (!input.every(isExpectation)) return SHAPE;
  let cells = 0;
  const parsed: Expectation[] = [];
  for (const { range: text, values } of input) {
    const range = parseRange(text);
    if (isRefusal(range)) return range;
    cells += values.reduce((sum, row) => sum + row.length, 0);
    const { top, left, bottom, right, openRows, openColumns } = range.area;
    const width = values.reduce((most, row) => Math.max(most, row.length), 0);
    const height = (openRows ? MAX_ROWS - 1 : bottom) - top + 1;
    const fits = values.length <= height && width <= (openColumns ? MAX_COLUMNS - 1 : right) - left + 1;
    if (!fits) return invalidRequest('expect', `expect has more values than ${text} has cells`);
    parsed.push({ range, values });
  }
  if (parsed.length > MAX_EXPECTATIONS || cells > MAX_EXPECTED_CELLS) {
    const most = `${MAX_EXPECTATIONS} ranges and ${MAX_EXPECTED_CELLS} cells`;
    return invalidRequest('expect', `expect may name ${most} at most`);
  }
  return parsed;
}

/** The first cells that differ from the expected values; a refusal if the caller may not read them. */
export function findDifferences(
  { snapshot }: Pick<ProposalHead, 'snapshot'>,
  access: DocumentAccess,
  expected: readonly Expectation[],
): readonly CellDifference[] | Refusal {
  return runSynchronously(compareInSteps(snapshot, access, expected));
}

/** Comparisons of up to this number of cells run in the write's turn. Larger ones run before it, in slices. */
const MAX_CELLS_IN_TURN = 2_000;

/** Differences found in one state of the document. */
export interface EarlyDifferences {
  readonly snapshot: Snapshot;
  readonly differences: readonly CellDifference[] | Refusal;
}

/** Compares many expected cells with a state in slices. Returns null for few cells: the write's turn compares them. */
export async function precompareCells(
  state: () => MaybePromise<Snapshot | null>,
  access: DocumentAccess,
  expected: readonly Expectation[],
): Promise<EarlyDifferences | null> {
  const cells = expected.reduce((sum, { values }) => sum + values.reduce((all, row) => all + row.length, 0), 0);
  const snapshot = cells <= MAX_CELLS_IN_TURN ? null : await state();
  return snapshot && { snapshot, differences: await runInSlices(compareInSteps(snapshot, access, expected)) };
}

/** The cells whose values differ from the expected ones, compared with pauses; refused for hidden or unknown ranges. */
function* compareInSteps(
  snapshot: Snapshot,
  { hiddenSheets }: DocumentAccess,
  expected: readonly Expectation[],
): Generator<void, readonly CellDifference[] | Refusal> {
  const find = createSheetFinder(snapshot.sheets);
  const targets = expected.map(({ range, values }) => ({ target: locateRange(find, range), values }));
  const refusals = targets.map(({ target }) => target).filter(isRefusal);
  if (refusals[0] !== undefined) return refusals[0];
  const differences: CellDifference[] = [];
  for (const { target, values } of targets) {
    if (isRefusal(target)) continue;
    if (hiddenSheets.has(target.sheet.id)) return VALUES_HIDDEN;
    const { top, left } = target.area;
    yield* compareCells(snapshot, target.sheet, { top, left, values }, differences);
  }
  return differences;
}

/** Cells compared between two pauses. */
const CELLS_PER_STEP = 4_096;

/** Adds the cells of one expected block that differ to `differences`. */
function* compareCells(
  snapshot: Snapshot,
  sheet: SnapshotSheet,
  { top, left, values }: { readonly top: number; readonly left: number; readonly values: Expectation['values'] },
  differences: CellDifference[],
): Generator<void> {
  let cells = 0;
  const readers: ColumnReader[] = [];
  for (const [r, row] of values.entries()) {
    for (const [c, expected] of row.entries()) {
      if (differences.length >= MAX_DIFFERENCES) return;
      if (++cells % CELLS_PER_STEP === 0) yield;
      const [at, column] = [top + r, left + c];
      const chunk = sheet.chunk(column, Math.floor(at / CHUNK_ROWS));
      readers[c] ??= new ColumnReader(snapshot, column, null);
      const actual = readers[c].readField(chunk, at % CHUNK_ROWS);
      const moment =
        typeof actual === 'string' && chunk !== undefined && readers[c].findMomentKind(chunk, at % CHUNK_ROWS);
      if (isSameValue(expected, actual) || (moment && isSameMoment(expected, actual, snapshot))) continue;
      differences.push({ cell: formatQualifiedRange(sheet.name, cellText(at, column)), expected, actual });
    }
  }
}

/** True if a text is another spelling of the date or time in a cell. */
function isSameMoment(expected: FieldValue, actual: string, { settings }: Snapshot): boolean {
  const meant = typeof expected === 'string' ? parseMoment(expected, settings.dateSystem) : null;
  const shown = parseMoment(actual, settings.dateSystem);
  return meant !== null && meant.kind === shown?.kind && roundToMoment(meant.serial) === roundToMoment(shown.serial);
}

/** Compares texts with case; an empty text equals an empty cell. */
function isSameValue(expected: FieldValue, actual: FieldValue): boolean {
  if (typeof expected !== 'object' || expected === null)
    return (expected === '' ? null : expected) === (actual === '' ? null : actual);
  return typeof actual === 'object' && actual !== null && actual.error === expected.error;
}
