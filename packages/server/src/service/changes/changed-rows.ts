import {
  type Area,
  type Block,
  getMovePieces,
  getPieceTarget,
  intersection,
  type Move,
  moveBlocks,
  type Piece,
  type Region,
  reverseMove,
  shiftReference,
} from '@cellwire/engine';
import type { StoredAreas } from '@cellwire/store/stored-forms';
import { MAX_COMPARED_ROWS } from '../../limits/notify.ts';

/** Zero-based rows of records that a commit may have changed, in its own state and in the state before. */
interface ChangedRows {
  readonly before: ReadonlySet<number>;
  readonly after: ReadonlySet<number>;
  /** True if there are more rows than the limit. */
  readonly isCut: boolean;
}

/** Rows of the records that a commit wrote, recalculated, deleted, or moved other than as whole records. */
export function findChangedRows(areas: StoredAreas, before: Region | null, after: Region | null): ChangedRows {
  const { written, derived, moves = [] } = areas;
  const [old, now] = [new RowSet(before), new RowSet(after)];
  for (const [sheet, top, left, bottom, right] of [...written, ...derived]) {
    const block = { sheet, area: { top, left, bottom, right } };
    now.addBlock(block);
    for (const origin of undoMoves(moves, block)) old.addBlock(origin);
  }
  if (before === null || after === null) {
    old.addAllRows();
    now.addAllRows();
  }
  let region: Block | null = before && { sheet: before.sheet, area: toRegionArea(before) };
  for (const [i, move] of moves.entries()) {
    const { pieces, lost } = findDisturbedBlocks(move, region);
    const [earlier, later] = [moves.slice(0, i), moves.slice(i + 1)];
    for (const block of [...lost, ...pieces]) for (const origin of undoMoves(earlier, block)) old.addBlock(origin);
    for (const piece of pieces) {
      const targets = later.reduce<readonly Block[]>(applyMoves, [getPieceTarget(piece)]);
      for (const target of targets) now.addBlock(target);
    }
    region = region && shiftReference(move, region);
  }
  return { before: old.rows, after: now.rows, isCut: old.isCut || now.isCut };
}

/** Where a move puts the blocks. */
function applyMoves(blocks: readonly Block[], move: Move): readonly Block[] {
  return blocks.flatMap((block) => moveBlocks(move, block));
}

/** Positions of cells before the moves. */
function undoMoves(moves: readonly Move[], block: Block): readonly Block[] {
  return moves.map(reverseMove).reverse().reduce<readonly Block[]>(applyMoves, [block]);
}

/**
 * The parts of a move that may change records. A move of whole records, or of columns with their header, changes none.
 */
function findDisturbedBlocks(
  move: Move,
  region: Block | null,
): { readonly pieces: readonly Piece[]; readonly lost: readonly Block[] } {
  const { pieces, lost } = getMovePieces(move);
  const isWhole = (block: Block) =>
    region !== null &&
    block.sheet === region.sheet &&
    block.area.left <= region.area.left &&
    block.area.right >= region.area.right;
  if (move.kind === 'carry') return { pieces, lost };
  const isBand = 'across' in move && move.across !== undefined;
  if (move.axis === 'columns' && !isBand) return { pieces: [], lost: move.kind === 'delete' ? lost : [] };
  if (!pieces.every(isWhole) || move.axis === 'columns') return { pieces, lost };
  // Inserted rows and columns push no cell off the grid: the engine refuses that.
  if (move.kind === 'insert') return { pieces: [], lost: [] };
  return { pieces: move.kind === 'reorder' ? pieces.slice(0, 1) : [], lost };
}

/** The cells of the records with their header, without columns that no longer exist. */
function toRegionArea({ columns, header, end }: Region): Area {
  const found = columns.map(({ column }) => column).filter((column) => column >= 0);
  return { top: header, left: Math.min(...found), bottom: end - 1, right: Math.max(...found) };
}

/** Rows of a region, up to the limit. */
class RowSet {
  readonly rows = new Set<number>();
  isCut = false;
  private readonly records: Block | null;

  constructor(region: Region | null) {
    const area = region && toRegionArea(region);
    this.records = region && area && { sheet: region.sheet, area: { ...area, top: region.header + 1 } };
  }

  /** Adds the rows of the records without the header, up to `MAX_COMPARED_ROWS`. */
  addAllRows(): void {
    if (this.records !== null) this.addBlock(this.records);
  }

  /** Adds the rows that a block shares with the records, up to `MAX_COMPARED_ROWS`. */
  addBlock({ sheet, area }: Block): void {
    const common = this.records?.sheet === sheet ? intersection(this.records.area, area) : null;
    if (common === null) return;
    for (let row = common.top; row <= common.bottom; row++) {
      if (this.rows.size >= MAX_COMPARED_ROWS && !this.rows.has(row)) {
        this.isCut = true;
        return;
      }
      this.rows.add(row);
    }
  }
}
