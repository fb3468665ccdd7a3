import { columnName } from '@cellwire/engine';
import type { NamedSheetArea, PositionMapping } from '../session/position-mapping.ts';
import type { CellDraft } from './draft.ts';
import { findReferences, formatReference } from './formula-text.ts';

/** Returns the draft with its cell and its references at their present positions; null if its cell was deleted. */
export function mapDraft(draft: CellDraft, mapping: PositionMapping): CellDraft | null {
  const position = mapping.mapCell({ sheet: draft.sheet, ...draft.position });
  if (position === null) return null;
  const { sheet, row, column } = position;
  const moved: CellDraft = { ...draft, sheet, position: { row, column } };
  let text = '';
  let end = 0;
  let { caret, pickedReference } = draft;
  for (const { from, to, sheet: named, area } of findReferences(draft.text)) {
    const reference = draft.text.slice(from, to);
    const found = mapping.mapArea({ sheet: named ?? draft.sheet, area });
    const isGone = found === null && mapping.hasDeletedCells;
    const next = isGone
      ? '#REF!'
      : found === null
        ? reference
        : rewriteReference(reference, found, named === null ? sheet : null);
    const start = text.length + from - end;
    text += draft.text.slice(end, from) + next;
    end = to;
    if (draft.caret >= to) caret += next.length - reference.length;
    if (draft.pickedReference?.from === from && draft.pickedReference.to === to)
      pickedReference = { from: start, to: start + next.length };
  }
  return { ...moved, text: text + draft.text.slice(end), caret, pickedReference };
}

/** Rewrites a reference for other cells and keeps its `$`. `formulaSheet`: the formula's sheet if the reference names none. */
function rewriteReference(text: string, { sheet, area }: NamedSheetArea, formulaSheet: string | null): string {
  const mark = text.lastIndexOf('!') + 1;
  const prefix =
    formulaSheet === null || sheet !== formulaSheet
      ? formatReference(sheet, '', area).split('!').slice(0, -1).join('!')
      : '';
  const corners = text.slice(mark).split(':');
  const first = rewriteCorner(corners[0] ?? '', area.top, area.left);
  const last = corners[1] === undefined ? null : rewriteCorner(corners[1], area.bottom, area.right);
  const written = last === null ? first : `${first}:${last}`;
  if (formulaSheet !== null && sheet === formulaSheet) return written;
  return formulaSheet === null && text.slice(0, mark - 1) === prefix
    ? text.slice(0, mark) + written
    : `${prefix}!${written}`;
}

/** The text of a reference's corner for another cell. Keeps its `$` marks, and its missing row or column. */
function rewriteCorner(corner: string, row: number, column: number): string {
  const [, columnMark = '', letters, rowMark = '', digits] = /^(\$?)([A-Za-z]+)?(\$?)(\d+)?$/.exec(corner) ?? [];
  const ofColumn = letters === undefined ? '' : columnMark + columnName(column);
  const marks = letters === undefined ? columnMark + rowMark : rowMark;
  return ofColumn + (digits === undefined ? '' : marks + (row + 1));
}
