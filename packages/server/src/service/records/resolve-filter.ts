import {
  type ColumnTypes,
  type Comparison,
  columnKey,
  type Filter,
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
  find(name: string): number | null {
    return this.byKey.get(columnKey(name)) ?? null;
  }

  /** The column's index, or a refusal that names the field of the request. */
  columnIndex(name: string, field: string): number | Refusal {
    return this.find(name) ?? noColumn(name, field);
  }

  /** The indexes of a key's columns, in the key's order. */
  keyColumnIndexes(key: readonly string[]): readonly number[] | Refusal {
    const places: number[] = [];
    for (const name of key) {
      const at = this.columnIndex(name, 'key');
      if (isRefusal(at)) return at;
      if (places.includes(at)) return invalidRequest('key', `key names the column "${name}" twice`);
      places.push(at);
    }
    return places;
  }
}

export function noColumn(name: string, field: string): Refusal {
  return invalidRequest(field, `There is no column "${name}"`);
}

/** A filter with resolved columns. */
export interface ResolvedFilter {
  readonly filter: Filter;
  readonly types: ColumnTypes;
}

export function resolveFilter(names: ColumnNames, sent: NamedFilter): ResolvedFilter | Refusal {
  const types = resolveTypes(names, sent.types);
  const all = comparisons(names, sent.where, 'where');
  const oneOf = sent.oneOf === null ? null : groups(names, sent.oneOf, 'any');
  const none = groups(names, sent.none, 'none');
  for (const part of [types, all, oneOf, none]) if (isRefusal(part)) return part;
  return { types, filter: { all, oneOf, none, caseSensitive: sent.caseSensitive } } as ResolvedFilter;
}

export function resolveTypes(names: ColumnNames, sent: ReadonlyMap<string, RecordType>): ColumnTypes | Refusal {
  const types = new Map<number, RecordType>();
  for (const [name, type] of sent) {
    const at = names.columnIndex(name, 'types');
    if (isRefusal(at)) return at;
    types.set(at, type);
  }
  return types;
}

function groups(
  names: ColumnNames,
  sent: readonly (readonly NamedComparison[])[],
  field: string,
): readonly (readonly Comparison[])[] | Refusal {
  const found: (readonly Comparison[])[] = [];
  for (const one of sent) {
    const group = comparisons(names, one, field);
    if (isRefusal(group)) return group;
    found.push(group);
  }
  return found;
}

function comparisons(
  names: ColumnNames,
  sent: readonly NamedComparison[],
  field: string,
): readonly Comparison[] | Refusal {
  const found: Comparison[] = [];
  for (const { name, test } of sent) {
    const at = names.columnIndex(name, field);
    if (isRefusal(at)) return at;
    found.push({ at, test });
  }
  return found;
}
