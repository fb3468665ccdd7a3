import {
  type Aggregation,
  type ColumnTypes,
  columnKey,
  computeValueOrder,
  type DocumentIndexes,
  listGroupSortValues,
  type RecordGroup,
  type RecordSort,
  type Region,
  type Scalar,
  type Snapshot,
} from '@cellwire/engine';
import { MAX_SORT_KEYS } from '../../limits/records.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { removeRepeatedSortKeys } from '../structure/sort-keys.ts';
import type { NamedAggregate, RecordsQuery } from './parse-query.ts';
import { type ColumnNames, createUnknownColumnRefusal } from './resolve-filter.ts';

/** The output of a query: records, or groups of them. Columns are indexes in the region. */
export type QueryOutput =
  | { readonly kind: 'records'; readonly select: readonly number[]; readonly sort: readonly RecordSort[] }
  | {
      readonly kind: 'groups';
      readonly groupBy: readonly number[];
      readonly measures: readonly OutputMeasure[];
      readonly sort: readonly GroupSort[];
    };

/** The records that were grouped. */
interface GroupedRegion {
  readonly snapshot: Snapshot;
  readonly region: Region;
  /** Indexes of columns in the region. */
  readonly groupBy: readonly number[];
  readonly types: ColumnTypes;
  readonly indexes: DocumentIndexes;
}

interface OutputMeasure {
  readonly name: string;
  readonly kind: Aggregation;
  /** Null: `*`. */
  readonly at: number | null;
}

/** Sorts groups by a column of `groupBy` or by a measure, as an index. */
interface GroupSort {
  readonly of: 'groupBy' | 'measures';
  readonly place: number;
  readonly descending: boolean;
}

const TOO_MANY_KEYS = invalidRequest('sort', `sort must not name more than ${MAX_SORT_KEYS} columns`);

/** What a query returns and how it is sorted, as positions of columns; refused for an unknown name. */
export function resolveOutput(names: ColumnNames, region: Region, query: RecordsQuery): QueryOutput | Refusal {
  if (query.aggregate !== null) return resolveGroups(names, query.aggregate, query.sort);
  const select =
    query.select === null ? region.columns.map((_, at) => at) : findColumnIndexes(names, query.select, 'select');
  if (isRefusal(select)) return select;
  const sort: RecordSort[] = [];
  for (const sortText of query.sort) {
    const key = parseSortKey(sortText, (name) => names.findColumn(name));
    if (key === null) return createUnknownColumnRefusal(sortText, 'sort');
    sort.push({ at: key.found, descending: key.descending });
  }
  const distinct = removeRepeatedSortKeys(sort, ({ at }) => at);
  return distinct === null ? TOO_MANY_KEYS : { kind: 'records', select, sort: distinct };
}

function findColumnIndexes(
  names: ColumnNames,
  requestedNames: readonly string[],
  field: string,
): readonly number[] | Refusal {
  const places: number[] = [];
  for (const name of requestedNames) {
    const at = names.findColumnIndex(name, field);
    if (isRefusal(at)) return at;
    places.push(at);
  }
  return places;
}

/**
 * The column of a sort key and its direction. A column whose name begins with `-` takes precedence over a descending
 * sort of another column.
 */
function parseSortKey<T>(sortText: string, find: (name: string) => T | null): { found: T; descending: boolean } | null {
  const own = find(sortText);
  if (own !== null) return { found: own, descending: false };
  const found = sortText.startsWith('-') ? find(sortText.slice(1)) : null;
  return found === null ? null : { found, descending: true };
}

/** The grouping, figures and order of a query with groups, as positions of columns. */
function resolveGroups(
  names: ColumnNames,
  aggregate: NamedAggregate,
  sorted: readonly string[],
): QueryOutput | Refusal {
  const groupBy = findColumnIndexes(names, aggregate.groupBy, 'aggregate');
  if (isRefusal(groupBy)) return groupBy;
  const measures: OutputMeasure[] = [];
  for (const { name, kind, column } of aggregate.measures) {
    const at = column === null ? null : names.findColumnIndex(column, 'aggregate');
    if (isRefusal(at)) return at;
    if (aggregate.groupBy.some((other) => columnKey(other) === columnKey(name))) {
      return invalidRequest('aggregate', `"${name}" is the name of a measure and of a column in groupBy`);
    }
    measures.push({ name, kind, at });
  }
  const sort: GroupSort[] = [];
  for (const sortText of sorted) {
    const key = parseSortKey(sortText, (name) => findSortPlace(name, aggregate));
    if (key === null) return invalidRequest('sort', `"${sortText}" is neither in groupBy nor a measure`);
    sort.push({ ...key.found, descending: key.descending });
  }
  const distinct = removeRepeatedSortKeys(sort, ({ of, place }) => `${of} ${place}`);
  return distinct === null ? TOO_MANY_KEYS : { kind: 'groups', groupBy, measures, sort: distinct };
}

/** Whether a name is a figure or a grouping column, and its position; null if it is neither. */
function findSortPlace(name: string, { groupBy, measures }: NamedAggregate): Pick<GroupSort, 'of' | 'place'> | null {
  const key = columnKey(name);
  const measure = measures.findIndex((one) => columnKey(one.name) === key);
  if (measure >= 0) return { of: 'measures', place: measure };
  const column = groupBy.findIndex((one) => columnKey(one) === key);
  return column < 0 ? null : { of: 'groupBy', place: column };
}

/** The groups in the order of the keys, by the rules of the locale; unchanged without keys. */
export function* sortGroups(
  groups: readonly RecordGroup[],
  sort: readonly GroupSort[],
  { snapshot, region, groupBy, types, indexes }: GroupedRegion,
): Generator<void, readonly RecordGroup[]> {
  if (sort.length === 0) return groups;
  const keys: { readonly values: readonly Scalar[]; readonly descending: boolean }[] = [];
  for (const { of, place, descending } of sort) {
    const column = { place, at: groupBy[place] ?? -1, types, indexes };
    const values =
      of === 'groupBy'
        ? yield* listGroupSortValues(snapshot, region, groups, column)
        : groups.map((group) => group.readFigure(place));
    keys.push({ values, descending });
  }
  const order = yield* computeValueOrder(groups.length, keys, snapshot.settings.locale);
  return order.map((i) => groups[i] as RecordGroup);
}
