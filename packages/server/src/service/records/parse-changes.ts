import type { RecordType } from '@cellwire/engine';
import type { LimitSettings } from '../../config/types.ts';
import { MAX_RECORDS } from '../../limits/records.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { isRecordMembers, type NamedFilter, parseFilter, parseTypes, type RecordMembers } from './parse-filter.ts';
import { parseColumns, parseRangeText } from './parse-query.ts';
import type { ColumnLetters } from './place.ts';
import { SentRecords } from './sent-records.ts';
import { isVacuousFilter } from './vacuous-filter.ts';

/** Common members of all record changes: the range, and how its columns are read. */
export interface RecordsTarget {
  readonly range: string;
  readonly letters: ColumnLetters;
  readonly types: ReadonlyMap<string, RecordType>;
}

interface AppendRequest extends RecordsTarget {
  readonly records: SentRecords;
  readonly fillFormulas: boolean;
}

export interface UpsertRequest extends AppendRequest {
  readonly key: readonly string[];
  readonly caseSensitive: boolean;
  readonly onMatch: 'update' | 'skip' | 'error';
  readonly onMissing: 'append' | 'skip' | 'error';
  readonly onMany: 'error' | 'first' | 'all';
}

/** A change of the records that match a filter. */
export interface FilteredRequest extends RecordsTarget {
  readonly filter: NamedFilter;
}

interface UpdateRequest extends FilteredRequest {
  readonly set: RecordMembers;
}

export function parseAppendRequest(body: RecordMembers): AppendRequest | Refusal {
  const target = parseTarget(body);
  if (isRefusal(target)) return target;
  const records = parseRecords(body['records']);
  if (isRefusal(records)) return records;
  const fillFormulas = parseFlag(body, 'fillFormulas');
  return isRefusal(fillFormulas) ? fillFormulas : { ...target, records, fillFormulas };
}

export function parseUpsertRequest(body: RecordMembers): UpsertRequest | Refusal {
  const append = parseAppendRequest(body);
  if (isRefusal(append)) return append;
  const { key } = body;
  const isKey = Array.isArray(key) && key.length > 0 && key.every((name) => typeof name === 'string');
  if (!isKey) return invalidRequest('key', 'key must be a list of the columns that tell records apart');
  const caseSensitive = parseFlag(body, 'caseSensitive');
  const onMatch = parseEnumMember(body, 'onMatch', ['update', 'skip', 'error']);
  const onMissing = parseEnumMember(body, 'onMissing', ['append', 'skip', 'error']);
  const onMany = parseEnumMember(body, 'onMany', ['error', 'first', 'all']);
  for (const part of [caseSensitive, onMatch, onMissing, onMany]) if (isRefusal(part)) return part;
  return { ...append, key, caseSensitive, onMatch, onMissing, onMany } as UpsertRequest;
}

export function parseUpdateRequest(body: RecordMembers, limits: LimitSettings): UpdateRequest | Refusal {
  const filtered = parseFilteredRequest(body, limits);
  if (isRefusal(filtered)) return filtered;
  const { set } = body;
  if (!isRecordMembers(set) || Object.keys(set).length === 0) {
    return invalidRequest('set', 'set must say what the records are to hold, such as { "Status": "paid" }');
  }
  return { ...filtered, set };
}

const NO_FILTER = invalidRequest(
  'where',
  'The filter does not depend on what the records hold: say "all": true to mean every record',
);

/** A filter without conditions matches every record only if the request confirms it. */
export function parseFilteredRequest(body: RecordMembers, limits: LimitSettings): FilteredRequest | Refusal {
  const target = parseTarget(body);
  if (isRefusal(target)) return target;
  const filter = parseFilter(body, limits.maxFormulaLength);
  if (isRefusal(filter)) return filter;
  const all = parseFlag(body, 'all');
  if (isRefusal(all)) return all;
  if (!all && isVacuousFilter(filter)) return NO_FILTER;
  return { ...target, filter };
}

/** The range, the column names and the types that a request for records gives. */
function parseTarget(body: RecordMembers): RecordsTarget | Refusal {
  const range = parseRangeText(body['range']);
  if (isRefusal(range)) return range;
  const letters = parseColumns(body['columns']);
  if (isRefusal(letters)) return letters;
  const types = parseTypes(body['types']);
  return isRefusal(types) ? types : { range, letters, types };
}

function parseRecords(value: unknown): SentRecords | Refusal {
  const count = value instanceof SentRecords ? value.count : Array.isArray(value) ? value.length : 0;
  if (count === 0) return invalidRequest('records', 'records must be a list of objects');
  if (count > MAX_RECORDS) return invalidRequest('records', `A request may have ${MAX_RECORDS} records at most`);
  const records = value instanceof SentRecords ? value : SentRecords.fromList(value as readonly unknown[]);
  const wrong = records.firstInvalid;
  return wrong === null ? records : invalidRequest(`records.${wrong}`, `records.${wrong} must be an object of fields`);
}

function parseFlag(body: RecordMembers, field: string): boolean | Refusal {
  const value = body[field] ?? false;
  return typeof value === 'boolean' ? value : invalidRequest(field, `${field} must be a boolean`);
}

function parseEnumMember(body: RecordMembers, field: string, values: readonly [string, ...string[]]): string | Refusal {
  const value = body[field] ?? values[0];
  if (typeof value === 'string' && values.includes(value)) return value;
  return invalidRequest(field, `${field} must be one of ${values.join(', ')}`);
}
