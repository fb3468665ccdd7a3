import type { Area } from '../grid/area.ts';
import type { Move } from '../grid/move.ts';
import { runToEnd } from '../grid/steps.ts';
import { type Attachment, FILTER, FILTER_COLUMN, FILTERED } from './attachment.ts';
import type { Layout } from './layout.ts';
import { moveAttachments } from './move-attachments.ts';

/** The text of a filter that no file has written. */
const PLAIN_FILTER = '<autoFilter/>';

/** Numbers, dates as ISO texts, and other texts. */
export type FilterOperand = string | number;

export const FILTER_OPS = {
  contains: 1,
  notContains: 1,
  startsWith: 1,
  endsWith: 1,
  /** With the wildcards `*`, `?` and `~`. */
  matches: 1,
  notMatches: 1,
  eq: 1,
  ne: 1,
  gt: 1,
  gte: 1,
  lt: 1,
  lte: 1,
  /** Both bounds belong to it. */
  between: 2,
  empty: 0,
  filled: 0,
} as const satisfies Readonly<Record<string, 0 | 1 | 2>>;

export type FilterOp = keyof typeof FILTER_OPS;

export interface FilterTest {
  readonly op: FilterOp;
  readonly value?: FilterOperand;
  /** The second bound of `between`. */
  readonly to?: FilterOperand;
}

/** What the cells of one column must show. Plain data. */
export type ColumnCondition =
  /** One of these texts as people see them; an empty one stands for empty cells. With `except`: none of them. */
  | {
      readonly values: readonly string[];
      /** Beginnings of dates in ISO form, such as `2026` or `2026-03`: their dates are shown, too. */
      readonly dates?: readonly string[];
      readonly except?: true;
    }
  | { readonly tests: readonly FilterTest[]; readonly match: 'all' | 'any' }
  /** The element of a file that this engine cannot evaluate: the rows that the file hides stay hidden. */
  | { readonly file: string };

/** Which rows of a range are shown. */
export interface SheetFilter {
  /** With the header, its first row. Rows that are filled right below it belong to it. */
  readonly area: Area;
  /** Sorted by column, from 0. */
  readonly columns: readonly { readonly column: number; readonly condition: ColumnCondition }[];
}

/** Whether an element of a file asks anything of its column, beside saying that it has no button. */
export function asksOfFile(condition: ColumnCondition): boolean {
  return 'file' in condition && condition.file.includes('</filterColumn>');
}

/** A sheet's filter; null: it has none. */
export function filterOf({ attachments }: Pick<Layout, 'attachments'>): SheetFilter | null {
  const area = attachments.find(({ kind }) => kind === FILTER)?.areas[0];
  if (area === undefined) return null;
  const columns = new Map<number, ColumnCondition>();
  for (const { kind, areas, texts } of attachments) {
    const [own] = areas;
    if (kind !== FILTER_COLUMN || own === undefined || own.left < area.left || own.left > area.right) continue;
    if (own.bottom < area.top || own.top > area.bottom) continue;
    columns.set(own.left, JSON.parse(texts[0] ?? '') as ColumnCondition);
  }
  const sorted = [...columns].sort(([a], [b]) => a - b);
  return { area, columns: sorted.map(([column, condition]) => ({ column, condition })) };
}

/** The element of a file without its columns: texts with formulas between them. */
interface FilterElement<Formula> {
  readonly texts: readonly string[];
  readonly formulas: readonly Formula[];
}

/** What an import or an edit keeps of a filter. */
export function filterAttachments<Formula = Attachment['formulas'][number]>(
  { area, columns }: SheetFilter,
  { texts, formulas }: FilterElement<Formula> = { texts: [PLAIN_FILTER], formulas: [] },
) {
  // A filter of a header alone has rows below it as soon as somebody fills them.
  const top = Math.min(area.top + 1, area.bottom);
  return [
    { kind: FILTER, areas: [area], formulas, texts },
    ...columns.map(({ column, condition }) => ({
      kind: FILTER_COLUMN,
      areas: [{ top, left: column, bottom: area.bottom, right: column }],
      formulas: [],
      texts: [JSON.stringify(condition)],
    })),
  ];
}

/** A filter that is kept beside the document, after cells changed places there; null: its cells are gone. */
export function movedFilter(sheet: number, filter: SheetFilter, moves: readonly Move[]): SheetFilter | null {
  const moved = moves.reduce<readonly Attachment[]>(
    (held, move) => runToEnd(moveAttachments(sheet, move, (id) => (id === sheet ? held : []))),
    filterAttachments(filter),
  );
  return filterOf({ attachments: moved });
}

/** A layout with another filter, or none. What a file says of sorting stays with a filter over the same cells. */
export function withFilter(layout: Layout, filter: SheetFilter | null): Layout {
  const held = layout.attachments.find(({ kind }) => kind === FILTER);
  const others = layout.attachments.filter(
    ({ kind, areas }) =>
      kind !== FILTER && kind !== FILTER_COLUMN && !(kind === FILTERED && isPartOfFilter(held, areas)),
  );
  if (filter === null) return { ...layout, attachments: others };
  const own = filterAttachments(filter, isPartOfFilter(held, [filter.area]) && isPlainElement(held) ? held : undefined);
  return { ...layout, attachments: [...others, ...own] };
}

/** Whether columns of a file's element are attachments of their own. */
function isPlainElement(held: Attachment | undefined): held is Attachment {
  return held?.texts[0]?.includes('<filterColumn') === false;
}

/** Whether areas are those of a filter, or its rows below the header. */
function isPartOfFilter(held: Attachment | undefined, [own]: readonly Area[]): boolean {
  const area = held?.areas[0];
  if (area === undefined || own === undefined) return false;
  return own.left === area.left && own.right === area.right && own.bottom === area.bottom;
}
