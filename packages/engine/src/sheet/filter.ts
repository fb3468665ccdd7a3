import type { Area } from '../grid/area.ts';
import type { Move } from '../grid/move.ts';
import { runToEnd } from '../grid/steps.ts';
import { type Attachment, FILTER, FILTER_COLUMN, FILTERED } from './attachment.ts';
import type { Layout } from './layout.ts';
import { moveAttachments } from './moves/move-attachments.ts';

/** The file element of a filter that was not imported from a file. */
const PLAIN_FILTER = '<autoFilter/>';

/** A number, a date as ISO text, or another text. */
export type FilterOperand = string | number;

export const FILTER_OPS = {
  contains: 1,
  notContains: 1,
  startsWith: 1,
  endsWith: 1,
  /** The whole text matches a pattern with the wildcards `*`, `?` and `~`. */
  matches: 1,
  notMatches: 1,
  eq: 1,
  ne: 1,
  gt: 1,
  gte: 1,
  lt: 1,
  lte: 1,
  /** The value is between two bounds, or equal to one of them. */
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

/** The condition for the cells of one column. Plain data. */
export type ColumnCondition =
  /** The displayed text is one of `values`; the empty text means empty cells. With `except`: it is none of them. */
  | {
      readonly values: readonly string[];
      /** Prefixes of ISO dates, such as `2026` or `2026-03`. Dates with such a prefix are shown too. */
      readonly dates?: readonly string[];
      readonly except?: true;
    }
  | { readonly tests: readonly FilterTest[]; readonly match: 'all' | 'any' }
  /** A file element that this engine cannot evaluate. Rows that are hidden in the file stay hidden. */
  | { readonly file: string };

/** A filter of a range: it determines which rows are shown. */
export interface SheetFilter {
  /** The range. Its first row is the header. Filled rows directly below the range also belong to it. */
  readonly area: Area;
  /** Conditions in the order of their columns. `column`: zero-based column of the sheet. */
  readonly columns: readonly { readonly column: number; readonly condition: ColumnCondition }[];
}

/** True if the condition filters its column. A file element may also do no more than hide the column's button. */
export function filtersByFile(condition: ColumnCondition): boolean {
  return 'file' in condition && condition.file.includes('</filterColumn>');
}

/** A sheet's filter; null if it has none. */
export function findFilter({ attachments }: Pick<Layout, 'attachments'>): SheetFilter | null {
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

/** The filter element of a file without its columns: texts, with formulas between them. */
interface FilterElement<Formula> {
  readonly texts: readonly string[];
  readonly formulas: readonly Formula[];
}

/** Returns the attachments in which a filter is stored. */
export function filterAttachments<Formula = Attachment['formulas'][number]>(
  { area, columns }: SheetFilter,
  { texts, formulas }: FilterElement<Formula> = { texts: [PLAIN_FILTER], formulas: [] },
) {
  // A filter that consists only of a header gets rows when cells below it are filled.
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

/** Returns a filter that is stored outside the document after cells moved; null if its cells are deleted. */
export function moveFilter(sheet: number, filter: SheetFilter, moves: readonly Move[]): SheetFilter | null {
  const moved = moves.reduce<readonly Attachment[]>(
    (existingAttachments, move) =>
      runToEnd(moveAttachments(sheet, move, (id) => (id === sheet ? existingAttachments : []))),
    filterAttachments(filter),
  );
  return findFilter({ attachments: moved });
}

/**
 * Returns a layout with another filter, or without one (null). If the new filter has the same range, sort settings from
 * the file are kept.
 */
export function replaceLayoutFilter(layout: Layout, filter: SheetFilter | null): Layout {
  const attachment = layout.attachments.find(({ kind }) => kind === FILTER);
  const others = layout.attachments.filter(
    ({ kind, areas }) =>
      kind !== FILTER && kind !== FILTER_COLUMN && !(kind === FILTERED && isPartOfFilter(attachment, areas)),
  );
  if (filter === null) return { ...layout, attachments: others };
  const filterEntries = filterAttachments(
    filter,
    isPartOfFilter(attachment, [filter.area]) && isPlainElement(attachment) ? attachment : undefined,
  );
  return { ...layout, attachments: [...others, ...filterEntries] };
}

/** True if the conditions of a file's filter are separate attachments, not part of its element. */
function isPlainElement(attachment: Attachment | undefined): attachment is Attachment {
  return attachment?.texts[0]?.includes('<filterColumn') === false;
}

/** True if `candidate` is the area of a filter, or its rows below the header. */
function isPartOfFilter(attachment: Attachment | undefined, [candidate]: readonly Area[]): boolean {
  const area = attachment?.areas[0];
  if (area === undefined || candidate === undefined) return false;
  return candidate.left === area.left && candidate.right === area.right && candidate.bottom === area.bottom;
}
