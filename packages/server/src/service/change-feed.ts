import { areaText, cellCount, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../access/access.ts';
import { MAX_FEED_RANGES } from '../limits/notify.ts';
import { commitAreas } from '../store/changes.ts';
import type { StoredArea, StoredAreas } from '../store/commits.ts';
import type { Query } from '../store/database.ts';
import type { StoredAuthor } from '../store/deliveries.ts';
import { namesOfUsers } from '../store/subscriptions.ts';
import type { ServiceContext } from './context.ts';
import { openTable } from './open-table.ts';
import { withSheet } from './ranges.ts';
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
  /** Written and recalculated cells. */
  readonly cellCount: number;
  /** Cells that were written, and those recalculated because of them; A1 with the sheet's present name. */
  readonly ranges: readonly string[];
  readonly derived: readonly string[];
  /** Some ranges are left out. */
  readonly truncated: boolean;
}

interface ChangeList {
  readonly entries: readonly Change[];
  /** The document's newest revision. */
  readonly revision: number;
  /** What to ask for next: `since`, after these entries. */
  readonly next: number;
  readonly hasMore: boolean;
  /** The log does not reach back to `since`: read the document anew, then go on from `next`. */
  readonly gap: boolean;
}

/** What happened after a revision, the oldest first; without the sheets whose values are hidden from the caller. */
export async function getChanges(
  context: ServiceContext,
  access: DocumentAccess,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<ChangeList | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const { revision } = snapshot;
  const none = { entries: [], revision, next: revision, hasMore: false, gap: false };
  if (since === revision) return none;
  const rows = await context.database.read(
    commitAreas({ id: access.documentId, after: since, to: revision, limit: limit + 1 }),
  );
  if (rows[0]?.revision !== since + 1) return { ...none, gap: true };
  const shown = rows.slice(0, limit);
  const authors = await authorsOf(context, shown);
  return {
    entries: shown.map((row) => changeOf(row, snapshot, access.hiddenSheets, authors)),
    revision,
    next: shown.at(-1)?.revision ?? since,
    hasMore: rows.length > limit,
    gap: false,
  };
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
  const { written, derived } = JSON.parse(row.areas) as StoredAreas;
  const isShown = ([sheet]: StoredArea) => !hidden.has(sheet) && snapshot.sheetById(sheet) !== undefined;
  const [wrote, calculated] = [written.filter(isShown), derived.filter(isShown)];
  return {
    revision: row.revision,
    changedAt: new Date(row.at).toISOString(),
    origin: row.origin,
    sourceToken: row.token_name,
    author: authors.get(row.author_id ?? 0) ?? null,
    cellCount: [...wrote, ...calculated].reduce((sum, area) => sum + cellCount(rectangle(area)), 0),
    ranges: texts(wrote, snapshot),
    derived: texts(calculated, snapshot),
    truncated: wrote.length > MAX_FEED_RANGES || calculated.length > MAX_FEED_RANGES,
  };
}

function texts(areas: readonly StoredArea[], snapshot: Snapshot): readonly string[] {
  return areas
    .slice(0, MAX_FEED_RANGES)
    .map((area) => withSheet(snapshot.sheetById(area[0])?.name ?? '', areaText(rectangle(area))));
}

function rectangle([, top, left, bottom, right]: StoredArea) {
  return { top, left, bottom, right };
}
