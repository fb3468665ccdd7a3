import { areaText, cellCount, type Piece, piecesOf, type Snapshot, targetOf } from '@cellwire/engine';
import type { DocumentAccess } from '../access/access.ts';
import type { Reading } from '../documents/types.ts';
import { FEED_STEP, MAX_FEED_RANGES, MAX_FEED_RANGES_LENGTH } from '../limits/notify.ts';
import { commitAreas, commitNamed } from '../store/changes.ts';
import type { StoredArea, StoredOperation, StoredRest } from '../store/commits.ts';
import { parseAreas } from '../store/commits.ts';
import type { Query } from '../store/database.ts';
import type { StoredAuthor } from '../store/deliveries.ts';
import { namesOfUsers } from '../store/subscriptions.ts';
import type { ServiceContext } from './context.ts';
import { openReading } from './open-table.ts';
import { rangeText, withSheet } from './ranges.ts';
import type { Refusal } from './refusal.ts';
import { isRefusal } from './refusal.ts';

/** One revision: who changed what. The values themselves are read where they are needed. */
interface Change {
  readonly revision: number;
  /** ISO 8601. */
  readonly changedAt: string;
  /** `api`, `agent`, `import`, `browser`; `operator`; `clock`, `access`: formulas were calculated anew, for the day or somebody's rights have changed. */
  readonly origin: string;
  readonly sourceToken: string | null;
  readonly author: StoredAuthor | null;
  /** Written and recalculated cells; of a commit that an older version kept whole, those of its first areas. */
  readonly cellCount: number;
  /** Cells that were written, and those recalculated because of them; A1 with the sheet's present name. */
  readonly ranges: readonly string[];
  readonly derived: readonly string[];
  /** Some ranges are left out. */
  readonly truncated: boolean;
  /** Where cells went that changed places, one move after the other, as the document was at that time; absent: none did. */
  readonly moved?: readonly Moved[];
  /** What was done to sheets as such, by their names. */
  readonly structure: readonly StoredOperation[];
  /** See `ChangeList`. */
  readonly incarnation: string;
}

interface Moved {
  /** A1 with the sheet's present name. */
  readonly from: string;
  readonly to: string;
}

interface ChangeList {
  readonly entries: readonly Change[];
  /** The document's newest revision. */
  readonly revision: number;
  /** What to ask for next: `since`, after these entries. */
  readonly next: number;
  readonly hasMore: boolean;
  /** The log does not reach back to `since`, or `since` is of another history: read anew, then go on from `next`. */
  readonly gap: boolean;
  /** Names the history that `next` is a place of: to be given back with it. */
  readonly incarnation: string;
}

interface ChangesWanted {
  readonly since: number;
  /** What came with `since`; null: the caller does not say. */
  readonly incarnation: string | null;
  readonly limit: number;
  /** Characters of the entries as JSON text; one entry is told all the same. */
  readonly maxLength: number;
}

/** What happened after a revision, the oldest first; without the sheets whose values are hidden from the caller. */
export async function getChanges(
  context: ServiceContext,
  access: DocumentAccess,
  { since, incarnation, limit, maxLength }: ChangesWanted,
): Promise<ChangeList | Refusal> {
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const { snapshot } = reading;
  const { revision } = snapshot;
  const none = { entries: [], revision, next: revision, hasMore: false, gap: false, incarnation: reading.head };
  if (!(await isKnown(context, access.documentId, incarnation, reading))) return { ...none, gap: true };
  if (since === revision) return none;
  if (since > revision) return { ...none, gap: true };
  const entries: Change[] = [];
  const told = () => listOf(entries, reading);
  let length = 0;
  for (let after = since; entries.length < limit && after < revision; ) {
    const step = Math.min(FEED_STEP, limit - entries.length);
    const rows = await context.database.read(commitAreas({ id: access.documentId, after, to: revision, limit: step }));
    if (rows[0]?.revision !== after + 1) {
      if (entries.length === 0) return { ...none, gap: true };
      break;
    }
    const authors = await authorsOf(context, rows);
    for (const row of rows) {
      const entry = changeOf(row, snapshot, access.hiddenSheets, authors);
      length += JSON.stringify(entry).length;
      if (entries.length > 0 && length > maxLength) return told();
      entries.push(entry);
    }
    after += rows.length;
    // Many commits are told in turns with everything else.
    await new Promise(setImmediate);
  }
  return told();
}

