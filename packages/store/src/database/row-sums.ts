import { crc32WithByte } from './crc32.ts';
import {
  DOCUMENT_SUM_GROUPS,
  INDEPENDENT_SUM_GROUPS,
  type IndependentTable,
  NULL_ADDEND,
  type StoredRow,
  type SumGroup,
  type SummedTable,
} from './sum-groups.ts';

/** The groups of columns that share a checksum in this table; none if it has no checksums. */
export function listSumGroups(table: string): readonly SumGroup[] {
  if (table in DOCUMENT_SUM_GROUPS) return DOCUMENT_SUM_GROUPS[table as SummedTable];
  return table in INDEPENDENT_SUM_GROUPS ? INDEPENDENT_SUM_GROUPS[table as IndependentTable] : [];
}

/** Returns the columns of a table that have sums, and the sums. */
export function listSummedColumns(table: string): readonly string[] {
  return listSumGroups(table).flatMap((group) => [...listSumInputs(group), group.sum]);
}

/** Returns the sums of a complete row, by column. */
export function sumRow(table: string, row: StoredRow): Readonly<Record<string, number | null>> {
  return Object.fromEntries(listSumGroups(table).map((group) => [group.sum, computeSum(group, row)]));
}

/** Returns the function that computes a sum from a row; null if the column `sum` is not a sum. */
export function findSum(table: string, sum: string): ((row: StoredRow) => number | null) | null {
  const group = listSumGroups(table).find((one) => one.sum === sum);
  return group === undefined ? null : (row) => computeSum(group, row);
}

/** Returns the sum of the values of a group's columns. */
export function sumColumns(table: IndependentTable, sum: string, values: StoredRow): number | null {
  const compute = findSum(table, sum);
  if (compute === null) throw new Error(`${table}.${sum} is not a sum`);
  return compute(values);
}

/** Returns the sums that a complete row lacks, each with the columns that it covers. */
export function findMissingSums(
  table: string,
  row: StoredRow,
): readonly { readonly sum: string; readonly columns: readonly string[] }[] {
  return listSumGroups(table).flatMap((group) => {
    const value = computeSum(group, row);
    const isMissing = value !== null && (row[group.sum] ?? null) === null;
    return isMissing ? [{ sum: group.sum, columns: listSumInputs(group) }] : [];
  });
}

/** Returns descriptions of columns that do not match their sums. Skips groups of which the row lacks columns. */
export function findWrongSums(table: string, row: StoredRow): readonly string[] {
  return findWrongGroups(table, row).map(({ describe }) => describe(row));
}

/** Returns the groups of columns that do not match their sums, as `findWrongSums` does. */
export function findWrongGroups(table: string, row: StoredRow): readonly SumGroup[] {
  return listSumGroups(table).filter((group) => hasSum(group, row) && hasWrongSum(group, row));
}

/** True if a row that has all columns of a group has another sum. */
export function hasWrongSum(group: SumGroup, row: StoredRow): boolean {
  const stored = row[group.sum];
  return stored !== null && stored !== undefined && stored !== computeSum(group, row);
}

/** True if a row has a stored sum for a group, and all columns that the sum covers. */
function hasSum(group: SumGroup, row: StoredRow): boolean {
  return (row[group.sum] ?? null) !== null && listSumInputs(group).every((name) => name in row);
}

/** Returns the columns from which the sum of a group is computed. */
function listSumInputs({ columns, added }: SumGroup): readonly string[] {
  return added === undefined ? columns : [...columns, added];
}

/** Returns the sum of a complete row; null if the row has no value in the last column of an optional group. */
function computeSum({ columns, isOptional, added }: SumGroup, row: StoredRow): number | null {
  if (isOptional && (row[columns.at(-1) ?? ''] ?? null) === null) return null;
  let sum = 0;
  for (const name of columns) sum = crc32WithByte(String(row[name] ?? NO_VALUE), SEPARATOR, sum);
  return added === undefined ? sum : sum + Number(row[added] ?? NULL_ADDEND);
}

const NO_VALUE = '\u0000';
/** The byte after each value. */
const SEPARATOR = 1;
