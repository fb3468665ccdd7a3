export { type AppendPlace, appendPlace } from './append-place.ts';
export {
  type AreaStatistics,
  areaStatistics,
  countDistinct,
  formatStatistic,
  type NumberStatistics,
} from './area-statistics.ts';
export type { RecordCell } from './block-reader.ts';
export {
  ColumnReader,
  type ColumnTypes,
  type FieldValue,
  parseBoolean,
  parseJsonNumber,
  RECORD_TYPES,
  type RecordType,
  toMomentKind,
} from './cell-values.ts';
export {
  type CellType,
  type ColumnContents,
  type ColumnType,
  countContentsInSteps,
  findMainType,
  toColumnType,
} from './column-type.ts';
export { compareFilled } from './compare-filled.ts';
export type {
  Comparison,
  ConditionLiteral,
  ConditionTest,
  OrderOperator,
  RecordFilter,
} from './conditions.ts';
export {
  convertSerial,
  detectMomentKind,
  formatIsoDate,
  formatMomentText,
  formatTime,
  type Moment,
  type MomentKind,
  parseIsoDate,
  parseMoment,
  parseTime,
  roundToMoment,
} from './dates.ts';
export {
  type DisplayedValue,
  displayedText,
  type FilteredRows,
  filterRows,
  listDisplayedValues,
} from './filtered-rows.ts';
export type { Aggregation } from './groups/aggregators.ts';
export { listGroupSortValues } from './groups/group-values.ts';
export { type GroupQuery, groupMatches, groupRows, type Measure, type RecordGroup } from './groups/groups.ts';
export { KeyList } from './key-list.ts';
export { findKeyRows, KeyRows } from './key-lookup.ts';
export type { KeyColumns, KeyValue } from './key-text.ts';
export { findNamedArea, type NamedArea } from './named-area.ts';
export type { RowTruths } from './prepared-filter.ts';
export { type RecordChange, recordChanges } from './record-changes.ts';
export { DocumentIndexes, RecordIndexes } from './record-indexes.ts';
export {
  columnKey,
  type DuplicateColumn,
  findColumn,
  isSameHeader,
  type RecordColumn,
  type Region,
  readRegion,
  readRegionInSteps,
} from './region.ts';
export { type FormulaProblem, isConstantFormula, parseRowFormula } from './row-formula.ts';
export { RowSearch } from './row-search.ts';
export { computeValueOrder, type RecordSort, sortRows } from './sort-rows.ts';
export { readSortedPage } from './sorted-page.ts';
export type { TextPart } from './text-part.ts';
