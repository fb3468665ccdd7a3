import { linesArea, type Move, movedBlocks, movedReference, sheetsOf } from '../grid/move.ts';
import { runToEnd } from '../grid/steps.ts';
import type { Attachment } from './attachment.ts';
import { type Band, type Layout, PLAIN_LAYOUT } from './layout.ts';
import { moveAttachments } from './move-attachments.ts';
import type { Sheet } from './snapshot.ts';

type FindSheet = (id: number) => Sheet | undefined;

/** What belongs to cells of a sheet after cells changed places; pauses now and then. */
export function moveSheetAttachments(sheet: Sheet, move: Move, sheetOf: FindSheet) {
  return moveAttachments(sheet.id, move, (id) => sheetOf(id)?.layout.attachments ?? []);
}

/**
 * How a sheet is shown after cells changed places. Sizes, outline groups and styles of whole rows and columns go where
 * these go; a merged range follows as a reference to it would, and ends where one cell of it is left. `attachments`: what
 * belongs to its cells then.
 */
export function moveLayout(
  sheet: Sheet,
  move: Move,
  sheetOf: FindSheet,
  attachments: readonly Attachment[] = runToEnd(moveSheetAttachments(sheet, move, sheetOf)),
): Layout {
  const layouts = [...sheetsOf(move)].map((id) => [id, sheetOf(id)?.layout ?? PLAIN_LAYOUT] as const);
  if (layouts.every(([, layout]) => layout === PLAIN_LAYOUT)) return sheet.layout;
  const merges = layouts.flatMap(([id, layout]) =>
    layout.merges.flatMap((area) => {
      const moved = movedReference(move, { sheet: id, area });
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

/** The layout of a sheet whose own cells stay: what of it names cells that move follows them. */
export function followInLayout(
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
    movedBlocks(move, { sheet, area: linesArea(axis, band.first, band.last) }).map(({ area }): Band => {
      const [first, last] = axis === 'rows' ? [area.top, area.bottom] : [area.left, area.right];
      return { ...band, first, last };
    }),
  );
  return moved.sort((a, b) => a.first - b.first);
}
