import type { Move, OrderedRows, Rearrangement } from '@cellwire/engine';
import type { Insertable } from 'kysely';
import { MAX_AREAS_LENGTH, MAX_COMMIT_AREAS } from '../limits/limits.ts';
import { sealing, unsealed } from './checksum.ts';
import { prepare, prepareStatement } from './database.ts';
import { sql } from './dialect.ts';
import { parsePackedOrders } from './row-orders.ts';
import type { CommitsTable } from './schema.ts';
import type { StructureText } from './structure-text.ts';

/** What a commit changed, as `commits.areas` keeps it: `[sheet, top, left, bottom, right]` each, zero-based. */
export interface StoredAreas {
  readonly written: readonly StoredArea[];
  readonly derived: readonly StoredArea[];
  /** Cells that are in none of the areas, because there were too many; absent: none. A sheet may come twice. */
  readonly rest?: readonly StoredRest[];
  /** What the edits named, where that is more than what they changed: values written that were there already. */
  readonly named?: readonly StoredArea[];
  /** How cells changed places, one move after the other; the areas are where they are after. */
  readonly moves?: readonly Move[];
  /**
   * Rows that were sorted, by how many of the moves came before; absent: none. Those without an order have a packed one
   * (`row-orders.ts`), or are of a version that kept none.
   */
  readonly orders?: readonly OrderedRows[];
  /** The revision whose state was restored, with the positions of its cells. Absent: none. */
  readonly restored?: number;
}

/** The areas of a commit with its packed row orders; `text`: see `commits.row_orders`. */
export function withRowOrders<T extends StoredAreas>(areas: T, text: string | null): T {
  const { orders } = areas;
  const packed = text === null ? null : parsePackedOrders(text);
  if (orders === undefined || packed === null) return areas;
  let next = 0;
  const whole = orders.map(({ after, rows }): OrderedRows => {
    const targets = rows.order === null ? packed[next++] : undefined;
    return targets === undefined ? { after, rows } : { after, rows: { ...rows, targets } };
  });
  return { ...areas, orders: whole };
}

/** True if a sort of the commit has no order without `commits.row_orders`. */
export function lacksRowOrders({ orders = [] }: StoredAreas): boolean {
  return orders.some(({ rows }) => rows.order === null && rows.targets === undefined);
}

/** What a commit did to the places of cells, one step after the other; a restore is not among them. */
export function rearrangementsOf({ moves = [], orders = [] }: StoredAreas): readonly Rearrangement[] {
  if (orders.length === 0) return moves;
  const steps: Rearrangement[] = [];
  for (let made = 0; made <= moves.length; made++) {
    for (const { after, rows } of orders) if (Math.min(after, moves.length) === made) steps.push(rows);
    const next = moves[made];
    if (next !== undefined) steps.push(next);
  }
  return steps;
}

export type StoredRest = readonly [sheet: number, cells: number];
export type StoredArea = readonly [sheet: number, top: number, left: number, bottom: number, right: number];

/** Areas as they are read: `isCut` where the text was of a version that kept any number of them, and some are left out. */
export type ReadAreas = StoredAreas & { readonly isCut: boolean };

const STORED_AREA = /\[(\d+),(\d+),(\d+),(\d+),(\d+)\],?/y;

/** The areas of a commit, `MAX_COMMIT_AREAS` of those written and as many of those recalculated at most. */
export function parseAreas(text: string): ReadAreas {
  if (text.length <= MAX_AREAS_LENGTH) return { ...(JSON.parse(text) as StoredAreas), isCut: false };
  return { written: firstAreas(text, '"written":['), derived: firstAreas(text, '"derived":['), isCut: true };
}

