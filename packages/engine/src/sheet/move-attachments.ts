import type { Node } from '../formula/ast.ts';
import { type FormulaPlace, moveReferences } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
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
  if (held.areas.length === 0) {
    if (from !== to) return [];
    const formulas = movedFormulas(held, from, A1, { ...A1, sheet: to }, move);
    return formulas === held.formulas ? [held] : [{ ...held, formulas }];
  }
  const parts = new Map<string, { readonly formulas: readonly Node[]; readonly areas: Area[] }>();
  for (const { area, cell, moved } of held.areas.flatMap((own) => piecesOf({ sheet: from, area: own }, move))) {
    if (moved.sheet !== to) continue;
    const formulas = movedFormulas(held, from, cell, moved, move);
    // Each area is looked at once, however many there are.
    const key = formulas.length === 0 ? '' : JSON.stringify(formulas);
    const part = parts.get(key);
    if (part === undefined) parts.set(key, { formulas, areas: [area] });
    else part.areas.push(area);
  }
  return Array.from(parts.values(), ({ formulas, areas }) =>
    formulas === held.formulas && areSame(areas, held.areas) ? held : { ...held, formulas, areas },
  );
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
  const targets = move.kind === 'carry' ? movedBlocks(move, block) : [movedLines(block, move)];
  return targets.flatMap((target) => {
    if (target === null) return [];
    const cell = survivor(block, target, move);
    const { top, left, bottom, right } = target.area;
    return [{ area: { top, left, bottom, right }, ...cell }];
  });
}

/** Whole columns stay whole, however many of their rows go, and whole rows, too. */
function movedLines(block: Block, move: Exclude<Move, { kind: 'carry' }>): Block | null {
  const { top, left, bottom, right } = block.area;
  const isWhole = move.axis === 'rows' ? top === 0 && bottom === MAX_ROWS - 1 : left === 0 && right === MAX_COLUMNS - 1;
  return isWhole ? block : movedReference(move, block);
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

/** The same list where none of them changes. */
function movedFormulas(
  { formulas }: Attachment,
  from: number,
  cell: Place,
  moved: FormulaPlace,
  move: Move,
): readonly Node[] {
  const changed = formulas.map((node) => moveReferences(node, move, { sheet: from, ...cell }, moved));
  return changed.every((node, i) => node === formulas[i]) ? formulas : changed;
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
