export { parseXmlBoolean } from './archive/xml.ts';
export type { ChunkSink } from './cells/chunk-sink.ts';
export { COLUMN_TYPES, type CsvColumnType, type ImportedColumn, splitColumnList } from './csv/column-type.ts';
export { type CsvConventions, type CsvImport, type ReadCsvOptions, readCsv } from './csv/read.ts';
export { isTextEncoding } from './csv/text-decoder.ts';
export { type CsvBlock, type CsvColumn, type CsvFormat, type WriteCsvOptions, writeCsv } from './csv/write.ts';
export { DEFAULT_FILE_LIMITS, type FileLimits } from './limits/limits.ts';
export { describeForeignFile } from './outcome/foreign-format.ts';
export { formatLeftOutLabel, formatLeftOutText, LeftOut, type LeftOutItem } from './outcome/left-out.ts';
export { type FileRefusal, isRefusal } from './outcome/refusal.ts';
export { canFilesStoreCondition } from './xlsx/filter-xml.ts';
export { HYPERLINK } from './xlsx/hyperlinks.ts';
export { parseNoteText } from './xlsx/note-text.ts';
export { NOTE } from './xlsx/notes-handler.ts';
export type { PreservedPart } from './xlsx/parts/preserved-part.ts';
export { countExternalWorkbooks, readPreservedStyleSheet, readPreservedTheme } from './xlsx/preserved-data.ts';
export type { XlsxImport } from './xlsx/read.ts';
export {
  type ConditionalFormatElement,
  parseFormatElements,
  parseValidation,
} from './xlsx/rules/rule-elements.ts';
export {
  type DataBarScale,
  type IconScale,
  MAX_SCALE_BOUNDS,
  type RuleScale,
  type RuleStyles,
  type ScaleBound,
} from './xlsx/rules/rule-scales.ts';
export { formatAbsoluteAreas, formatRuleTest, formatValidationTest } from './xlsx/rules/rule-tests.ts';
export {
  type BandFill,
  createBandFill,
  type FormatRule,
  type InputRule,
  listFormatRules,
  readInputRule,
  readNoteText,
  SHOWN_RULES,
} from './xlsx/rules/shown-rules.ts';
export { listStoredFormulas, mapStoredFormulas } from './xlsx/rules/stored-formulas.ts';
export { createXlsxSheetNames } from './xlsx/sheet-names.ts';
export { readStandardWidth } from './xlsx/standard-width.ts';
export { formatStyle, PLAIN_STYLE, parseStyle, type StyleRecord } from './xlsx/styles/style-record.ts';
export { readFrozenPanes, type VisualStyle, VisualStyleReader } from './xlsx/styles/visual-style.ts';
