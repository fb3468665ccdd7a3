export { type AppendPlace, appendPlace } from './append-place.ts';
export {
  type AreaStatistics,
  areaStatistics,
  distinctCount,
  type NumberStatistics,
  shownStatistic,
} from './area-statistics.ts';
export type { Cell } from './block-reader.ts';
export {
  booleanOf,
  ColumnReader,
  type ColumnTypes,
  type FieldValue,
  jsonNumber,
  kindOfType,
  RECORD_TYPES,
  type RecordType,
} from './cell-values.ts';
export {
  type CellType,
  type ColumnContents,
  type ColumnType,
  contentsSteps,
  mainType,
  typeOf,
} from './column-type.ts';
export { compareFilled } from './compare-filled.ts';
export type {
  Comparison,
  Filter,
  Literal,
  Order,
  Test,
} from './conditions.ts';
export {
  convertSerial,
  isoDate,
  isoText,
  type Moment,
  type MomentKind,
  momentKindOf,
  momentOfText,
  momentText,
  nearestMoment,
  timeMoment,
  timeText,
} from './dates.ts';
export type { Aggregation } from './figures.ts';
export {
  type FilteredRows,
  filteredRows,
  type ShownValue,
  shownText,
  shownValues,
} from './filtered-rows.ts';
export { type Group, type GroupQuery, groupRows, type Measure } from './groups.ts';
export { type KeyColumns, type KeyList, type KeyValue, keyText, partRules, rowsOfKeys } from './key-lookup.ts';
export { type NamedPlace, namedPlace } from './named-place.ts';
export { type RecordChange, recordChanges } from './record-changes.ts';
export { DocumentIndexes, RecordIndexes } from './record-indexes.ts';
export {
  columnKey,
  columnOf,
  type DuplicateColumn,
  isSameHeader,
  type RecordColumn,
  type Region,
  readRegion,
  regionSteps,
} from './region.ts';
export { type FormulaProblem, isConstantFormula, rowFormula } from './row-formula.ts';
export { RowSearch, type RowTruths } from './row-search.ts';
export { type RecordSort, sortRows, stableOrder } from './sort-rows.ts';
export { sortedPage } from './sorted-page.ts';
export type { TextPart } from './text-part.ts';
