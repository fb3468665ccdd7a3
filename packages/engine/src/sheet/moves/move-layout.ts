import { createLinesArea, listMoveSheets, type Move, moveBlocks, shiftReference } from '../../grid/move.ts';
import { runToEnd } from '../../grid/steps.ts';
import type { Attachment } from '../attachment.ts';
import { type Band, type Layout, PLAIN_LAYOUT } from '../layout.ts';
import type { Sheet } from '../snapshot.ts';
import { moveAttachments } from './move-attachments.ts';

/** Finds a sheet by its id. */
export type FindSheet = (id: number) => Sheet | undefined;

/** The attachments of a sheet after cells moved. Pauses regularly. */
export function moveSheetAttachments(sheet: Sheet, move: Move, sheetOf: FindSheet) {
  return moveAttachments(sheet.id, move, (id) => sheetOf(id)?.layout.attachments ?? []);
}

/**
 * Returns the layout of a sheet after cells moved. Sizes, outline groups and styles of whole rows and columns move with
 * them. A merged range follows its cells in the same way as a reference, and is dropped if only one cell remains.
 * `attachments`: the attachments after the move.
 */
export function moveLayout(
  sheet: Sheet,
  move: Move,
  sheetOf: FindSheet,
  attachments: readonly Attachment[] = runToEnd(moveSheetAttachments(sheet, move, sheetOf)),
): Layout {
  const layouts = [...listMoveSheets(move)].map((id) => [id, sheetOf(id)?.layout ?? PLAIN_LAYOUT] as const);
  if (layouts.every(([, layout]) => layout === PLAIN_LAYOUT)) return sheet.layout;
  const merges = layouts.flatMap(([id, layout]) =>
    layout.merges.flatMap((area) => {
      const moved = shiftReference(move, { sheet: id, area });
      if (moved === null || moved.sheet !== sheet.id) return [];
      const { top, left, bottom, right } = moved.area;
      return top === bottom && left === right ? [] : [{ top, left, bottom, right }];
    }),
  );
  const { columns, rows, carried } = sheet.layout;
  const isOfLines = move.kind !== 'carry' && !('across' in move && move.across !== undefined);
  if (!isOfLines) return { columns, rows, merges, attachments, carried };
  return move.axis === 'rows'
    ? { columns, rows: moveBands(rows, move, sheet.id), merges, attachments, carried }
    : { columns: moveBands(columns, move, sheet.id), rows, merges, attachments, carried };
}

/** Returns the layout of a sheet whose own cells do not move: only its references follow moved cells. */
export function moveLayoutReferences(
  sheet: Sheet,
  move: Move,
  attachments: readonly Attachment[] = runToEnd(moveSheetAttachments(sheet, move, () => sheet)),
): Layout {
  const { layout } = sheet;
  return attachments === layout.attachments ? layout : { ...layout, attachments };
}

function moveBands(bands: readonly Band[], move: Exclude<Move, { kind: 'carry' }>, sheet: number): readonly Band[] {
  const { axis } = move;
  const moved = bands.flatMap((band) =>
    moveBlocks(move, { sheet, area: createLinesArea(axis, band.first, band.last) }).map(({ area }): Band => {
      const [first, last] = axis === 'rows' ? [area.top, area.bottom] : [area.left, area.right];
      return { ...band, first, last };
    }),
  );
  return moved.sort((a, b) => a.first - b.first);
}
