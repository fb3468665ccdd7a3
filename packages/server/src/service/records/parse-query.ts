import type { Aggregation } from '@cellwire/engine';
import type { LimitSettings } from '../../config/types.ts';
import { MAX_QUERY_NAMES } from '../../limits/records.ts';
import { MAX_RANGE_LENGTH } from '../../limits/requests.ts';
import {
  createUnknownFieldRefusal,
  describeUnknownField,
  invalidRequest,
  isRefusal,
  type Refusal,
} from '../refusal.ts';
import { isRecordMembers, type NamedFilter, parseFilter, type RecordMembers } from './parse-filter.ts';
import type { ColumnLetters } from './place.ts';

/** An aggregate of each group; `column` null for `*`. */
interface NamedMeasure {
  readonly name: string;
  readonly kind: Aggregation;
  readonly column: string | null;
}

export interface NamedAggregate {
  readonly groupBy: readonly string[];
  readonly measures: readonly NamedMeasure[];
}

/** A parsed query whose column names are not resolved. */
export interface RecordsQuery {
  readonly range: string;
  readonly letters: ColumnLetters;
  readonly filter: NamedFilter;
  /** Null: all columns. */
  readonly select: readonly string[] | null;
  /** Column names; the prefix `-` sorts descending. */
  readonly sort: readonly string[];
  readonly aggregate: NamedAggregate | null;
  readonly offset: number;
  /** Null: not specified. */
  readonly limit: number | null;
  readonly cursor: string | null;
  /** Null: the newest. */
  readonly revision: number | null;
}

const AGGREGATE_MEMBERS = ['groupBy', 'measures'];
const AGGREGATIONS: ReadonlySet<string> = new Set(['sum', 'count', 'average', 'min', 'max', 'countDistinct']);

export function parseQuery(body: RecordMembers, limits: LimitSettings): RecordsQuery | Refusal {
  const filter = parseFilter(body, limits.maxFormulaLength);
  const range = parseRangeText(body['range']);
  const letters = parseColumns(body['columns']);
  const select = body['select'] === undefined ? null : parseNames(body['select'], 'select');
  const sort = body['sort'] === undefined ? [] : parseNames(body['sort'], 'sort');
  const aggregate = body['aggregate'] === undefined ? null : parseAggregate(body['aggregate']);
  const offset = parseWholeNumber(body['offset'] ?? 0, 'offset', 0);
  const limit = body['limit'] === undefined ? null : parseWholeNumber(body['limit'], 'limit', 1);
  const cursor = body['cursor'] ?? null;
  const revision = body['revision'] === undefined ? null : parseWholeNumber(body['revision'], 'revision', 0);
  for (const part of [filter, range, letters, select, sort, aggregate, offset, limit, revision])
    if (isRefusal(part)) return part;
  if (cursor !== null && typeof cursor !== 'string') return invalidRequest('cursor', 'cursor must be a text');
  if (cursor !== null && revision !== null) {
    return invalidRequest('revision', 'A cursor says its revision: send one of them');
  }
  if (select !== null && aggregate !== null) {
    return invalidRequest('select', 'select goes with records, aggregate with groups: send one of them');
  }
  return { range, letters, filter, select, sort, aggregate, offset, limit, cursor, revision } as RecordsQuery;
}

export function parseRangeText(value: unknown): string | Refusal {
  if (typeof value !== 'string') return invalidRequest('range', 'range is required');
  return value.length > MAX_RANGE_LENGTH ? invalidRequest('range', 'Invalid range') : value;
}

/** Parses column names by column letter. */
export function parseColumns(value: unknown): ColumnLetters | Refusal {
  if (value === undefined) return new Map();
  const problem = invalidRequest('columns', 'columns must be an object of names and letters, such as { "Sum": "D" }');
  if (!isRecordMembers(value)) return problem;
  const entries = Object.entries(value);
  const isNamed = entries.every(([name, letter]) => name.trim() !== '' && typeof letter === 'string');
  return isNamed && entries.length <= MAX_QUERY_NAMES ? new Map(entries as [string, string][]) : problem;
}

function parseNames(value: unknown, field: string): readonly string[] | Refusal {
  const isList = Array.isArray(value) && value.every((name) => typeof name === 'string');
  if (!isList || value.length > MAX_QUERY_NAMES) {
    return invalidRequest(field, `${field} must be a list of ${MAX_QUERY_NAMES} names at most`);
  }
  return value;
}

function parseWholeNumber(value: unknown, field: string, minimum: number): number | Refusal {
  const isWhole = Number.isSafeInteger(value) && Number(value) >= minimum;
  return isWhole ? Number(value) : invalidRequest(field, `${field} must be a whole number of at least ${minimum}`);
}

/** The grouping columns and the figures of a query with groups. */
function parseAggregate(input: unknown): NamedAggregate | Refusal {
  if (!isRecordMembers(input)) return invalidRequest('aggregate', 'aggregate must have groupBy, measures or both');
  const unknown = Object.keys(input).find((name) => !AGGREGATE_MEMBERS.includes(name));
  if (unknown !== undefined) return createUnknownFieldRefusal('aggregate', unknown, AGGREGATE_MEMBERS);
  const groupBy = input['groupBy'] === undefined ? [] : parseNames(input['groupBy'], 'aggregate');
  const measures = input['measures'] ?? {};
  if (isRefusal(groupBy)) return groupBy;
  if (!isRecordMembers(measures) || Object.keys(measures).length > MAX_QUERY_NAMES) {
    return invalidRequest('aggregate', `aggregate.measures must be an object of ${MAX_QUERY_NAMES} figures at most`);
  }
  const read: NamedMeasure[] = [];
  for (const [name, measure] of Object.entries(measures)) {
    const parsed = parseMeasure(name, measure);
    if (isRefusal(parsed)) return parsed;
    read.push(parsed);
  }
  if (read.length + groupBy.length > 0) return { groupBy, measures: read };
  return invalidRequest('aggregate', 'aggregate needs groupBy, measures or both');
}

/** A named figure of a group, such as `{ "sum": "Amount" }`. */
function parseMeasure(name: string, input: unknown): NamedMeasure | Refusal {
  const place = `aggregate.measures."${name}"`;
  const unknown = isRecordMembers(input) ? Object.keys(input).find((kind) => !AGGREGATIONS.has(kind)) : undefined;
  if (unknown !== undefined) {
    const text = describeUnknownField(unknown, AGGREGATIONS);
    return invalidRequest('aggregate', `${place}.${unknown}: ${text}; use one of ${[...AGGREGATIONS].join(', ')}`);
  }
  const [[kind, column] = ['', null], ...others] = isRecordMembers(input) ? Object.entries(input) : [];
  if (!AGGREGATIONS.has(kind) || others.length > 0 || typeof column !== 'string') {
    const example = 'such as { "sum": "Sum" }';
    return invalidRequest('aggregate', `${place} must be one of ${[...AGGREGATIONS].join(', ')}, ${example}`);
  }
  if (column !== '*') return { name, kind: kind as Aggregation, column };
  if (kind === 'count') return { name, kind, column: null };
  return invalidRequest('aggregate', `${place} needs a column: only count takes *`);
}
