import { type Area, areaText, decodeInverse, type Inverse } from '@cellwire/engine';
import type { Reading } from '../documents/types.ts';
import { CONFLICT_STEP, MAX_CONFLICTS } from '../limits/limits.ts';
import { parseAreas, type StoredOperation } from '../store/commits.ts';
import type { Query } from '../store/database.ts';
import { inverseOf, laterCommits } from '../store/revisions.ts';
import type { ServiceContext } from './context.ts';
import { withSheet } from './ranges.ts';

/** Rows of a band by which areas are found. */
const BAND_ROWS = 256;
/** An area over more bands than this is looked at for every question. */
const MOST_BANDS = 64;

/** Areas by sheet and band of rows: which of many an area meets is asked for every commit since. */
export class AreaIndex {
  private readonly bands = new Map<string, Area[]>();
  private readonly tall = new Map<number, Area[]>();

  constructor(blocks: Inverse['blocks']) {
    for (const { sheet, area } of blocks) {
      const [first, last] = bandsOf(area);
      if (last - first >= MOST_BANDS) push(this.tall, sheet, area);
      else for (let band = first; band <= last; band++) push(this.bands, `${sheet}:${band}`, area);
    }
  }

  /** What an area has in common with these, `limit` areas of it at most. */
  meeting(sheet: number, area: Area, limit: number): readonly Area[] {
    const found = new Map<Area, Area>();
    const look = (list: readonly Area[] = []) => {
      for (const held of list) {
        if (found.size >= limit) return;
        const common = commonArea(held, area);
        if (common !== null) found.set(held, common);
      }
    };
    look(this.tall.get(sheet));
    const [first, last] = bandsOf(area);
    if (last - first < MOST_BANDS)
      for (let band = first; band <= last; band++) look(this.bands.get(`${sheet}:${band}`));
    else for (const [key, list] of this.bands) if (key.startsWith(`${sheet}:`)) look(list);
    return [...found.values()];
  }
}

function push<K>(lists: Map<K, Area[]>, key: K, area: Area): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [area]);
  else list.push(area);
}

function bandsOf({ top, bottom }: Area): readonly [first: number, last: number] {
  return [Math.floor(top / BAND_ROWS), Math.floor(bottom / BAND_ROWS)];
}

function commonArea(a: Area, b: Area): Area | null {
  const top = Math.max(a.top, b.top);
  const left = Math.max(a.left, b.left);
  const bottom = Math.min(a.bottom, b.bottom);
  const right = Math.min(a.right, b.right);
  return top > bottom || left > right ? null : { top, left, bottom, right };
}

/** A revision with what takes it back. */
export interface Reversible {
  readonly revision: number;
  readonly inverse: Inverse;
  readonly index: AreaIndex;
}

type Row = ReturnType<typeof laterCommits> extends Query<infer R> ? R : never;

/**
 * What later commits have written of that which a revision wrote, and what became of its sheets: ranges with their
 * sheets' names, `MAX_CONFLICTS` at most. A commit that was taken back, and the one that took it back, do not count;
 * nor does what was only recalculated.
 */
export async function conflictsOf(
  { database }: Pick<ServiceContext, 'database'>,
  id: string,
  reversible: Reversible,
  latest: Reading,
): Promise<readonly string[]> {
  const { revision, inverse } = reversible;
  const to = latest.snapshot.revision;
  const undoneBy = new Map<number, number>();
  const gone = new Map<number, string>();
  const found = new Set<string>();
  const nameOf = (sheet: number) => latest.snapshot.sheetById(sheet)?.name ?? gone.get(sheet);
  const readInverse = async (row: Row) => {
    const bytes = (await database.readOne(inverseOf({ id, revision: row.revision })))?.inverse ?? null;
    return bytes === null ? null : decodeInverse(bytes);
  };
  for (let after = revision; after < to; ) {
    const rows = await database.read(laterCommits({ id, after, to, limit: CONFLICT_STEP }));
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const row of rows) {
      if (row.undone_by !== null) undoneBy.set(row.revision, row.undone_by);
      const isUndo = row.undoes !== null && undoneBy.get(row.undoes) === row.revision;
      if (row.undone_by !== null || isUndo) continue;
      const deletes = (JSON.parse(row.structure ?? '[]') as StoredOperation[]).some((one) => 'deleteSheet' in one);
      const whole = deletes || isCut(row, inverse) ? await readInverse(row) : null;
      for (const { id: sheet, name } of whole?.head.came ?? []) gone.set(sheet, name);
      for (const [sheet, area] of writtenOf(row, whole)) {
        const room = MAX_CONFLICTS - found.size;
        const common = inverse.head.gone?.includes(sheet) ? [area] : reversible.index.meeting(sheet, area, room);
        for (const one of common) found.add(withSheet(nameOf(sheet) ?? '', areaText(one)));
      }
      if (found.size >= MAX_CONFLICTS) return [...found].slice(0, MAX_CONFLICTS);
    }
    after = last.revision;
    // A long log is looked through in turns with everything else.
    await new Promise(setImmediate);
  }
  for (const sheet of changedSheets(reversible, latest)) found.add(withSheet(nameOf(sheet) ?? '', 'A:XFD'));
  return [...found].slice(0, MAX_CONFLICTS);
}

/** Whether the log does not tell all that a commit wrote to sheets of the other. */
function isCut({ areas }: Row, inverse: Inverse): boolean {
  const { rest = [], isCut: cut } = parseAreas(areas);
  return cut || rest.some(([sheet]) => inverse.blocks.some((block) => block.sheet === sheet));
}

function writtenOf({ areas }: Row, whole: Inverse | null): readonly (readonly [sheet: number, area: Area])[] {
  if (whole !== null && whole.blocks.length > 0) return whole.blocks.map(({ sheet, area }) => [sheet, area]);
  return parseAreas(areas).written.map(([sheet, top, left, bottom, right]) => [sheet, { top, left, bottom, right }]);
}

/** Sheets that are not there any more, or have been renamed, hidden or coloured otherwise since. */
function changedSheets({ inverse }: Reversible, { snapshot }: Reading): readonly number[] {
  const { gone = [], fields = [] } = inverse.head;
  const missing = [...inverse.blocks.map(({ sheet }) => sheet), ...gone].filter((id) => !snapshot.hasSheet(id));
  const other = fields.filter(({ id, after }) => {
    const sheet = snapshot.sheetById(id);
    return sheet?.name !== after.name || sheet.hidden !== after.hidden || sheet.color !== after.color;
  });
  return [...new Set([...missing, ...other.map(({ id }) => id)])];
}
