export { removeSheetFromReferences, replaceSheet, resolveSheets } from './change-sheets.ts';
export { FILE, type Grammar, grammarOf, WIRE } from './grammar.ts';
export {
  type FormulaPosition,
  type MovableReference,
  movableReferences,
  moveReference,
  moveReferences,
  NAME_PLACE,
  replaceReferences,
} from './move-references.ts';
export { nameKey } from './name-key.ts';
export { MAX_COMPILED_NESTING, MAX_NESTING, nestsDeeper } from './nesting.ts';
export { areaNode, cellNode, coordinate, REF_ERROR } from './nodes.ts';
export { parse } from './parse.ts';
export { print, printByRow } from './print.ts';
export type { FileNames } from './printer.ts';
export { parseR1C1 } from './r1c1.ts';
export { cellsWithinGrid, replaceOutsideReferences } from './reference-bounds.ts';
export { unwrapReferences, wrapReferences } from './relative-names.ts';
export { renameColumns, renameColumnsOf, renameTables } from './rename-tables.ts';
export type { FormulaCell, ParseNames } from './scan.ts';
export { quoteSheetName, splitSheetPrefix } from './sheet-name.ts';
export { matchesSkeleton, parseWithSkeleton, type Skeleton, skeletonOf } from './skeleton.ts';
export { templateKey } from './template.ts';
export { collectReferences, someNode, transform, transformScoped, walk } from './walk.ts';
