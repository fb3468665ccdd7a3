import type { Area, Edit, Sheet } from '@cellwire/engine';
import { MAX_FILTER_COLUMNS } from '../../limits/display.ts';
import { ConditionProblem, parseCondition } from '../../service/structure/filter-condition.ts';
import { includesPath } from '../field-mask.ts';
import { type ColorNames, parseNamedColor, toColorForms } from '../format/color.ts';
import {
  isRequestObject,
  type RequestObject,
  readChoice,
  readInteger,
  readObject,
  readObjects,
  readText,
  readTexts,
  refuseUnknownMembers,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { toColumnCondition } from '../sheets/filter-conditions.ts';
import { toGridRange } from '../sheets/filters.ts';
import { replaceRules, toRuleAttachment } from '../sheets/rules.ts';
import { createObjectId, KINDS } from '../sheets/state.ts';
import { BASIC, type FilterColumn, readFilterColumns, toFilterMembers } from '../sheets/stored-filters.ts';
import { parseBooleanCondition } from '../sheets/validation.ts';
import { parseFields, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';
import { chooseObjectId, findObject, parseObjectRange, readTakenIds, storeObject } from './stored-object-edits.ts';

const SORT_ORDERS = ['ASCENDING', 'DESCENDING'] as const;
const BASIC_FILTER = ['range', 'sortSpecs', 'criteria', 'filterSpecs'];
const FILTER_VIEW = [...BASIC_FILTER, 'filterViewId', 'title'];
const BASIC_CRITERIA = ['hiddenValues', 'condition'];
const VISIBLE_COLORS: readonly ColorNames[] = ['visibleBackgroundColor', 'visibleForegroundColor'].map((color) => ({
  color,
  style: `${color}Style`,
}));
const VIEW_CRITERIA = [...BASIC_CRITERIA, ...VISIBLE_COLORS.flatMap(({ color, style }) => [color, style])];

type ColumnCriteria = ReadonlyMap<number, RequestObject>;
type ColumnSorts = ReadonlyMap<number, NonNullable<FilterColumn['sort']>>;

/** A filter's criteria by column. `members`: the supported members of criteria. */
function parseColumnCriteria(filter: RequestObject, members: readonly string[], path: string): ColumnCriteria {
  const criteria = readObject(filter, 'criteria', path);
  const specs = readObjects(filter, 'filterSpecs', path) ?? [];
  const read = criteria
    ? Object.entries(criteria).map(([column, one]) => [Number(column), one] as const)
    : specs.map((spec, i) => {
        refuseUnknownMembers(spec, ['columnIndex', 'filterCriteria'], `${path}.filter_specs[${i}]`);
        return [readInteger(spec, 'columnIndex', path) ?? 0, spec['filterCriteria']] as const;
      });
  if (read.length > MAX_FILTER_COLUMNS)
    throw createInvalidProblem(`A filter can have criteria for ${MAX_FILTER_COLUMNS} columns.`);
  return new Map(
    read.map(([column, one]) => {
      const at = `${path}.criteria[${column}]`;
      const own = isRequestObject(one) ? one : {};
      refuseUnknownMembers(own, members, at);
      const hidden = readTexts(own, 'hiddenValues', at) ?? [];
      const condition = readObject(own, 'condition', at);
      const colors = VISIBLE_COLORS.map((color) => {
        const hex = parseNamedColor(own, color, at);
        return hex ? toColorForms(hex, color) : {};
      });
      return [
        column,
        {
          ...(hidden.length > 0 && { hiddenValues: hidden }),
          ...(condition && { condition: parseFilterCondition(condition, at) }),
          ...Object.assign({}, ...colors),
        },
      ];
    }),
  );
}

/** Condition types of validation rules that filters do not have. */
const NOT_IN_FILTERS: ReadonlySet<unknown> = new Set([
  'TEXT_IS_EMAIL',
  'TEXT_IS_URL',
  'DATE_IS_VALID',
  'ONE_OF_RANGE',
  'BOOLEAN',
]);

/** Parses the condition of a filter. Throws a `Problem` for a type that Google refuses in filters. */
function parseFilterCondition(condition: RequestObject, path: string): object {
  const { type } = condition;
  if (NOT_IN_FILTERS.has(type))
    throw createInvalidProblem(`ConditionType '${String(type)}' is not supported in filters.`);
  return parseBooleanCondition(condition, path);
}

/** The rank and order of each sorted column of a filter, by the column's index in the sheet. */
function parseColumnSorts(filter: RequestObject, path: string): ColumnSorts {
  const specs = readObjects(filter, 'sortSpecs', path) ?? [];
  return new Map(
    specs.map((spec, rank) => {
      const at = `${path}.sort_specs[${rank}]`;
      refuseUnknownMembers(spec, ['dimensionIndex', 'sortOrder'], at);
      const sortOrder = readChoice(spec, 'sortOrder', SORT_ORDERS, at, 'SortOrder') ?? 'ASCENDING';
      return [readInteger(spec, 'dimensionIndex', at) ?? 0, { rank, sortOrder }];
    }),
  );
}

/** Throws if a column is outside the filter's range. */
function buildFilterColumns(
  criteria: ColumnCriteria,
  sorts: ColumnSorts,
  { left, right }: Area,
): readonly FilterColumn[] {
  const columns = [...new Set([...criteria.keys(), ...sorts.keys()])].sort((a, b) => a - b);
  return columns.map((column) => {
    const isIn = Number.isInteger(column) && column >= left && column <= right;
    if (!isIn) throw createInvalidProblem(`The column ${column} is outside of the filter's range.`);
    const [own, sort] = [criteria.get(column), sorts.get(column)];
    return { column, ...(own && { criteria: own }), ...(sort && { sort }) };
  });
}

/** The edit that replaces the stored columns of the filter with this key. */
function storeColumns(
  { snapshot }: RequestBatch,
  sheet: WorkingSheet,
  key: string,
  area: Area,
  columns: readonly FilterColumn[],
): Edit {
  const attachments = columns.map(({ column, ...stored }) =>
    toRuleAttachment(key, [{ ...area, left: column, right: column }], stored),
  );
  return replaceRules(snapshot, sheet.id, KINDS.filterColumn, key, attachments);
}

/** A column with the equivalent condition of the document's filter; without one if no equivalent exists. */
function addEquivalentCondition(column: FilterColumn): FilterColumn {
  const condition = column.criteria === undefined ? null : toColumnCondition(column.criteria);
  if (condition === null) return column;
  const parsed = parseCondition(condition);
  if (parsed instanceof ConditionProblem) throw createInvalidProblem(parsed.message);
  return { ...column, condition: parsed };
}

/** Sets the filter of a sheet and replaces an existing one. */
export const setBasicFilter: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['filter'], path);
  const filter = readObject(members, 'filter', path);
  if (filter === undefined) throw createInvalidProblem('filter is required.');
  const at = `${path}.filter`;
  refuseUnknownMembers(filter, BASIC_FILTER, at);
  const { sheet, area } = parseObjectRange(batch, filter, at);
  batch.refuseProtectedArea(sheet, area);
  // The rows that a filter shows reveal their values.
  batch.refuseHiddenSheet(sheet);
  const sent = buildFilterColumns(parseColumnCriteria(filter, BASIC_CRITERIA, at), parseColumnSorts(filter, at), area);
  const columns = sent.map(addEquivalentCondition);
  const conditions = columns.flatMap(({ column, condition }) => (condition ? [{ column, condition }] : []));
  batch.addEdits({ kind: 'setFilter', sheet: sheet.id, filter: { area, columns: conditions } });
  batch.addEdits(storeColumns(batch, sheet, BASIC, area, columns));
  return {};
};

