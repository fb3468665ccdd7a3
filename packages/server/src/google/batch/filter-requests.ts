import type { Area, Edit } from '@cellwire/engine';
import { MAX_FILTER_COLUMNS } from '../../limits/display.ts';
import { ConditionProblem, parseCondition } from '../../service/structure/filter-condition.ts';
import { names } from '../field-mask.ts';
import { type ColorNames, colorForms, namedColor } from '../format/color.ts';
import { choice, integer, isMembers, list, object, objects, type RequestObject, refuseUnknown, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { conditionOf } from '../sheets/filter-conditions.ts';
import { gridRangeAnswer } from '../sheets/filters.ts';
import { replaceRules, ruleAttachment } from '../sheets/rules.ts';
import { KINDS, newObjectId } from '../sheets/state.ts';
import { BASIC, type FilterColumn, filterColumns, filterMembers } from '../sheets/stored-filters.ts';
import { storedCondition } from '../sheets/validation.ts';
import { fieldsOf, refuseUnknownFields } from './request-fields.ts';
import type { RequestBatch, RequestHandler, WorkingSheet } from './state.ts';
import { chosenId, findObject, rangeOfObject, storeObject } from './stored-object-edits.ts';

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

/** A filter's criteria by column. `known`: the supported members of criteria. */
function criteriaOf(sent: RequestObject, members: readonly string[], place: string): ColumnCriteria {
  const criteria = object(sent, 'criteria', place);
  const specs = objects(sent, 'filterSpecs', place) ?? [];
  const read = criteria
    ? Object.entries(criteria).map(([column, one]) => [Number(column), one] as const)
    : specs.map((spec, i) => {
        refuseUnknown(spec, ['columnIndex', 'filterCriteria'], `${place}.filter_specs[${i}]`);
        return [integer(spec, 'columnIndex', place) ?? 0, spec['filterCriteria']] as const;
      });
  if (read.length > MAX_FILTER_COLUMNS) throw invalid(`A filter can have criteria for ${MAX_FILTER_COLUMNS} columns.`);
  return new Map(
    read.map(([column, one]) => {
      const at = `${place}.criteria[${column}]`;
      const own = isMembers(one) ? one : {};
      refuseUnknown(own, members, at);
      const hidden = list(own, 'hiddenValues', at)?.map(String) ?? [];
      const condition = object(own, 'condition', at);
      const colors = VISIBLE_COLORS.map((color) => {
        const hex = namedColor(own, color, at);
        return hex ? colorForms(hex, color) : {};
      });
      return [
        column,
        {
          ...(hidden.length > 0 && { hiddenValues: hidden }),
          ...(condition && { condition: storedCondition(condition, at) }),
          ...Object.assign({}, ...colors),
        },
      ];
    }),
  );
}

function sortsOf(sent: RequestObject, place: string): ColumnSorts {
  const specs = objects(sent, 'sortSpecs', place) ?? [];
  return new Map(
    specs.map((spec, rank) => {
      const at = `${place}.sort_specs[${rank}]`;
      refuseUnknown(spec, ['dimensionIndex', 'sortOrder'], at);
      const sortOrder = choice(spec, 'sortOrder', SORT_ORDERS, at) ?? 'ASCENDING';
      return [integer(spec, 'dimensionIndex', at) ?? 0, { rank, sortOrder }];
    }),
  );
}

/** Throws if a column is outside the filter's range. */
function columnsOf(criteria: ColumnCriteria, sorts: ColumnSorts, { left, right }: Area): readonly FilterColumn[] {
  const columns = [...new Set([...criteria.keys(), ...sorts.keys()])].sort((a, b) => a - b);
  return columns.map((column) => {
    const isIn = Number.isInteger(column) && column >= left && column <= right;
    if (!isIn) throw invalid(`The column ${column} is outside of the filter's range.`);
    const [own, sort] = [criteria.get(column), sorts.get(column)];
    return { column, ...(own && { criteria: own }), ...(sort && { sort }) };
  });
}

function storeColumns(
  { snapshot }: RequestBatch,
  sheet: WorkingSheet,
  key: string,
  area: Area,
  columns: readonly FilterColumn[],
): Edit {
  const attachments = columns.map(({ column, ...stored }) =>
    ruleAttachment(key, [{ ...area, left: column, right: column }], stored),
  );
  return replaceRules(snapshot, sheet.id, KINDS.filterColumn, key, attachments);
}

/** A column with the equivalent condition of the document's filter; without one if no equivalent exists. */
function withCondition(column: FilterColumn): FilterColumn {
  const condition = column.criteria === undefined ? null : conditionOf(column.criteria);
  if (condition === null) return column;
  const parsed = parseCondition(condition);
  if (parsed instanceof ConditionProblem) throw invalid(parsed.message);
  return { ...column, condition: parsed };
}

export const setBasicFilter: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['filter'], place);
  const filter = object(members, 'filter', place);
  if (filter === undefined) throw invalid('filter is required.');
  const at = `${place}.filter`;
  refuseUnknown(filter, BASIC_FILTER, at);
  const { sheet, area } = rangeOfObject(batch, filter, at);
  batch.guard(sheet, area);
  // The rows that a filter shows reveal their values.
  batch.refuseHidden(sheet);
  const sent = columnsOf(criteriaOf(filter, BASIC_CRITERIA, at), sortsOf(filter, at), area);
  const columns = sent.map(withCondition);
  const conditions = columns.flatMap(({ column, condition }) => (condition ? [{ column, condition }] : []));
  batch.add({ kind: 'setFilter', sheet: sheet.id, filter: { area, columns: conditions } });
  batch.add(storeColumns(batch, sheet, BASIC, area, columns));
  return {};
};

