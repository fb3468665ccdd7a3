import type { Edit } from '@cellwire/engine';

/**
 * The sheets whose cells an edit moves, deletes, sorts or duplicates. A formula over a sheet with hidden values would
 * otherwise show single values of it: a sum changes by the value of a deleted row. Fills are not included, because a
 * request can fill an area with a value that it has just written.
 */
export function listRearrangedSheets(edit: Edit): readonly number[] {
  switch (edit.kind) {
    case 'moveCells': {
      const { move } = edit;
      return move.kind === 'carry' ? [move.sheet, move.toSheet] : [move.sheet];
    }
    case 'sort':
    case 'duplicateSheet':
      return [edit.sheet];
    default:
      return [];
  }
}
