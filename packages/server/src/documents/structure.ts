import { decodeOutline, type Edit, sheetsOfMove } from '@cellwire/engine';
import {
  formatStructure,
  type StoredOperation,
  type StructureOperation,
  type StructureText,
} from '@cellwire/store/stored-forms';
import { moveOperation } from './move-operations.ts';
import type { SheetEntry } from './sheet-entry.ts';
import type { Done } from './types.ts';

type ChangedSheets = Pick<Done, 'outcomes' | 'before' | 'after'>;

/** What edits did to sheets as such, as the log keeps it; null: nothing. */
export function structureOf(edits: readonly Edit[], done: ChangedSheets): StructureText | null {
  if (edits.every(isOfCells)) return null;
  const operations = edits.flatMap((edit, i) =>
    edit.kind === 'takeBack' || edit.kind === 'restore'
      ? [...movesBack(edit, done), ...differences(done)]
      : (operationOf(edit, done.outcomes[i]?.sheet ?? -1, done) ?? []),
  );
  return operations.length === 0 ? null : formatStructure(operations);
}

/** Whether an edit enters or clears cells and does nothing else, as those of most commits. */
function isOfCells({ kind }: Edit): boolean {
  return kind === 'setValues' || kind === 'append' || kind === 'clear';
}

function operationOf(edit: Edit, sheet: number, { before, after }: ChangedSheets): StoredOperation | null {
  switch (edit.kind) {
    case 'addSheet':
      return stored({ addSheet: { name: nameOf(after, sheet) } }, sheet);
    case 'renameSheet':
      return stored(
        { renameSheet: { sheet: nameOf(before, edit.sheet), name: nameOf(after, edit.sheet) } },
        edit.sheet,
      );
    case 'deleteSheet':
      return stored({ deleteSheet: { sheet: nameOf(before, edit.sheet) } }, edit.sheet);
    case 'hideSheet':
      return stored({ hideSheet: { sheet: nameOf(before, edit.sheet), hidden: edit.hidden } }, edit.sheet);
    case 'moveCells':
      return moveOperation(edit.move, (id) => nameOf(before, id));
    default:
      return null;
  }
}

/** The moves with which taking a batch back begins. */
function movesBack(
  edit: Extract<Edit, { kind: 'takeBack' | 'restore' }>,
  { before, after }: ChangedSheets,
): readonly StoredOperation[] {
  if (edit.kind === 'restore') return [];
  const { moves = [] } = decodeOutline(edit.inverse).head;
  // Sheets that come back are among them, and such as were there only within the batch: nobody knows these.
  const names = new Map([...after, ...before].map(({ id, name }) => [id, name]));
  const known = moves.filter((move) => [...sheetsOfMove(move)].every((id) => names.has(id)));
  return known.map((move) => moveOperation(move, (sheet) => names.get(sheet) ?? ''));
}

/** What was done to sheets, told from what they are before and after. */
function differences({ before, after }: ChangedSheets): readonly StoredOperation[] {
  const gone = before.filter(({ id }) => after.every((sheet) => sheet.id !== id));
  return [
    ...gone.map(({ id, name }) => stored({ deleteSheet: { sheet: name } }, id)),
    ...after.flatMap(({ id, name, hidden }): readonly StoredOperation[] => {
      const old = before.find((sheet) => sheet.id === id);
      if (old === undefined) return [stored({ addSheet: { name } }, id)];
      return [
        ...(old.name === name ? [] : [stored({ renameSheet: { sheet: old.name, name } }, id)]),
        ...(old.hidden === hidden ? [] : [stored({ hideSheet: { sheet: old.name, hidden } }, id)]),
      ];
    }),
  ];
}

function stored(operation: StructureOperation, ...sheets: readonly number[]): StoredOperation {
  return { operation, sheets };
}

function nameOf(sheets: readonly SheetEntry[], id: number): string {
  return sheets.find((sheet) => sheet.id === id)?.name ?? '';
}
