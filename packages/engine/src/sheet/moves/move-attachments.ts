import type { Node } from '../../formula/ast.ts';
import { type FormulaCell, type FormulaPosition, hasMatchingNode, moveReferences } from '../../formula/index.ts';
import { type Area, contains } from '../../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../../grid/limits.ts';
import {
  type Block,
  type LineMove,
  listMoveSheets,
  type Move,
  moveBlocks,
  moveCell,
  shiftReference,
} from '../../grid/move.ts';
import { type Attachment, FILTER, FILTER_COLUMN } from '../attachment.ts';

/** Returns the attachments of a sheet by its id. */
type FindAttachments = (sheet: number) => readonly Attachment[];

/** Number of areas and formulas that are moved between two pauses; about a millisecond. */
const ENTRIES_PER_STEP = 512;

/**
 * Returns the attachments of a sheet after cells moved. Areas follow their cells in the same way as references, and so
 * do the references in formulas. A part of an attachment may move with cut cells. Returns the same list if nothing
 * changes. Pauses regularly because there may be many.
 */
export function* moveAttachments(
  sheet: number,
  move: Move,
  attachmentsOf: FindAttachments,
): Generator<void, readonly Attachment[]> {
  const sheetAttachments = attachmentsOf(sheet);
  const touched = listMoveSheets(move);
  const sources = touched.has(sheet) ? [sheet, ...[...touched].filter((id) => id !== sheet)] : [sheet];
  const moved: Attachment[] = [];
  let entries = 0;
  for (const id of sources) {
    for (const attachment of attachmentsOf(id)) {
      moved.push(...moveAttachmentTo(attachment, id, sheet, move));
      entries += attachment.areas.length + attachment.formulas.length;
      if (entries < ENTRIES_PER_STEP) continue;
      entries = 0;
      yield;
    }
  }
  if (losesHeader(sheetAttachments, sheet, move))
    return moved.filter(({ kind }) => kind !== FILTER && kind !== FILTER_COLUMN);
  return moved.length === sheetAttachments.length && moved.every((attachment, i) => attachment === sheetAttachments[i])
    ? sheetAttachments
    : moved;
}

/** True if the header of the sheet's filter is deleted. As in Excel, this also deletes the filter. */
function losesHeader(attachments: readonly Attachment[], sheet: number, move: Move): boolean {
  if (move.kind !== 'delete' || move.axis !== 'rows' || move.sheet !== sheet || move.across !== undefined) return false;
  const top = attachments.find(({ kind }) => kind === FILTER)?.areas[0]?.top;
  return top !== undefined && top >= move.at && top < move.at + move.count;
}

/**
 * Returns the parts of an attachment that are on a sheet after a move: none, the attachment itself, or several with
 * different formulas.
 */
function moveAttachmentTo(
  attachment: Attachment,
  fromSheet: number,
  toSheet: number,
  move: Move,
): readonly Attachment[] {
  if (attachment.areas.length === 0) {
    if (fromSheet !== toSheet) return [];
    const formulas = moveFormulas(attachment, fromSheet, A1, { ...A1, sheet: toSheet }, move);
    return formulas === attachment.formulas ? [attachment] : [{ ...attachment, formulas }];
  }
  const pieces = movePieces(attachment.areas, fromSheet, toSheet, move);
  // Formulas without references do not depend on their position.
  const parts = attachment.formulas.some(containsReference)
    ? groupByFormulas(pieces, attachment, fromSheet, move)
    : [{ ...attachment, areas: listPieceAreas(pieces) }];
  return parts.flatMap((part) => {
    if (part.areas.length === 0) return [];
    return part.formulas === attachment.formulas && areSameAreas(part.areas, attachment.areas) ? [attachment] : [part];
  });
}