function listOf(entries: readonly Change[], { snapshot, head }: Reading): ChangeList {
  const { revision } = snapshot;
  const last = entries.at(-1);
  const next = last?.revision ?? revision;
  return { entries, revision, next, hasMore: next < revision, gap: false, incarnation: last?.incarnation ?? head };
}

/**
 * Whether a history is this one: an incarnation is the id of a commit, which is random, so that a folder put back from
 * a copy, which goes on from an earlier commit with other ones, does not know it.
 */
async function isKnown(
  { database }: ServiceContext,
  id: string,
  incarnation: string | null,
  { head }: Reading,
): Promise<boolean> {
  if (incarnation === null || incarnation === head) return true;
  return (await database.readOne(commitNamed({ id, head: incarnation }))) !== null;
}

type Row = ReturnType<typeof commitAreas> extends Query<infer R> ? R : never;

async function authorsOf(
  { database }: ServiceContext,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, StoredAuthor>> {
  const ids = [...new Set(rows.flatMap(({ author_id }) => author_id ?? []))];
  const users = ids.length === 0 ? [] : await database.read(namesOfUsers(ids));
  return new Map(users.map((user) => [user.id, user]));
}

function changeOf(
  row: Row,
  snapshot: Snapshot,
  hidden: ReadonlySet<number>,
  authors: ReadonlyMap<number, StoredAuthor>,
): Change {
  const { written, derived, rest = [], moves = [], isCut } = parseAreas(row.areas);
  const moved = moves.flatMap((move) => piecesOf(move).pieces).flatMap((piece) => movedOf(piece, snapshot, hidden));
  const isShown = ([sheet]: StoredArea | StoredRest) => !hidden.has(sheet) && snapshot.sheetById(sheet) !== undefined;
  const [wrote, calculated, others] = [written.filter(isShown), derived.filter(isShown), rest.filter(isShown)];
  const ranges = texts(wrote, snapshot);
  const calculatedRanges = texts(calculated, snapshot);
  const isWhole = ranges.length === wrote.length && calculatedRanges.length === calculated.length;
  return {
    revision: row.revision,
    changedAt: new Date(row.at).toISOString(),
    origin: row.origin,
    sourceToken: row.token_name,
    author: authors.get(row.author_id ?? 0) ?? null,
    cellCount: others.reduce(
      (sum, [, cells]) => sum + cells,
      [...wrote, ...calculated].reduce((sum, area) => sum + cellCount(rectangle(area)), 0),
    ),
    ranges,
    derived: calculatedRanges,
    truncated: !isWhole || others.length > 0 || isCut,
    ...(moved.length > 0 ? { moved } : {}),
    structure: JSON.parse(row.structure ?? '[]') as StoredOperation[],
    incarnation: row.head,
  };
}

function movedOf(piece: Piece, snapshot: Snapshot, hidden: ReadonlySet<number>): readonly Moved[] {
  const to = targetOf(piece);
  const name = ({ sheet }: { readonly sheet: number }) =>
    hidden.has(sheet) ? undefined : snapshot.sheetById(sheet)?.name;
  const [from, target] = [name(piece), name(to)];
  if (from === undefined || target === undefined) return [];
  return [{ from: withSheet(from, rangeText(piece.area)), to: withSheet(target, rangeText(to.area)) }];
}

/** The first ranges in A1 form. */
function texts(areas: readonly StoredArea[], snapshot: Snapshot): readonly string[] {
  const found: string[] = [];
  let length = 0;
  for (const area of areas) {
    const text = withSheet(snapshot.sheetById(area[0])?.name ?? '', areaText(rectangle(area)));
    length += text.length;
    if (found.length === MAX_FEED_RANGES || length > MAX_FEED_RANGES_LENGTH) break;
    found.push(text);
  }
  return found;
}

function rectangle([, top, left, bottom, right]: StoredArea) {
  return { top, left, bottom, right };
}
