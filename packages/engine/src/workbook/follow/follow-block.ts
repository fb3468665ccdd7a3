import { type Area, intersection, subtract } from '../../grid/area.ts';
import { type Block, getMovePieces, type Move, offsetArea } from '../../grid/move.ts';

/** A part of a block that moved as a whole. */
export interface FollowedPiece {
  /** The area before the moves. */
  readonly source: Area;
  /** Sheet of the area after the moves. */
  readonly sheet: number;
  readonly target: Area;
}

/** A block of cells after some moves. */
export interface FollowedBlock {
  readonly pieces: readonly FollowedPiece[];
  /** Deleted parts, by their positions before the moves. */
  readonly lost: readonly Area[];
}

/** Follows the cells of a block through moves. */
export function followBlock({ sheet, area: blockArea }: Block, moves: readonly Move[]): FollowedBlock {
  let pieces: readonly FollowedPiece[] = [{ source: blockArea, sheet, target: blockArea }];
  const lost: Area[] = [];
  for (const move of moves) {
    const moved: FollowedPiece[] = [];
    for (const piece of pieces) {
      let rest: readonly Area[] = [piece.target];
      const take = (block: Block, onCommon: (common: Area) => void): void => {
        if (block.sheet !== piece.sheet) return;
        const common = intersection(block.area, piece.target);
        if (common === null) return;
        onCommon(common);
        rest = rest.flatMap((part) => subtract(part, common));
      };
      const sourceOf = (common: Area): Area =>
        offsetArea(common, piece.source.top - piece.target.top, piece.source.left - piece.target.left);
      for (const to of getMovePieces(move).pieces) {
        take(to, (common) => {
          const target = offsetArea(common, to.rows, to.columns);
          moved.push({ source: sourceOf(common), sheet: to.toSheet, target });
        });
      }
      for (const gone of getMovePieces(move).lost) take(gone, (common) => lost.push(sourceOf(common)));
      for (const part of rest) moved.push({ source: sourceOf(part), sheet: piece.sheet, target: part });
    }
    pieces = moved;
  }
  return { pieces, lost };
}