/** Groups pieces whose formulas are equal after the move. */
function groupByFormulas(
  pieces: readonly MovedPiece[],
  attachment: Attachment,
  from: number,
  move: Move,
): readonly Attachment[] {
  const parts = new Map<string, { readonly formulas: readonly Node[]; readonly areas: Area[] }>();
  for (const piece of pieces) {
    const { cell, moved } = findSurvivor(piece, move);
    const formulas = moveFormulas(attachment, from, cell, moved, move);
    // Comparing formulas takes longer than moving them, and most attachments have one area.
    const key = formulas === attachment.formulas || pieces.length === 1 ? '' : JSON.stringify(formulas);
    const part = parts.get(key);
    if (part === undefined) parts.set(key, { formulas, areas: [piece.target.area] });
    else part.areas.push(piece.target.area);
  }
  const { kind, texts } = attachment;
  return Array.from(parts.values(), ({ formulas, areas }) => ({ kind, areas, formulas, texts }));
}

const A1: FormulaCell = { row: 0, column: 0 };

/** An area, and the destination of its cells. */
interface MovedPiece {
  readonly block: Block;
  readonly target: Block;
}

/** Returns the pieces of areas that are on a sheet after a move. */
function movePieces(areas: readonly Area[], fromSheet: number, toSheet: number, move: Move): readonly MovedPiece[] {
  const pieces: MovedPiece[] = [];
  for (const area of areas) {
    const block: Block = { sheet: fromSheet, area };
    if (move.kind === 'carry') {
      for (const target of moveBlocks(move, block)) if (target.sheet === toSheet) pieces.push({ block, target });
      continue;
    }
    const target = moveWholeLines(block, move);
    if (target !== null) pieces.push({ block, target });
  }
  return pieces;
}

function listPieceAreas(pieces: readonly MovedPiece[]): readonly Area[] {
  return pieces.map(({ target }) => target.area);
}

function containsReference(node: Node): boolean {
  return hasMatchingNode(node, ({ k }) => k === 'cell' || k === 'area');
}

/** Moves an area. Whole columns stay whole columns even if rows are deleted; the same applies to whole rows. */
function moveWholeLines(block: Block, move: LineMove): Block | null {
  const { top, left, bottom, right } = block.area;
  if (block.sheet !== move.sheet || isBeforeMove(block.area, move)) return block;
  const isWhole = move.axis === 'rows' ? top === 0 && bottom === MAX_ROWS - 1 : left === 0 && right === MAX_COLUMNS - 1;
  return isWhole ? block : shiftReference(move, block);
}

/** True if a move affects only lines after an area. */
function isBeforeMove({ bottom, right }: Area, move: LineMove): boolean {
  const first = move.kind === 'reorder' ? Math.min(move.at, move.to) : move.at;
  return (move.axis === 'rows' ? bottom : right) < first;
}

/** Returns a corner of the area that still belongs to it after the move. */
function findSurvivor({ block: { sheet, area }, target }: MovedPiece, move: Move) {
  for (let corner = 0; corner < 4; corner++) {
    const row = corner < 2 ? area.top : area.bottom;
    const column = corner % 2 === 0 ? area.left : area.right;
    const moved = moveCell(move, sheet, row, column);
    if (moved?.sheet === target.sheet && contains(target.area, moved.row, moved.column)) {
      return { cell: { row, column }, moved };
    }
  }
  // All corners of the area are deleted, so that a remaining cell did not move.
  const { top: row, left: column } = target.area;
  return { cell: { row, column }, moved: { sheet: target.sheet, row, column } };
}

/** Moves the formulas of an attachment. Returns the same list if no formula changes. */
function moveFormulas(
  { formulas }: Attachment,
  fromSheet: number,
  cell: FormulaCell,
  movedPosition: FormulaPosition,
  move: Move,
): readonly Node[] {
  const changed = formulas.map((node) => moveReferences(node, move, { sheet: fromSheet, ...cell }, movedPosition));
  return changed.every((node, i) => node === formulas[i]) ? formulas : changed;
}

function areSameAreas(a: readonly Area[], b: readonly Area[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ top, left, bottom, right }, i) => {
      const other = b[i]!;
      return top === other.top && left === other.left && bottom === other.bottom && right === other.right;
    })
  );
}
