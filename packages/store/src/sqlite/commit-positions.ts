import type { CommitPositions, StoreCommitPosition } from '../database/database.ts';
import type { SqliteConnection } from './connection.ts';

const NEWEST = 'select rowid as number, head from commits order by rowid desc limit 1';
const HEAD = 'select head from commits where rowid = ?';
const SINCE = 'select document_id as id from commits where rowid > ? order by rowid limit ?';
// A new document gets rows in this table and in `documents` together. This table is used because rows of `documents`
// have no row numbers.
const NEWEST_DOCUMENT = 'select max(rowid) as number from checkpoints';
const DOCUMENTS_SINCE = 'select document_id as id from checkpoints where rowid > ? order by rowid limit ?';
const NEWEST_PROPOSAL = 'select max(rowid) as number from proposals';
const OPEN_PROPOSALS = `select count(*) as open from (
  select 1 from proposals where state = 'open' and expires_at > ? limit ?)`;

/** Row ids of the newest commit and the newest document, 0 if there is none, and the commit's head. */
interface RowPosition {
  readonly number: number;
  readonly head: string;
  readonly document: number;
}

/**
 * Positions are SQLite's row ids. A new row gets an id greater than all others, and one connection writes at a time, so
 * that ids have the order of commits. If an id is used again, its commit has another `head`.
 */
export class SqliteCommitPositions implements CommitPositions {
  private readonly reader: SqliteConnection;

  constructor(reader: SqliteConnection) {
    this.reader = reader;
  }

  changesSince({ since, now, maxCommits, maxProposals }: Parameters<CommitPositions['changesSince']>[0]) {
    return {
      position: this.readNewestPosition(),
      documents: since === null ? [] : this.listDocumentsSince(JSON.parse(since) as RowPosition, maxCommits),
      openProposals: this.readOpenProposalsFingerprint(now, maxProposals),
    };
  }

  private readNewestPosition(): StoreCommitPosition {
    const [row] = this.reader.readRows(NEWEST);
    const [document] = this.reader.readRows(NEWEST_DOCUMENT);
    const position: RowPosition = {
      number: Number(row?.['number'] ?? 0),
      head: String(row?.['head'] ?? ''),
      document: Number(document?.['number'] ?? 0),
    };
    return JSON.stringify(position);
  }

  /**
   * The documents that changed after a position. Null for more than `limit` commits or new documents, or if the
   * position is unknown.
   */
  private listDocumentsSince({ number, head, document }: RowPosition, limit: number): readonly string[] | null {
    const [commit] = this.reader.readRows(HEAD, [number]);
    if (String(commit?.['head'] ?? '') !== head) return null;
    const changedDocuments = this.reader.readRows(SINCE, [number, limit + 1]);
    const newDocuments = this.reader.readRows(DOCUMENTS_SINCE, [document, limit + 1]);
    if (changedDocuments.length > limit || newDocuments.length > limit) return null;
    return [...new Set([...changedDocuments, ...newDocuments].map(({ id }) => String(id)))];
  }

  /** A text that changes with the open proposals; null if more than `limit` are open. */
  private readOpenProposalsFingerprint(now: number, limit: number): string | null {
    const [newest] = this.reader.readRows(NEWEST_PROPOSAL);
    const [counted] = this.reader.readRows(OPEN_PROPOSALS, [now, limit + 1]);
    const open = Number(counted?.['open']);
    return open > limit ? null : `${newest?.['number'] ?? 0} ${open}`;
  }
}
