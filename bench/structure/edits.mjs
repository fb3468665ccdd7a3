// Converts an operation of this comparison to edits of the engine.

/** Null if the sheet no longer exists, or the operation is impossible. */
export function createEdits(head, operation) {
  const findSheetId = (name) => head.sheetByName(name)?.id;
  const { kind, sheet, area } = operation;
  if (sheet !== undefined && findSheetId(sheet) === undefined) return null;
  if (operation.toSheet !== undefined && findSheetId(operation.toSheet) === undefined) return null;
  const at = sheet === undefined ? -1 : findSheetId(sheet);
  switch (kind) {
    case 'insert':
    case 'delete': {
      const { axis, at: first, count } = operation;
      return [{ kind: 'moveCells', move: { kind, sheet: at, axis, at: first, count } }];
    }
    case 'insertCells':
    case 'deleteCells':
      return [{ kind: 'moveCells', move: createLineMove(kind === 'insertCells' ? 'insert' : 'delete', at, operation) }];
    case 'cut': {
      const { toSheet, row, column } = operation;
      return [
        { kind: 'moveCells', move: { kind: 'carry', sheet: at, area, toSheet: findSheetId(toSheet), row, column } },
      ];
    }
    case 'copy':
      return [{ ...operation, sheet: at, toSheet: findSheetId(operation.toSheet) }];
    case 'fill':
      return [{ kind, sheet: at, area, to: operation.to }];
    case 'sort':
      return [{ kind, sheet: at, area, by: [{ column: operation.column, descending: operation.descending }] }];
    case 'duplicateSheet':
    case 'renameSheet':
      return findSheetId(operation.name) === undefined ? [{ kind, sheet: at, name: operation.name }] : null;
    case 'addSheet':
      return findSheetId(operation.name) === undefined ? [{ kind, name: operation.name }] : null;
    case 'moveSheet':
      return operation.order < head.sheets.length ? [{ kind, sheet: at, order: operation.order }] : null;
    case 'deleteSheet':
      return head.sheets.length > 1 ? [{ kind, sheet: at }] : null;
    default:
      throw new Error(`unknown operation: ${kind}`);
  }
}

/** Creates the edit that inserts or deletes cells of an area and shifts the others along `shift`. */
function createLineMove(kind, sheet, { area, shift }) {
  const isRows = shift === 'down' || shift === 'up';
  const [at, last] = isRows ? [area.top, area.bottom] : [area.left, area.right];
  const across = isRows ? { first: area.left, last: area.right } : { first: area.top, last: area.bottom };
  return { kind, sheet, axis: isRows ? 'rows' : 'columns', at, count: last - at + 1, across };
}
