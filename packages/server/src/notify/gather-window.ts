import type { Move } from '@cellwire/engine';
import type { Database } from '@cellwire/store';
import { commitAreas } from '@cellwire/store/documents';
import { parseAreas, parseStructure, type StoredOperation } from '@cellwire/store/stored-forms';
import { namesOfUsers, type StoredAuthor, type StoredRecords } from '@cellwire/store/webhooks';
import { RECALCULATIONS } from '../documents/types.ts';
import { WINDOW_AREAS_BATCH } from '../limits/notify.ts';
import type { FollowedChanges } from './followed-changes.ts';
import type { GatheringEnvironment } from './gathering-environment.ts';
import { type OpenWindow, toCommitSource } from './grouping.ts';
import { WindowCells } from './window-cells.ts';

/** The changes of a window. */
export interface WindowContent {
  readonly cells: WindowCells;
  /** Operations on sheets, and operations that moved cells. */
  readonly structure: readonly StoredOperation[];
  /** Null: no records are followed. */
  readonly records: StoredRecords | null;
  readonly row: {
    readonly origin: 'api' | 'browser';
    readonly token_id: number | null;
    readonly token_name: string | null;
    /** Id of the last request that the window covers. */
    readonly request_id: string | null;
    readonly from_revision: number;
    readonly to_revision: number;
    readonly changed_at: number;
    /** JSON array of `StoredAuthor`. */
    readonly authors: string;
  };
}

/**
 * Collects the changes by the window's own source. Cells have their positions after the last of these commits.
 * `followed`: only changes of these cells; null: all changes. Returns null if the log has none of the commits.
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
  /** Moves by other sources since the last collected commit. */
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
      const isOwn = !RECALCULATIONS.has(origin) && toCommitSource(commit) === window.source;
      const areas = !isOwn || followed === null ? all : await followed.addCommit(commit, all);
      if (!isOwn || areas === null) {
        moves = [...moves, ...(all.moves ?? [])];
        continue;
      }
      cells.applyMoves(moves);
      moves = [];
      cells.addCommitAreas(areas);
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
    // Let other work run while a long window is collected.
    await new Promise(setImmediate);
  }
  if (row === null) return null;
  const names = JSON.stringify(await readAuthors(database, [...authors]));
  return { cells, structure, records: followed?.toStoredRecords() ?? null, row: { ...row, authors: names } };
}

/** False for renaming and hiding a sheet, because these do not change the document's content. */
function isNotified({ operation }: StoredOperation): boolean {
  return !('renameSheet' in operation || 'hideSheet' in operation);
}

/** Origin of changes in the browser. For receivers all other origins are `api`. */
const BROWSER = 'browser';

async function readAuthors(database: Database, ids: readonly number[]): Promise<readonly StoredAuthor[]> {
  return ids.length === 0 ? [] : database.read(namesOfUsers(ids));
}