/** The first areas of a list in JSON text without blanks. */
function firstAreas(text: string, list: string): readonly StoredArea[] {
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

/** What edits did to sheets and to the places of cells: the operation's name with what it was done to. */
export type KnownOperation =
  | { readonly addSheet: { readonly name: string } }
  | { readonly renameSheet: { readonly sheet: string; readonly name: string } }
  | { readonly deleteSheet: { readonly sheet: string } }
  | { readonly hideSheet: { readonly sheet: string; readonly hidden: boolean } }
  /** Rows as people count them, columns as letters, ranges with their sheets' names. */
  | { readonly insertRows: { readonly sheet: string; readonly before: number; readonly count: number } }
  | { readonly deleteRows: { readonly sheet: string; readonly from: number; readonly count: number } }
  | { readonly insertColumns: { readonly sheet: string; readonly before: string; readonly count: number } }
  | { readonly deleteColumns: { readonly sheet: string; readonly from: string; readonly count: number } }
  | { readonly moveRows: Carried<number> }
  | { readonly moveColumns: Carried<string> }
  | { readonly insertCells: { readonly range: string; readonly shift: 'down' | 'right' } }
  | { readonly deleteCells: { readonly range: string; readonly shift: 'up' | 'left' } }
  | { readonly cut: { readonly from: string; readonly to: string } };

interface Carried<Line> {
  readonly sheet: string;
  readonly from: Line;
  readonly count: number;
  readonly before: Line;
}

/** An operation as it was sent, its ranges with the names of their sheets. */
type SentOperation = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A change of the document's structure. */
export type Operation = KnownOperation | SentOperation;

/** An operation as it is stored. Readers get it from `service/publishing.ts` alone, which leaves out what is hidden. */
export interface StoredOperation {
  readonly operation: Operation;
  /** Ids of the sheets that it names or takes cells from; null: stored by a version that did not keep them. */
  readonly sheets: readonly number[] | null;
}

export function structureTextOf(operations: readonly StoredOperation[]): StructureText {
  const list = operations.map(({ operation, sheets }) => (sheets === null ? operation : { ...operation, sheets }));
  return JSON.stringify(list) as StructureText;
}

export function parseStructure(text: StructureText | null): readonly StoredOperation[] {
  if (text === null) return [];
  const list = JSON.parse(text) as readonly Readonly<Record<string, object>>[];
  return list.map(({ sheets, ...operation }) => ({
    operation: operation as Operation,
    sheets: Array.isArray(sheets) ? (sheets as number[]) : null,
  }));
}

const KNOWN: ReadonlySet<string> = new Set([
  'addSheet',
  'renameSheet',
  'deleteSheet',
  'hideSheet',
  'insertRows',
  'deleteRows',
  'insertColumns',
  'deleteColumns',
  'moveRows',
  'moveColumns',
  'insertCells',
  'deleteCells',
  'cut',
]);

export function isKnown(operation: Operation): operation is KnownOperation {
  return Object.keys(operation).every((name) => KNOWN.has(name));
}

/** What catching up applies, the oldest first: the commit that the copy is at (while it is kept), and those after. */
export const commitsFrom = unsealed(
  'commits',
  prepare((p: { id: string; revision: number }) =>
    sql
      .selectFrom('commits')
      .select(['revision', 'head', 'parent', 'delta', 'areas', 'structure'])
      .where('document_id', '=', p.id)
      .where('revision', '>=', p.revision)
      .orderBy('revision'),
  ),
);

/** What opening applies to the document's checkpoint, the oldest first. */
export const commitsAfterCheckpoint = unsealed(
  'commits',
  prepare((p: { id: string }) =>
    sql
      .selectFrom('commits')
      .select(['revision', 'delta'])
      .where('document_id', '=', p.id)
      .where('revision', '>', (eb) => eb.selectFrom('checkpoints').select('revision').where('document_id', '=', p.id))
      .orderBy('revision'),
  ),
);

/** Bytes of what opening applies. */
export const deltasSize = prepare((p: { id: string }) =>
  sql
    .selectFrom('commits')
    .select(({ fn }) => fn.sum<number | null>(fn<number>('octet_length', ['delta'])).as('bytes'))
    .where('document_id', '=', p.id)
    .where('revision', '>', (eb) => eb.selectFrom('checkpoints').select('revision').where('document_id', '=', p.id)),
);

type NewCommit = Required<Omit<Insertable<CommitsTable>, 'undoes' | 'undone_by' | 'name'>>;

export const insertCommit = sealing(
  'commits',
  prepareStatement((p: NewCommit) =>
    sql.insertInto('commits').values({
      document_id: p.document_id,
      revision: p.revision,
      head: p.head,
      parent: p.parent,
      at: p.at,
      author_id: p.author_id,
      origin: p.origin,
      token_id: p.token_id,
      token_name: p.token_name,
      request_id: p.request_id,
      delta: p.delta,
      areas: p.areas,
      row_orders: p.row_orders,
      structure: p.structure,
      inverse: p.inverse,
    }),
  ),
  (row) => row,
  { delta: 'delta', inverse: 'inverse' },
);

/** The commit of this name; none where the revision is another's. */
export const commitAt = prepare((p: { id: string; revision: number; head: string }) =>
  sql
    .selectFrom('commits')
    .select('revision')
    .where('document_id', '=', p.id)
    .where('revision', '=', p.revision)
    .where('head', '=', p.head),
);
