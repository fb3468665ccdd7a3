import type { StructureText } from '../database/structure-text.ts';
import { parseStoredJson } from './stored-json.ts';

/** Changes of sheets and of cell positions: the name of the operation with its parameters. */
export type KnownOperation =
  | { readonly addSheet: { readonly name: string } }
  | { readonly renameSheet: { readonly sheet: string; readonly name: string } }
  | { readonly deleteSheet: { readonly sheet: string } }
  | { readonly hideSheet: { readonly sheet: string; readonly hidden: boolean } }
  /** Rows are numbered from 1, columns are letters, ranges contain sheet names. */
  | { readonly insertRows: { readonly sheet: string; readonly before: number; readonly count: number } }
  | { readonly deleteRows: { readonly sheet: string; readonly from: number; readonly count: number } }
  | { readonly insertColumns: { readonly sheet: string; readonly before: string; readonly count: number } }
  | { readonly deleteColumns: { readonly sheet: string; readonly from: string; readonly count: number } }
  | { readonly moveRows: LineMoveParameters<number> }
  | { readonly moveColumns: LineMoveParameters<string> }
  | { readonly insertCells: { readonly range: string; readonly shift: 'down' | 'right' } }
  | { readonly deleteCells: { readonly range: string; readonly shift: 'up' | 'left' } }
  | { readonly cut: { readonly from: string; readonly to: string } };

interface LineMoveParameters<Line> {
  readonly sheet: string;
  readonly from: Line;
  readonly count: number;
  readonly before: Line;
}

/** An operation of any kind, as the caller sent it. Its ranges contain sheet names. */
type RawOperation = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A change of the document's structure. */
export type StructureOperation = KnownOperation | RawOperation;

/** A stored operation. Readers must get it from `service/publishing.ts`, which removes hidden data. */
export interface StoredOperation {
  readonly operation: StructureOperation;
  /**
   * Ids of the sheets that the operation names or from which it takes cells; null if an older version stored the
   * operation.
   */
  readonly sheets: readonly number[] | null;
}

export function formatStructure(operations: readonly StoredOperation[]): StructureText {
  const list = operations.map(({ operation, sheets }) => (sheets === null ? operation : { ...operation, sheets }));
  return JSON.stringify(list) as StructureText;
}

export function parseStructure(text: StructureText | null): readonly StoredOperation[] {
  if (text === null) return [];
  const list = parseStoredJson<readonly StoredObject[]>(text, 'The operations of a commit', isObjectList);
  return list.map(({ sheets, ...operation }) => ({
    operation: operation as StructureOperation,
    sheets: Array.isArray(sheets) ? (sheets as number[]) : null,
  }));
}

type StoredObject = Readonly<Record<string, object>>;

/** True for an array of objects. */
function isObjectList(json: unknown): boolean {
  return Array.isArray(json) && json.every((entry) => typeof entry === 'object' && entry !== null);
}

const KNOWN_OPERATIONS: ReadonlySet<string> = new Set([
  'addSheet',
  'renameSheet',
  'deleteSheet',
  'hideSheet',
  'insertRows',
  'deleteRows',
  'insertColumns',
  'deleteColumns',
  'moveRows',
  'moveColumns',
  'insertCells',
  'deleteCells',
  'cut',
]);

/** True if this version knows the operation; a later version may have written another one. */
export function isKnownOperation(operation: StructureOperation): operation is KnownOperation {
  return Object.keys(operation).every((name) => KNOWN_OPERATIONS.has(name));
}
