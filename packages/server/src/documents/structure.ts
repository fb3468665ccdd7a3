import { decodeOutline, type Edit, sheetsOfMove } from '@cellwire/engine';
import {
  formatStructure,
  type StoredOperation,
  type StructureOperation,
  type StructureText,
} from '@cellwire/store/stored-forms';
import { formatMoveOperation } from './move-operations.ts';
import type { SheetEntry } from './sheet-entry.ts';
import type { BatchResult } from './types.ts';

type ChangedSheets = Pick<BatchResult, 'outcomes' | 'before' | 'after'>;

/** Describes the edits' changes of sheets themselves, in the form of the log. Null if there are none. */
export function describeStructure(edits: readonly Edit[], sheets: ChangedSheets): StructureText | null {
  if (edits.every(isCellEdit)) return null;
  const operations = edits.flatMap((edit, i) =>
    edit.kind === 'takeBack' || edit.kind === 'restore'
      ? [...describeUndoneMoves(edit, sheets), ...describeSheetChanges(sheets)]
      : (describeEdit(edit, sheets.outcomes[i]?.sheet ?? -1, sheets) ?? []),
  );
  return operations.length === 0 ? null : formatStructure(operations);
}

/** Whether an edit only enters or clears cells, as in most commits. */
function isCellEdit({ kind }: Edit): boolean {
  return kind === 'setValues' || kind === 'putColumns' || kind === 'append' || kind === 'clear';
}

/** The operation of the API that describes an edit of the structure, for the log; null for all other edits. */
function describeEdit(edit: Edit, sheet: number, { before, after }: ChangedSheets): StoredOperation | null {
  switch (edit.kind) {
    case 'addSheet':
      return toStoredOperation({ addSheet: { name: findSheetName(after, sheet) } }, sheet);
    case 'renameSheet':
      return toStoredOperation(
        { renameSheet: { sheet: findSheetName(before, edit.sheet), name: findSheetName(after, edit.sheet) } },
        edit.sheet,
      );
    case 'deleteSheet':
      return toStoredOperation({ deleteSheet: { sheet: findSheetName(before, edit.sheet) } }, edit.sheet);
    case 'hideSheet':
      return toStoredOperation(
        { hideSheet: { sheet: findSheetName(before, edit.sheet), hidden: edit.hidden } },
        edit.sheet,
      );
    case 'moveCells':
      return formatMoveOperation(edit.move, (id) => findSheetName(before, id));
    default:
      return null;
  }
}

/** The moves at the start of the undo of a batch. */
function describeUndoneMoves(
  undoEdit: Extract<Edit, { kind: 'takeBack' | 'restore' }>,
  { before, after }: ChangedSheets,
): readonly StoredOperation[] {
  if (undoEdit.kind === 'restore') return [];
  const { moves = [] } = decodeOutline(undoEdit.inverse).head;
  // Includes restored sheets, and sheets that existed only within the batch, which have no known name.
  const names = new Map([...after, ...before].map(({ id, name }) => [id, name]));
  const namedMoves = moves.filter((move) => [...sheetsOfMove(move)].every((id) => names.has(id)));
  return namedMoves.map((move) => formatMoveOperation(move, (sheet) => names.get(sheet) ?? ''));
}

/** Derives the changes of sheets from their states before and after. */
function describeSheetChanges({ before, after }: ChangedSheets): readonly StoredOperation[] {
  const deletedSheets = before.filter(({ id }) => after.every((sheet) => sheet.id !== id));
  return [
    ...deletedSheets.map(({ id, name }) => toStoredOperation({ deleteSheet: { sheet: name } }, id)),
    ...after.flatMap(({ id, name, hidden }): readonly StoredOperation[] => {
      const old = before.find((sheet) => sheet.id === id);
      if (old === undefined) return [toStoredOperation({ addSheet: { name } }, id)];
      return [
        ...(old.name === name ? [] : [toStoredOperation({ renameSheet: { sheet: old.name, name } }, id)]),
        ...(old.hidden === hidden ? [] : [toStoredOperation({ hideSheet: { sheet: old.name, hidden } }, id)]),
      ];
    }),
  ];
}

/** An operation with the ids of the sheets that it names. */
function toStoredOperation(operation: StructureOperation, ...sheets: readonly number[]): StoredOperation {
  return { operation, sheets };
}

function findSheetName(sheets: readonly SheetEntry[], id: number): string {
  return sheets.find((sheet) => sheet.id === id)?.name ?? '';
}
