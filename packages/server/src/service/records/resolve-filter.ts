import {
  type ColumnTypes,
  type Comparison,
  columnKey,
  type RecordFilter,
  type RecordType,
  type Region,
} from '@cellwire/engine';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { NamedComparison, NamedFilter } from './parse-filter.ts';

/** Finds columns of records by name. */
export class ColumnNames {
  private readonly byKey: ReadonlyMap<string, number>;

  constructor({ columns }: Region) {
    this.byKey = new Map(columns.map(({ key }, at) => [key, at]));
  }

  /** The column's index in the region; null: it does not exist. */
  findColumn(name: string): number | null {
    return this.byKey.get(columnKey(name)) ?? null;
  }

  /** The column's index, or a refusal that names the field of the request. */
  findColumnIndex(name: string, field: string): number | Refusal {
    return this.findColumn(name) ?? createUnknownColumnRefusal(name, field);
  }

  /** The indexes of a key's columns, in the key's order. */
  findKeyColumnIndexes(key: readonly string[]): readonly number[] | Refusal {
    const places: number[] = [];
    for (const name of key) {
      const at = this.findColumnIndex(name, 'key');
      if (isRefusal(at)) return at;
      if (places.includes(at)) return invalidRequest('key', `key names the column "${name}" twice`);
      places.push(at);
    }
    return places;
  }
}

export function createUnknownColumnRefusal(name: string, field: string): Refusal {
  return invalidRequest(field, `There is no column "${name}"`);
}

/** A filter with resolved columns. */
export interface ResolvedFilter {
  readonly filter: RecordFilter;
  readonly types: ColumnTypes;
}

export function resolveFilter(names: ColumnNames, filter: NamedFilter): ResolvedFilter | Refusal {
  const types = resolveTypes(names, filter.types);
  const all = resolveComparisons(names, filter.where, 'where');
  const oneOf = filter.oneOf === null ? null : resolveGroups(names, filter.oneOf, 'any');
  const none = resolveGroups(names, filter.none, 'none');
  for (const part of [types, all, oneOf, none]) if (isRefusal(part)) return part;
  return { types, filter: { all, oneOf, none, caseSensitive: filter.caseSensitive } } as ResolvedFilter;
}

/** The types by position of the column; refused for an unknown name. */
export function resolveTypes(names: ColumnNames, typesByName: ReadonlyMap<string, RecordType>): ColumnTypes | Refusal {
  const types = new Map<number, RecordType>();
  for (const [name, type] of typesByName) {
    const at = names.findColumnIndex(name, 'types');
    if (isRefusal(at)) return at;
    types.set(at, type);
  }
  return types;
}

/** The conditions with positions of columns instead of names; refused for an unknown name. */
function resolveGroups(
  names: ColumnNames,
  namedGroups: readonly (readonly NamedComparison[])[],
  field: string,
): readonly (readonly Comparison[])[] | Refusal {
  const found: (readonly Comparison[])[] = [];
  for (const one of namedGroups) {
    const group = resolveComparisons(names, one, field);
    if (isRefusal(group)) return group;
    found.push(group);
  }
  return found;
}

/** The comparisons with positions of columns instead of names; refused for an unknown name. */
function resolveComparisons(
  names: ColumnNames,
  namedComparisons: readonly NamedComparison[],
  field: string,
): readonly Comparison[] | Refusal {
  const found: Comparison[] = [];
  for (const { name, test } of namedComparisons) {
    const at = names.findColumnIndex(name, field);
    if (isRefusal(at)) return at;
    found.push({ at, test });
  }
  return found;
}