/** Removes the filter of a sheet. */
export const clearBasicFilter: RequestHandler = (batch, members, path) => {
  refuseUnknownMembers(members, ['sheetId'], path);
  const sheet = batch.requireSheet(members, path);
  batch.refuseProtectedSheet(sheet);
  batch.refuseHiddenSheet(sheet);
  batch.addEdits({ kind: 'setFilter', sheet: sheet.id, filter: null });
  batch.addEdits({
    kind: 'attach',
    sheet: sheet.id,
    attachment: KINDS.filterColumn,
    key: BASIC,
    within: null,
    attachments: [],
  });
  return {};
};

/** The filter view as Google's API answers it. */
function createViewAnswer(
  { sheetId }: WorkingSheet,
  value: RequestObject,
  area: Area,
  columns: readonly FilterColumn[],
): object {
  return { ...value, range: toGridRange(sheetId, area), ...toFilterMembers(columns) };
}

/** Adds a filter view to a sheet. */
export const addFilterView: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['filter'], path);
  const filter = readObject(members, 'filter', path);
  if (filter === undefined) throw createInvalidProblem('filter is required.');
  const at = `${path}.filter`;
  refuseUnknownMembers(filter, FILTER_VIEW, at);
  const { sheet, area } = parseObjectRange(batch, filter, at);
  batch.refuseProtectedArea(sheet, area);
  const id = yield* chooseObjectId(batch, KINDS.filterView, 'filter view', filter, 'filterViewId', at);
  const columns = buildFilterColumns(
    parseColumnCriteria(filter, VIEW_CRITERIA, at),
    parseColumnSorts(filter, at),
    area,
  );
  const value = { filterViewId: id, title: readText(filter, 'title', at) || 'Filter 1' };
  batch.addEdits(storeObject(sheet, KINDS.filterView, String(id), [area], value));
  batch.addEdits(storeColumns(batch, sheet, String(id), area, columns));
  return { addFilterView: { filter: createViewAnswer(sheet, value, area, columns) } };
};