export const clearBasicFilter: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['sheetId'], place);
  const sheet = batch.sheet(members, place);
  batch.guardSheet(sheet);
  batch.refuseHidden(sheet);
  batch.add({ kind: 'setFilter', sheet: sheet.id, filter: null });
  batch.add({
    kind: 'attach',
    sheet: sheet.id,
    attachment: KINDS.filterColumn,
    key: BASIC,
    within: null,
    attachments: [],
  });
  return {};
};

function viewAnswer(
  { sheetId }: WorkingSheet,
  value: RequestObject,
  area: Area,
  columns: readonly FilterColumn[],
): object {
  return { ...value, range: gridRangeAnswer(sheetId, area), ...filterMembers(columns) };
}

export const addFilterView: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['filter'], place);
  const filter = object(members, 'filter', place);
  if (filter === undefined) throw invalid('filter is required.');
  const at = `${place}.filter`;
  refuseUnknown(filter, FILTER_VIEW, at);
  const { sheet, area } = rangeOfObject(batch, filter, at);
  batch.guard(sheet, area);
  const id = chosenId(filter, 'filterViewId', at);
  const columns = columnsOf(criteriaOf(filter, VIEW_CRITERIA, at), sortsOf(filter, at), area);
  const value = { filterViewId: id, title: text(filter, 'title', at) || 'Filter 1' };
  batch.add(storeObject(sheet, KINDS.filterView, String(id), [area], value));
  batch.add(storeColumns(batch, sheet, String(id), area, columns));
  return { addFilterView: { filter: viewAnswer(sheet, value, area, columns) } };
};

export const updateFilterView: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['filter', 'fields'], place);
  const mask = fieldsOf(members, place);
  refuseUnknownFields(mask, ['title', 'range', 'sortSpecs', 'criteria', 'filterSpecs']);
  const filter = object(members, 'filter', place) ?? {};
  const at = `${place}.filter`;
  refuseUnknown(filter, FILTER_VIEW, at);
  const id = integer(filter, 'filterViewId', at) ?? 0;
  const { sheet, stored } = findObject(batch, KINDS.filterView, id, 'filter view');
  batch.guardSheet(sheet);
  const takesRange = names(mask, 'range') && filter['range'] != null;
  const [area] = takesRange ? [rangeOfObject(batch, filter, at).area] : stored.areas;
  if (area === undefined) throw new Error(`the filter view ${id} has no range`);
  const columns = filterColumns(batch.currentState(), batch.cells(sheet), String(id), area);
  const takesCriteria = names(mask, 'criteria') || names(mask, 'filterSpecs');
  const criteria = takesCriteria ? criteriaOf(filter, VIEW_CRITERIA, at) : membersByColumn(columns, 'criteria');
  const sorts = names(mask, 'sortSpecs') ? sortsOf(filter, at) : membersByColumn(columns, 'sort');
  const title = names(mask, 'title') ? (text(filter, 'title', at) ?? '') : stored.value['title'];
  batch.add(storeObject(sheet, KINDS.filterView, String(id), [area], { filterViewId: id, title }));
  batch.add(storeColumns(batch, sheet, String(id), area, columnsOf(criteria, sorts, area)));
  return {};
};

/** A member of stored columns, by column. Columns without the member are omitted. */
function membersByColumn<K extends 'criteria' | 'sort'>(columns: readonly FilterColumn[], name: K) {
  type Held = NonNullable<FilterColumn[K]>;
  return new Map(columns.flatMap((one) => (one[name] === undefined ? [] : [[one.column, one[name] as Held] as const])));
}

export const duplicateFilterView: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['filterId'], place);
  const filterId = integer(members, 'filterId', place) ?? 0;
  const { sheet, stored } = findObject(batch, KINDS.filterView, filterId, 'filter view');
  batch.guardSheet(sheet);
  const [area] = stored.areas;
  if (area === undefined) throw new Error(`the filter view ${filterId} has no range`);
  const columns = filterColumns(batch.currentState(), batch.cells(sheet), String(filterId), area);
  const id = newObjectId();
  const value = { ...stored.value, filterViewId: id, title: `Copy of ${String(stored.value['title'] ?? '')}` };
  batch.add(storeObject(sheet, KINDS.filterView, String(id), stored.areas, value));
  batch.add(storeColumns(batch, sheet, String(id), area, columns));
  return { duplicateFilterView: { filter: viewAnswer(sheet, value, area, columns) } };
};

export const deleteFilterView: RequestHandler = (batch, members, place) => {
  refuseUnknown(members, ['filterId'], place);
  const id = integer(members, 'filterId', place) ?? 0;
  const { sheet } = findObject(batch, KINDS.filterView, id, 'filter view');
  batch.guardSheet(sheet);
  for (const attachment of [KINDS.filterView, KINDS.filterColumn]) {
    batch.add({ kind: 'attach', sheet: sheet.id, attachment, key: String(id), within: null, attachments: [] });
  }
  return {};
};
