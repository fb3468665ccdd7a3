export type { Budget } from './calc/budget.ts';
export type { CellAreas, FirstAreas } from './calc/change-log.ts';
export { ITERATION_KEY, type Iteration } from './calc/iteration.ts';
export { applyDelta } from './codec/apply-delta.ts';
export { changedSince } from './codec/changed-since.ts';
export {
  type Checkpoint,
  CheckpointReader,
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
  namesColumns,
  sheetsOf,
} from './codec/inverse.ts';
export { encodeInverse } from './codec/inverse-writer.ts';
export { fitToReceiver, receiveChange } from './codec/receive-change.ts';
export { ChangeSender } from './codec/shared-change.ts';
export type { SharedChange } from './codec/shared-change-format.ts';
export { checkpointWithWriters, deltaWithWriters, inverseWithWriters, type WriterMap } from './codec/writers.ts';
export { grammarOf, nameKey, quoteSheetName, splitSheetPrefix } from './formula/index.ts';
export * from './grid/a1.ts';
export * from './grid/area.ts';
export * from './grid/limits.ts';
export { type MergedMoves, mergedMoves } from './grid/merge-moves.ts';
export {
  type Axis,
  type Block,
  isWithin,
  type Move,
  movedBlocks,
  movedCell,
  movedReference,
  type Piece,
  piecesOf,
  reverseMove,
  type Span,
  sheetsOf as sheetsOfMove,
  targetOf,
} from './grid/move.ts';
export {
  cellBefore,
  type Rearrangement,
  type RowOrder,
  rearrangedArea,
  rearrangedCell,
  reverseRearrangement,
} from './grid/row-order.ts';
export { withoutSpans } from './grid/spans.ts';
export type { DateSystem } from './locale/date-system.ts';
export {
  dateFromText,
  formatClass,
  isDateFormat,
  isFormat,
  LOCALE_IDS,
  type Locale,
  type LocaleId,
  localeOf,
  numberFromText,
  partsOf,
  recognise,
  recogniseAs,
  recogniseDate,
  serialOf,
} from './locale/index.ts';
export { digestFormulas, digestValues } from './page/block-digest.ts';
export { type CellView, cellView } from './page/cell-view.ts';
export { type NameView, nameViews } from './page/name-view.ts';
export { type BoundedPage, boundedPage, type Major, pageBytes, pageInSteps } from './page/page-bytes.ts';
export { type PageParts, pagePartsInSteps } from './page/page-parts.ts';
export { type Render, renderedCell, renderedInSteps } from './page/rendered-page.ts';
export * from './records/index.ts';
export { attachmentOrigin, FILTER, FILTER_COLUMN, FILTERED } from './sheet/attachment.ts';
export { CHUNK_ROWS } from './sheet/chunk.ts';
export { countFilledCells, type FilledCell, filledRowsOf, heldCells } from './sheet/filled-blocks.ts';
export {
  asksOfFile,
  type ColumnCondition,
  FILTER_OPS,
  type FilterOp,
  type FilterOperand,
  type FilterTest,
  filterAttachments,
  filterOf,
  movedFilter,
  type SheetFilter,
} from './sheet/filter.ts';
export { type Band, type Layout, PLAIN_LAYOUT } from './sheet/layout.ts';
export { memoryOf, memorySteps, runsOf } from './sheet/memory.ts';
export { type PlainColumn, PlainColumnBuilder, type PlainValue, plainNumbers } from './sheet/plain-column.ts';
export { SharedMemory } from './sheet/shared-memory.ts';
export { type DocumentSettings, type Extent, Sheet, Snapshot, sheetNamed, type Table } from './sheet/snapshot.ts';
export { MAX_SHEETS, structureSize } from './sheet/structure-size.ts';
export * from './value/errors.ts';
export { jsonNumberText, jsonText } from './value/json-text.ts';
export { isError, type Scalar } from './value/scalar.ts';
export { TextMap } from './value/text-map.ts';
export { attachmentFormulas, canonicalFormula } from './workbook/attachments.ts';
export { countUncalculable } from './workbook/cached-results.ts';
export type * from './workbook/data.ts';
export { countForeignFunctions, countLostLinks, type ExportOptions, exportData } from './workbook/export.ts';
export {
  type FollowedBlock,
  type FollowedPiece,
  followBlock,
  followEdits,
  type LaterChanges,
  sheetsNamedBy,
} from './workbook/follow-edits.ts';
export { type FollowedMoves, followedInverse } from './workbook/follow-moves.ts';
export { FIRST_SHEET_ID } from './workbook/import.ts';
export { movedFormulaText } from './workbook/moved-text.ts';
export { nameProblem, refersToProblem, sheetsReadBy } from './workbook/names.ts';
export { type GiveChunk, PackedCells, PackedLooks } from './workbook/packed-cells.ts';
export { PastStateCheck, recalculatePastState } from './workbook/past-state.ts';
export { type ContentTarget, type FormattedArea, type SheetContent, sheetContent } from './workbook/sheet-content.ts';
export { sheetNameProblem } from './workbook/sheet-names.ts';
export type * from './workbook/types.ts';
export { type AppliedBatch, type ChangeSet, Workbook } from './workbook/workbook.ts';
