export { leaveSheet, resolveSheets, toOtherSheet } from './change-sheets.ts';
export { FILE, type Grammar, grammarOf, WIRE } from './grammar.ts';
export {
  type FormulaPlace,
  type MovableReference,
  movableReferences,
  moveReference,
  moveReferences,
  NAME_PLACE,
  withReferences,
} from './move-references.ts';
export { nameKey } from './name-key.ts';
export { MAX_COMPILED_NESTING, MAX_NESTING, nestsDeeper } from './nesting.ts';
export { areaNode, cellNode, coordinate, REF_ERROR } from './nodes.ts';
export { parse } from './parse.ts';
export { print, printByRow, type RowText } from './print.ts';
export type { FileNames, PrintNames, PrintOptions } from './printer.ts';
export { parseR1C1 } from './r1c1.ts';
export { placesWithin, withinGrid } from './reference-bounds.ts';
export { unwrapped, wrapped } from './relative-names.ts';
export { renameColumns, renameColumnsOf, renameTables } from './rename-tables.ts';
export type { ParseNames, Place } from './scan.ts';
export { quoteSheetName, type SheetPrefix, splitSheetPrefix } from './sheet-name.ts';
export { matchesSkeleton, parseWithSkeleton, type Skeleton, skeletonOf } from './skeleton.ts';
export { templateKey } from './template.ts';
export { children, type ReferenceNode, references, some, transform, walk } from './walk.ts';
