import type { Move } from '@cellwire/engine';
import type { Database } from '@cellwire/store';
import { commitAreas } from '@cellwire/store/documents';
import { parseAreas, parseStructure, type StoredOperation } from '@cellwire/store/stored-forms';
import { namesOfUsers, type StoredAuthor, type StoredRecords } from '@cellwire/store/webhooks';
import { RECALCULATIONS } from '../documents/types.ts';
import { WINDOW_AREAS_BATCH } from '../limits/notify.ts';
import type { FollowedChanges } from './followed-changes.ts';
import type { GatheringEnvironment } from './gathering-environment.ts';
import { type OpenWindow, sourceOf } from './grouping.ts';
import { WindowCells } from './window-cells.ts';

/** What a window says. */
export interface WindowContent {
  readonly cells: WindowCells;
  /** What was done to sheets as such, and to the places of cells. */
  readonly structure: readonly StoredOperation[];
  /** Null: none are followed. */
  readonly records: StoredRecords | null;
  readonly row: {
    readonly origin: 'api' | 'browser';
    readonly token_id: number | null;
    readonly token_name: string | null;
    /** Of the last request that it covers. */
    readonly request_id: string | null;
    readonly from_revision: number;
    readonly to_revision: number;
    readonly changed_at: number;
    /** JSON array of `StoredAuthor`. */
    readonly authors: string;
  };
}

/**
 * What the source's own commits of a window changed, by where it is after the last that is told; null where none is
 * kept. `followed`: only what they did to those cells; null: everything.
 */
export async function gatherWindow(
  { database }: Pick<GatheringEnvironment, 'database'>,
  id: string,
  window: OpenWindow,
  followed: FollowedChanges | null,
): Promise<WindowContent | null> {
  const cells = new WindowCells();
  const structure: StoredOperation[] = [];
  const authors = new Set<number>();
  /** What others have moved since the last commit that is told. */
  let moves: readonly Move[] = [];
  let row = null as Omit<WindowContent['row'], 'authors'> | null;
  for (let after = window.first - 1; after < window.last; ) {
    const commits = await database.read(commitAreas({ id, after, to: window.last, limit: WINDOW_AREAS_BATCH }));
    const newest = commits.at(-1);
    if (newest === undefined) break;
    after = newest.revision;
    for (const commit of commits) {
      const { revision, at, origin, author_id, token_id, token_name, request_id } = commit;
      const all = parseAreas(commit.areas);
      const isOwn = !RECALCULATIONS.has(origin) && sourceOf(commit) === window.source;
      const areas = !isOwn || followed === null ? all : await followed.add(commit, all);
      if (!isOwn || areas === null) {
        moves = [...moves, ...(all.moves ?? [])];
        continue;
      }
      cells.applyMoves(moves);
      moves = [];
      cells.add(areas);
      structure.push(...parseStructure(commit.structure).filter(isNotified));
      if (author_id !== null) authors.add(author_id);
      row = {
        origin: origin === BROWSER ? BROWSER : 'api',
        token_id,
        token_name,
        request_id: request_id ?? row?.request_id ?? null,
        from_revision: row?.from_revision ?? revision,
        to_revision: revision,
        changed_at: at,
      };
    }
    // A long window is gathered in turns with everything else.
    await new Promise(setImmediate);
  }
  if (row === null) return null;
  const names = JSON.stringify(await authorsOf(database, [...authors]));
  return { cells, structure, records: followed?.records() ?? null, row: { ...row, authors: names } };
}

/** Another name, or not being shown, is no change of what a document holds. */
function isNotified({ operation }: StoredOperation): boolean {
  return !('renameSheet' in operation || 'hideSheet' in operation);
}

/** Origin of changes made in the browser; to receivers all others are the API's. */
const BROWSER = 'browser';

async function authorsOf(database: Database, ids: readonly number[]): Promise<readonly StoredAuthor[]> {
  return ids.length === 0 ? [] : database.read(namesOfUsers(ids));
}