/** Changes the members of a filter view that the mask names. */
export const updateFilterView: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['filter', 'fields'], path);
  const mask = parseFields(members, path);
  refuseUnknownFields(mask, ['title', 'range', 'sortSpecs', 'criteria', 'filterSpecs']);
  const filter = readObject(members, 'filter', path) ?? {};
  const at = `${path}.filter`;
  refuseUnknownMembers(filter, FILTER_VIEW, at);
  const id = readInteger(filter, 'filterViewId', at) ?? 0;
  const { sheet, stored } = yield* findObject(batch, KINDS.filterView, id, 'filter view');
  batch.refuseProtectedSheet(sheet);
  const takesRange = includesPath(mask, 'range') && filter['range'] != null;
  const [area] = takesRange ? [parseObjectRange(batch, filter, at).area] : stored.areas;
  if (area === undefined) throw new Error(`the filter view ${id} has no range`);
  const structure = yield* batch.readStructure();
  const columns = readFilterColumns(structure, structure.sheetById(sheet.id) as Sheet, String(id), area);
  const takesCriteria = includesPath(mask, 'criteria') || includesPath(mask, 'filterSpecs');
  const criteria = takesCriteria
    ? parseColumnCriteria(filter, VIEW_CRITERIA, at)
    : mapMembersByColumn(columns, 'criteria');
  const sorts = includesPath(mask, 'sortSpecs') ? parseColumnSorts(filter, at) : mapMembersByColumn(columns, 'sort');
  const title = includesPath(mask, 'title') ? (readText(filter, 'title', at) ?? '') : stored.value['title'];
  batch.addEdits(storeObject(sheet, KINDS.filterView, String(id), [area], { filterViewId: id, title }));
  batch.addEdits(storeColumns(batch, sheet, String(id), area, buildFilterColumns(criteria, sorts, area)));
  return {};
};

/** A member of stored columns, by column. Columns without the member are omitted. */
function mapMembersByColumn<K extends 'criteria' | 'sort'>(columns: readonly FilterColumn[], name: K) {
  type Held = NonNullable<FilterColumn[K]>;
  return new Map(columns.flatMap((one) => (one[name] === undefined ? [] : [[one.column, one[name] as Held] as const])));
}

/** Adds a copy of a filter view. */
export const duplicateFilterView: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['filterId'], path);
  const filterId = readInteger(members, 'filterId', path) ?? 0;
  const { sheet, stored } = yield* findObject(batch, KINDS.filterView, filterId, 'filter view');
  batch.refuseProtectedSheet(sheet);
  const [area] = stored.areas;
  if (area === undefined) throw new Error(`the filter view ${filterId} has no range`);
  const structure = yield* batch.readStructure();
  const columns = readFilterColumns(structure, structure.sheetById(sheet.id) as Sheet, String(filterId), area);
  const id = createObjectId(yield* readTakenIds(batch, KINDS.filterView));
  const value = { ...stored.value, filterViewId: id, title: `Copy of ${String(stored.value['title'] ?? '')}` };
  batch.addEdits(storeObject(sheet, KINDS.filterView, String(id), stored.areas, value));
  batch.addEdits(storeColumns(batch, sheet, String(id), area, columns));
  return { duplicateFilterView: { filter: createViewAnswer(sheet, value, area, columns) } };
};

/** Deletes a filter view. */
export const deleteFilterView: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['filterId'], path);
  const id = readInteger(members, 'filterId', path) ?? 0;
  const { sheet } = yield* findObject(batch, KINDS.filterView, id, 'filter view');
  batch.refuseProtectedSheet(sheet);
  for (const attachment of [KINDS.filterView, KINDS.filterColumn]) {
    batch.addEdits({ kind: 'attach', sheet: sheet.id, attachment, key: String(id), within: null, attachments: [] });
  }
  return {};
};
