import type { NamedRow } from './table-shape.ts';

/** The newest stored state of a document. */
interface NewestState {
  readonly revision: number;
  /** The name of the commit; null for a checkpoint. */
  readonly head: string | null;
}

/** Tables whose rows must belong to a document in `documents`, `trash` or `unfinished`. */
const OWNED_TABLES: ReadonlySet<string> = new Set(['checkpoints', 'chunks', 'commits', 'protections', 'shares']);

/** A table of documents that are being created or removed. Their rows have no row in `documents` yet, or any more. */
export const UNFINISHED = 'unfinished';
export const UNFINISHED_ROWS = `select document_id from ${UNFINISHED}`;

/** Documents whose counters of audit entries are less than the greatest number of an entry. */
export const MISCOUNTED_ROWS = `select id as document_id from documents
  where audited < (select max(id) from audit where audit.document_id = documents.id)
  or api_audited < (
    select api_number from audit where audit.document_id = documents.id and api_number is not null
    order by audit.id desc limit 1
  )`;
export const MISCOUNT = 'its row counts fewer audit entries than it has';

/**
 * Checks that the rows of documents belong together. The rows must be from one moment: checkpoints before commits, the
 * commits of a document in their order, then documents.
 */
export class DocumentStates {
  private readonly newest = new Map<string, NewestState>();
  private readonly withCheckpoint = new Set<string>();
  private readonly mentioned = new Set<string>();
  private readonly existing = new Set<string>();

  /** Returns the problem that a row reveals, or null. */
  findProblem(table: string, document: string, row: NamedRow): string | null {
    if (OWNED_TABLES.has(table)) this.mentioned.add(document);
    const state = { revision: Number(row['revision']), head: row['head'] as string };
    switch (table) {
      case 'checkpoints':
        this.withCheckpoint.add(document);
        return this.addState(document, { ...state, head: null });
      case 'commits':
        return this.addState(document, state);
      case 'documents':
      case 'trash':
        this.existing.add(document);
        return this.describeMismatch(document, state);
      case UNFINISHED:
        this.existing.add(document);
        return null;
      default:
        return null;
    }
  }

  /** Returns the documents of rows that belong to no document, after all rows. Their id may be damaged. */
  listMissing(): readonly string[] {
    return [...this.mentioned.difference(this.existing)];
  }

  /**
   * Records a state of a document. Returns the problem if a commit between two states is missing. The commits after the
   * checkpoint must follow one another.
   */
  private addState(document: string, state: NewestState): string | null {
    const known = this.newest.get(document);
    if (known !== undefined && state.revision < known.revision) return null;
    // The commit of a checkpoint's revision comes after the checkpoint, and has a name.
    this.newest.set(document, state);
    const isGap = known !== undefined && this.withCheckpoint.has(document) && state.revision > known.revision + 1;
    return isGap ? `the commit of revision ${known.revision + 1} is missing` : null;
  }

  /**
   * Describes how the row of a document and its newest commit disagree; null: they agree. Retention may have deleted the
   * commit of a checkpoint's revision.
   */
  private describeMismatch(document: string, { revision, head }: NewestState): string | null {
    if (!this.withCheckpoint.has(document)) return 'its checkpoint is missing';
    const newest = this.newest.get(document);
    if (newest?.revision === revision && (newest.head === null || newest.head === head)) return null;
    return `its row names another commit than the newest, revision ${newest?.revision}`;
  }
}
