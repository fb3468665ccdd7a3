import type { TestContext } from 'node:test';
import { insertNumberedAudits, type NewAuditEntry } from '../../src/audit/audit.ts';
import type { Database, Statement, Unit } from '../../src/database/database.ts';
import { commitAt, insertCommit } from '../../src/documents/commits.ts';
import { advanceDocument } from '../../src/documents/documents.ts';
import { openPostgres } from '../../src/postgres/database.ts';
import { createSchema, queryRows, runSql, type TestSchema } from './server.ts';

const AT = 1_700_000_000_000;
const FIRST_HEAD = 'first';

/** A commit in the log, with the transaction that added it. */
export interface LoggedCommit {
  readonly document_id: string;
  readonly revision: string;
  readonly head: string;
  readonly transaction_id: string;
}

/** A database with documents at revision 0 that is opened by several nodes. */
export class CommitBench {
  readonly schema: TestSchema;
  private readonly t: TestContext;

  private constructor(t: TestContext, schema: TestSchema) {
    this.t = t;
    this.schema = schema;
  }

  /** Creates a schema with documents of the given ids. */
  static async create(t: TestContext, documents: readonly string[]): Promise<CommitBench> {
    const schema = await createSchema();
    t.after(() => schema.remove());
    await (await openPostgres({ url: schema.url, connections: 1 })).close();
    await runSql(
      schema.url,
      `insert into workspaces (name, plan, created_at) values ('W', 'standard', 0);
      insert into users (email, email_key, name, password_hash, workspace_id, created_at) values ('o', 'o', 'O', '', 1, 0);
      insert into documents (id, owner_id, title, type, format, locale, date_system, time_zone, revision, head,
          calculated_at, created_at, updated_at)
        select id, 1, 'T', 'table', 'collaborative', 'en-US', 'google', 'UTC', 0, '${FIRST_HEAD}', 0, 0, 0
        from unnest(array['${documents.join("','")}']) as id`,
    );
    return new CommitBench(t, schema);
  }

  /** Opens the database as a node. `url`: replaces its address. */
  async open(url = this.schema.url): Promise<Database> {
    const database = await openPostgres({ url, connections: 4 });
    this.t.after(() => database.close());
    return database;
  }

  /** All commits, in order of documents and revisions. */
  async listCommits(): Promise<readonly LoggedCommit[]> {
    const columns = 'document_id, revision, head, transaction_id';
    const rows = await queryRows(this.schema.url, `select ${columns} from commits order by document_id, revision`);
    return rows as readonly LoggedCommit[];
  }

  /** Numbers of the audit entries, by document. */
  async listEntries(): Promise<readonly unknown[]> {
    return queryRows(
      this.schema.url,
      `select documents.id, audited, api_audited, (select count(*) from audit where document_id = documents.id) as entries
        from documents order by id`,
    );
  }
}

interface CommitOptions {
  /** The revision that the commit follows; 0 is the document's first. */
  readonly revision?: number;
  /** The commit that it follows. */
  readonly parent?: string;
  readonly statements?: readonly Statement[];
}

/** A unit that commits one cell to a document under the name `head`. */
export function createCommit(
  document: string,
  head: string,
  { revision = 0, parent = FIRST_HEAD, statements = [] }: CommitOptions = {},
): Unit {
  const next = revision + 1;
  const move = { id: document, revision, head: parent, nextRevision: next, nextHead: head };
  return {
    document,
    user: 1,
    statements: [
      advanceDocument({ ...move, calculatedAt: AT, committedAt: AT, epoch: 1, audited: 1, apiAudited: 1 }),
      insertCommit({
        document_id: document,
        revision: next,
        head,
        parent,
        at: AT,
        author_id: 1,
        origin: 'api',
        token_id: null,
        token_name: 'ключ "a" \\ ?',
        request_id: null,
        delta: Uint8Array.of(0, 1, 255),
        areas: '{}',
        row_orders: null,
        structure: null,
        inverse: Uint8Array.of(7),
      }),
      ...insertNumberedAudits([createEntry(document)]),
      ...statements,
    ],
    proof: commitAt({ id: document, revision: next, head }),
  };
}

function createEntry(document: string): NewAuditEntry {
  return {
    document_id: document,
    action: 'write',
    origin: 'api',
    user_id: 1,
    user_name: 'O',
    token_id: null,
    token_name: 'ключ "a" \\ ?',
    range: 'Sheet1!A1',
    cells: 1,
    at: AT,
    subject_id: null,
    subject_address: null,
    request_id: null,
    proposal: null,
  };
}
