import type { Edit } from '@cellwire/engine';
import type { StoredOperation } from '../store/commits.ts';
import type { Done, SheetEntry } from './types.ts';

/** What edits did to sheets as such, as the log keeps it (JSON text); null: nothing. */
export function structureText(edits: readonly Edit[], done: Done): string | null {
  const operations = edits.flatMap((edit, i) => operationOf(edit, done.outcomes[i]?.sheet ?? -1, done) ?? []);
  return operations.length === 0 ? null : JSON.stringify(operations);
}

function operationOf(edit: Edit, sheet: number, { before, after }: Done): StoredOperation | null {
  switch (edit.kind) {
    case 'addSheet':
      return { addSheet: { name: nameOf(after, sheet) } };
    case 'renameSheet':
      return { renameSheet: { sheet: nameOf(before, edit.sheet), name: nameOf(after, edit.sheet) } };
    case 'deleteSheet':
      return { deleteSheet: { sheet: nameOf(before, edit.sheet) } };
    case 'hideSheet':
      return { hideSheet: { sheet: nameOf(before, edit.sheet), hidden: edit.hidden } };
    default:
      return null;
  }
}

function nameOf(sheets: readonly SheetEntry[], id: number): string {
  return sheets.find((sheet) => sheet.id === id)?.name ?? '';
}
