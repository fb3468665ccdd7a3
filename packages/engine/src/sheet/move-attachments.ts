import { type FormulaPlace, moveReferences } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import { type Block, type Move, movedBlocks, movedCell, movedReference, sheetsOf } from '../grid/move.ts';
import type { Attachment } from './attachment.ts';

/** What belongs to cells of a sheet, by the sheet. */
type AttachmentsOf = (sheet: number) => readonly Attachment[];

/**
 * What belongs to cells of a sheet after cells changed places: its areas go with their cells as references to them
 * would, and its own references follow. Of cells that are cut, a part may go. The same list where nothing changes.
 */
export function movedAttachments(sheet: number, move: Move, attachmentsOf: AttachmentsOf): readonly Attachment[] {
  const own = attachmentsOf(sheet);
  const touched = sheetsOf(move);
  const sources = touched.has(sheet) ? [sheet, ...[...touched].filter((id) => id !== sheet)] : [sheet];
  const moved = sources.flatMap((id) => attachmentsOf(id).flatMap((held) => arriving(held, id, sheet, move)));
  return moved.length === own.length && moved.every((held, i) => held === own[i]) ? own : moved;
}

/** What of an attachment is on a sheet after a move: nothing, itself, or itself in parts whose formulas differ. */
function arriving(held: Attachment, from: number, to: number, move: Move): readonly Attachment[] {
  if (held.areas.length === 0) return from === to ? [following(held, [], from, A1, { ...A1, sheet: to }, move)] : [];
  const pieces = held.areas.flatMap((area) => piecesOf({ sheet: from, area }, move));
  const parts: Attachment[] = [];
  for (const { area, cell, moved } of pieces) {
    if (moved.sheet !== to) continue;
    const part = following(held, [area], from, cell, moved, move);
    const like = parts.findIndex(({ formulas }) => formulas.every((formula, i) => isSame(formula, part.formulas[i])));
    if (like < 0) parts.push(part);
    else parts[like] = { ...part, areas: [...(parts[like]?.areas ?? []), area] };
  }
  return parts.map((part) => (part.formulas === held.formulas && areSame(part.areas, held.areas) ? held : part));
}

const A1: Place = { row: 0, column: 0 };

interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where cells of an area come to lie, and one of them before and after. */
interface MovedPiece {
  readonly area: Area;
  readonly cell: Place;
  readonly moved: FormulaPlace;
}

function piecesOf(block: Block, move: Move): readonly MovedPiece[] {
  const targets = move.kind === 'carry' ? movedBlocks(move, block) : [movedReference(move, block)];
  return targets.flatMap((target) => {
    if (target === null) return [];
    const cell = survivor(block, target, move);
    const { top, left, bottom, right } = target.area;
    return [{ area: { top, left, bottom, right }, ...cell }];
  });
}

/** A corner of the area that is still in it after the move. */
function survivor({ sheet, area }: Block, target: Block, move: Move): Omit<MovedPiece, 'area'> {
  const rows = [area.top, area.bottom];
  const columns = [area.left, area.right];
  for (const row of rows) {
    for (const column of columns) {
      const moved = movedCell(move, sheet, row, column);
      const { top, left, bottom, right } = target.area;
      const isInside =
        moved && moved.row >= top && moved.row <= bottom && moved.column >= left && moved.column <= right;
      if (isInside && moved.sheet === target.sheet) return { cell: { row, column }, moved };
    }
  }
  // Its corners were lost: what is left of it has not moved.
  const { top: row, left: column } = target.area;
  return { cell: { row, column }, moved: { sheet: target.sheet, row, column } };
}

function following(
  held: Attachment,
  areas: readonly Area[],
  from: number,
  cell: Place,
  moved: FormulaPlace,
  move: Move,
): Attachment {
  const formulas = held.formulas.map((node) => moveReferences(node, move, { sheet: from, ...cell }, moved));
  const isKept = formulas.every((node, i) => node === held.formulas[i]);
  if (isKept && areas.length === 0) return held;
  return { ...held, areas, formulas: isKept ? held.formulas : formulas };
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function areSame(a: readonly Area[], b: readonly Area[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ top, left, bottom, right }, i) => {
      const other = b[i] as Area;
      return top === other.top && left === other.left && bottom === other.bottom && right === other.right;
    })
  );
}
