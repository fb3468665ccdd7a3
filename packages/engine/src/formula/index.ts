export { removeSheetFromReferences, replaceSheet, resolveSheets } from './change-sheets.ts';
export { FILE, type Grammar, getGrammar, WIRE } from './grammar.ts';
export {
  type FormulaPosition,
  findMovableReferences,
  type MovableReference,
  moveReference,
  moveReferences,
  NAME_PLACE,
  replaceReferences,
} from './move-references.ts';
export { nameKey } from './name-key.ts';
export { isNestedDeeper, MAX_COMPILED_NESTING, MAX_NESTING } from './nesting.ts';
export { createAreaNode, createCellNode, createCoordinate, REF_ERROR } from './nodes.ts';
export { parse } from './parse.ts';
export { print, printByRow } from './print.ts';
export type { FileNames } from './printer.ts';
export { parseR1C1 } from './r1c1.ts';
export { findCellsWithinGrid, replaceOutsideReferences } from './reference-bounds.ts';
export { unwrapReferences, wrapReferences } from './relative-names.ts';
export { renameColumns, renameColumnsInTables, renameTables } from './rename-tables.ts';
export type { FormulaCell, ParseNames } from './scan.ts';
export { quoteSheetName, splitSheetPrefix } from './sheet-name.ts';
export { matchesSkeleton, parseSkeleton, parseWithSkeleton, type Skeleton } from './skeleton.ts';
export { createTemplateKey } from './template.ts';
export { collectReferences, hasMatchingNode, transformScoped, transformTree, walkTree } from './walk.ts';
