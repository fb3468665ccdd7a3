export type { Budget } from './calc/budget.ts';
export type { CellAreas, FirstAreas } from './calc/change-log.ts';
export { ITERATION_KEY, type Iteration } from './calc/iteration.ts';
export { applyDelta } from './codec/apply-delta.ts';
export { changedSince } from './codec/changed-since.ts';
export {
  type Checkpoint,
  CheckpointReader,
  type ChunkPosition,
  type ChunkShelf,
  drainCheckpoint,
  encodeCheckpoint,
  type KnownFormats,
  readCheckpoint,
  restoreCheckpoint,
  type StoredChunk,
} from './codec/checkpoint.ts';
export { encodeDelta } from './codec/delta.ts';
export {
  decodeInverse,
  decodeOutline,
  definedEntries,
  type Inverse,
  type InverseOutline,
  listChangedSheets,
  namesColumns,
} from './codec/inverse.ts';
export { encodeInverse } from './codec/inverse-writer.ts';
export { fitToReceiver, receiveChange } from './codec/receive-change.ts';
export { ChangeSender } from './codec/shared-change.ts';
export type { SharedChange } from './codec/shared-change-format.ts';
export type { StoredColumnSource } from './codec/stored-column.ts';
export { checkpointWithWriters, deltaWithWriters, inverseWithWriters, type WriterMap } from './codec/writers.ts';
export { getGrammar, nameKey, quoteSheetName, splitSheetPrefix } from './formula/index.ts';
export { createRegexReplacer } from './functions/text/regex-replacer.ts';
export * from './grid/a1.ts';
export * from './grid/area.ts';
export * from './grid/limits.ts';
export { type MergedMoves, mergeMoves } from './grid/merge-moves.ts';
export {
  type Axis,
  type Block,
  createLinesArea,
  getMovePieces,
  getPieceTarget,
  isWithin,
  listMoveSheets as sheetsOfMove,
  type Move,
  moveBlocks,
  moveCell,
  type Piece,
  reverseMove,
  type Span,
  shiftReference,
} from './grid/move.ts';
export { followRestoredLines } from './grid/restored-lines.ts';
export {
  findCellBefore,
  type Rearrangement,
  type RowOrder,
  rearrangeArea,
  rearrangeCell,
  reverseRearrangement,
} from './grid/row-order.ts';
export { subtractSpans } from './grid/spans.ts';
export type { DateSystem } from './locale/date-system.ts';
export {
  formatClass,
  getLocale,
  isDateFormat,
  isFormat,
  LOCALE_IDS,
  type Locale,
  type LocaleId,
  parseDateText,
  parseNumberText,
  recognise,
  recogniseAs,
  recogniseDate,
  splitSerial,
  toDateSerial,
  toValidSerial,
} from './locale/index.ts';
export { digestFormulas, digestValues } from './page/block-digest.ts';
export { type CellView, cellView } from './page/cell-view.ts';
export { JsonWriter } from './page/json-writer.ts';
export { type NameView, nameViews, nameViewsAfterMoves } from './page/name-view.ts';
export { type BoundedPage, boundedPage, type Major, pageBytes, pageInSteps } from './page/page-bytes.ts';
export { type PageParts, pagePartsInSteps } from './page/page-parts.ts';
export { RecordJsonWriter } from './page/record-writer.ts';
export { type Render, renderCell, renderPageInSteps } from './page/rendered-page.ts';
export { DIGITS_ROOM, ShortNumber } from './page/short-number.ts';
export { smallPageText } from './page/small-page.ts';
export * from './records/index.ts';
export { attachmentOrigin, FILTER, FILTER_COLUMN, FILTERED } from './sheet/attachment.ts';
export { CHUNK_ROWS } from './sheet/chunk.ts';
export {
  type BlockColumn,
  countCellCapacity,
  countFilledCells,
  type FilledCell,
  iterateFilledBlocks,
  iterateFilledRows,
  readBlockColumns,
} from './sheet/filled-blocks.ts';
export { findLastFilledRow, findRunEnd, findRunStart } from './sheet/filled-runs.ts';
export {
  type ColumnCondition,
  FILTER_OPS,
  type FilterOp,
  type FilterOperand,
  type FilterTest,
  filterAttachments,
  filtersByFile,
  findFilter,
  moveFilter,
  type SheetFilter,
} from './sheet/filter.ts';
export { type Band, type Layout, PLAIN_LAYOUT } from './sheet/layout.ts';
export { countRuns, measureMemory, measureMemoryInSteps } from './sheet/memory.ts';
export { type PlainColumn, PlainColumnBuilder, type PlainValue, plainNumbers } from './sheet/plain-column.ts';
export { SharedMemory } from './sheet/shared-memory.ts';
export { type DocumentSettings, type Extent, findSheetByName, Sheet, Snapshot, type Table } from './sheet/snapshot.ts';
export { removeCells } from './sheet/structure-only.ts';
export { MAX_SHEETS, measureStructure } from './sheet/structure-size.ts';
export * from './value/errors.ts';
export { growArray } from './value/grow-array.ts';
export { jsonNumberText, jsonText } from './value/json-text.ts';
export { isError, type Scalar } from './value/scalar.ts';
export { TextMap } from './value/text-map.ts';
export { attachmentFormulas, canonicalFormula } from './workbook/attachments.ts';
export { countForeignFunctions, countLostLinks, type ExportOptions, exportData } from './workbook/export.ts';
export { type FollowedBlock, type FollowedPiece, followBlock } from './workbook/follow/follow-block.ts';
export { followEdits, type LaterChanges, listNamedSheets } from './workbook/follow/follow-edits.ts';
export { type FollowedMoves, followInverse } from './workbook/follow/follow-moves.ts';
export { countUncalculable } from './workbook/formulas/cached-results.ts';
export { FIRST_SHEET_ID } from './workbook/import.ts';
export { moveFormulaText } from './workbook/moved-text.ts';
export { listReadSheets, nameProblem, refersToProblem } from './workbook/names.ts';
export { type GiveChunk, PackedCells, PackedFormats } from './workbook/packed-cells.ts';
export { PastStateCheck, recalculatePastState } from './workbook/past-state.ts';
export {
  type ContentTarget,
  type FormattedArea,
  readSheetContent,
  type SheetContent,
} from './workbook/sheet-content.ts';
export { sheetNameProblem } from './workbook/sheet-names.ts';
export type * from './workbook/types.ts';
export { type AppliedBatch, type ChangeSet, Workbook } from './workbook/workbook.ts';
export type * from './workbook/workbook-data.ts';
