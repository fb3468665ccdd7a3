import type { SheetPart } from '../formula/ast.ts';
import type { Sheet } from '../sheet/snapshot.ts';

/** Tells which sheets exist in one revision. */
export interface SheetScope {
  readonly sheets: readonly Sheet[];
  hasSheet(id: number): boolean;
}

/** The id of the one sheet of a sheet part; undefined for any other part. */
export function findPartSheet(part: SheetPart | undefined): number | undefined {
  return part && 'id' in part ? part.id : undefined;
}

/** Returns the sheets of a sheet part; an empty list if they do not exist. */
export function resolveSheetPart(part: SheetPart | undefined, ownSheet: number, scope: SheetScope): readonly number[] {
  if (!part) return [ownSheet];
  if ('missing' in part || 'external' in part) return [];
  if ('id' in part) return scope.hasSheet(part.id) ? [part.id] : [];
  const { sheets } = scope;
  const from = sheets.findIndex((sheet) => sheet.id === part.from);
  const to = sheets.findIndex((sheet) => sheet.id === part.to);
  if (from < 0 || to < 0) return [];
  return sheets.slice(Math.min(from, to), Math.max(from, to) + 1).map((sheet) => sheet.id);
}
