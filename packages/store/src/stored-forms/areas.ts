import type { Move, OrderedRows, Rearrangement } from '@cellwire/engine';
import { MAX_AREAS_LENGTH, MAX_COMMIT_AREAS } from '../database/limits.ts';

/** What a commit changed, as `commits.areas` keeps it: `[sheet, top, left, bottom, right]` each, zero-based. */
export interface StoredAreas {
  readonly written: readonly StoredArea[];
  readonly derived: readonly StoredArea[];
  /** Cells that are in none of the areas, because there were too many; absent: none. A sheet may come twice. */
  readonly rest?: readonly StoredAreaRemainder[];
  /** What the edits named, where that is more than what they changed: values written that were there already. */
  readonly named?: readonly StoredArea[];
  /** How cells changed places, one move after the other; the areas are where they are after. */
  readonly moves?: readonly Move[];
  /** Rows that were sorted, by how many of the moves came before; absent: none. */
  readonly orders?: readonly OrderedRows[];
  /** The revision whose state was restored, with the positions of its cells. Absent: none. */
  readonly restored?: number;
}

/** What a commit did to the places of cells, one step after the other; a restore is not among them. */
export function listRearrangements({ moves = [], orders = [] }: StoredAreas): readonly Rearrangement[] {
  if (orders.length === 0) return moves;
  const steps: Rearrangement[] = [];
  for (let made = 0; made <= moves.length; made++) {
    for (const { after, rows } of orders) if (Math.min(after, moves.length) === made) steps.push(rows);
    const next = moves[made];
    if (next !== undefined) steps.push(next);
  }
  return steps;
}

export type StoredAreaRemainder = readonly [sheet: number, cells: number];
export type StoredArea = readonly [sheet: number, top: number, left: number, bottom: number, right: number];

/** Areas as they are read: `isCut` where the text was of a version that kept any number of them, and some are left out. */
export type ParsedAreas = StoredAreas & { readonly isCut: boolean };

const STORED_AREA = /\[(\d+),(\d+),(\d+),(\d+),(\d+)\],?/y;

/** The areas of a commit, `MAX_COMMIT_AREAS` of those written and as many of those recalculated at most. */
export function parseAreas(text: string): ParsedAreas {
  if (text.length <= MAX_AREAS_LENGTH) return { ...(JSON.parse(text) as StoredAreas), isCut: false };
  return { written: parseFirstAreas(text, '"written":['), derived: parseFirstAreas(text, '"derived":['), isCut: true };
}

/** The first areas of a list in JSON text without blanks. */
function parseFirstAreas(text: string, list: string): readonly StoredArea[] {
  const start = text.indexOf(list);
  const areas: StoredArea[] = [];
  STORED_AREA.lastIndex = start + list.length;
  while (start >= 0 && areas.length < MAX_COMMIT_AREAS) {
    const [, ...numbers] = STORED_AREA.exec(text) ?? [];
    if (numbers.length === 0) break;
    areas.push(numbers.map(Number) as unknown as StoredArea);
  }
  return areas;
}
