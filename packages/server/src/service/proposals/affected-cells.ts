import { followBlock, intersects, type Move } from '@cellwire/engine';
import type { ParsedAreas } from '@cellwire/store/stored-forms';
import type { WatchedCells } from './watched-cells.ts';

/** The number of watched cells; a watched end of data counts as one. */
export function countWatchedCells(watched: readonly WatchedCells[]): number {
  return watched.reduce((sum, cells) => sum + (cells.kind === 'end' ? 1 : cells.rows * cells.columns), 0);
}

/** The watched cells that commits without moves may have changed. `moves`: the moves between the preview and these commits. */
export function findAffectedCells(
  watched: readonly WatchedCells[],
  commits: readonly ParsedAreas[],
  moves: readonly Move[],
): readonly WatchedCells[] {
  return watched.filter((cells) => cells.kind === 'end' || isAffected(cells, commits, moves));
}

/** True if later commits may have changed cells of the watched area, at its place after the moves. */
function isAffected(
  { sheet, area }: Exclude<WatchedCells, { readonly kind: 'end' }>,
  commits: readonly ParsedAreas[],
  moves: readonly Move[],
): boolean {
  const { pieces } = followBlock({ sheet, area }, moves);
  return commits.some(({ written, derived, rest = [] }) =>
    pieces.some(
      (piece) =>
        rest.some(([changed]) => changed === piece.sheet) ||
        [...written, ...derived].some(
          ([changed, top, left, bottom, right]) =>
            changed === piece.sheet && intersects(piece.target, { top, left, bottom, right }),
        ),
    ),
  );
}
