import { MAX_RESULT_CHARACTERS } from '../limits/mcp.ts';

/** A page of a list within the bounds of a result. */
export interface FittedPage<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null: this is the last one. */
  readonly nextOffset: number | null;
  readonly truncated: boolean;
}

/** Characters that the other members of a result take at most, beside a list. */
const AROUND = 2_000;

/** As many items as fit into a result, at least one. `room`: characters that are left for them. */
export function fittedPage<T>(
  items: readonly T[],
  { offset, total, room = MAX_RESULT_CHARACTERS - AROUND }: { offset: number; total: number; room?: number },
): FittedPage<T> {
  let left = room;
  let count = 0;
  for (const item of items) {
    left -= JSON.stringify(item).length + 1;
    if (left < 0 && count > 0) break;
    count++;
  }
  const end = offset + count;
  const isMore = end < total;
  return { items: items.slice(0, count), nextOffset: isMore && count > 0 ? end : null, truncated: isMore };
}

/** A text that was cut, by its cell. */
export interface CutText {
  readonly cell: string;
  /** Characters that it has. */
  readonly length: number;
}

/** Shortens the longest texts of a row until it fits. Every text that is cut is named. */
export function cutRow(
  values: readonly unknown[],
  { room, cellOf }: { readonly room: number; readonly cellOf: (at: number) => string },
): { readonly values: readonly unknown[]; readonly cut: readonly CutText[] } {
  const size = (all: readonly unknown[]): number => JSON.stringify(all).length;
  if (size(values) <= room) return { values, cut: [] };
  const cells = [...values];
  const cut = new Map<number, CutText>();
  for (let limit = Math.max(1_000, Math.floor(room / 2)); limit >= 1; limit = Math.floor(limit / 2)) {
    for (const [at, value] of values.entries()) {
      if (typeof value !== 'string' || value.length <= limit) continue;
      cells[at] = wellFormed(value.slice(0, limit));
      cut.set(at, { cell: cellOf(at), length: value.length });
    }
    // Each cut cell is named beside the row.
    const named = [...cut.values()].reduce((sum, one) => sum + JSON.stringify(one).length + 1, 0);
    if (size(cells) + named <= room) break;
  }
  return { values: cells, cut: [...cut.values()] };
}

/** Never within a character. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1);
}

/** The first characters of a text. */
export function headOf(text: string, length: number): string {
  return text.length <= length ? text : `${wellFormed(text.slice(0, length - 1))}…`;
}
