import type { SqlValue } from './database.ts';

/**
 * Checksums of columns that are not stored pieces (`checksum.ts`): a column with the CRC-32 of other columns of its row.
 * Null: an older version wrote the row, or a statement that does not know all values. `doctor --repair` adds the sum.
 *
 * A group contains columns that the same statements write, because statements do not read a row before they change it.
 */
export interface SumGroup {
  /** The column that contains the sum. */
  readonly sum: string;
  readonly columns: readonly string[];
  /** True: rows without a value in the last column have no sum. */
  readonly isOptional?: true;
  /**
   * A column whose integer is added to the CRC-32, so that SQL can change both without reading the other columns. Null
   * counts as `NULL_ADDEND`.
   */
  readonly added?: string;
  /** The columns in error messages. */
  readonly describe: (row: StoredRow) => string;
}

export type StoredRow = Readonly<Record<string, SqlValue>>;

const DOCUMENT_SUMS: readonly SumGroup[] = [
  {
    sum: 'facts_sum',
    columns: ['type', 'locale', 'date_system', 'time_zone', 'created_at', 'input_locale'],
    describe: () => 'its settings',
  },
  { sum: 'title_sum', columns: ['title'], describe: () => 'its title' },
  { sum: 'format_sum', columns: ['format'], describe: () => 'its format' },
  { sum: 'times_sum', columns: ['calculated_at', 'committed_at'], describe: () => 'the time of its newest commit' },
  { sum: 'updated_sum', columns: ['updated_at'], describe: () => 'the time of its last change' },
  { sum: 'owner_sum', columns: ['owner_id'], describe: () => 'its owner' },
];

/** The columns of `facts_sum` in `commits`. */
export const COMMIT_FACTS = [
  'revision',
  'head',
  'parent',
  'at',
  'author_id',
  'origin',
  'token_id',
  'token_name',
  'request_id',
] as const;

/** Tables with documents and their parts. Damage in a row is damage of the document. */
export const DOCUMENT_SUM_GROUPS = {
  documents: DOCUMENT_SUMS,
  trash: DOCUMENT_SUMS,
  commits: [
    { sum: 'facts_sum', columns: COMMIT_FACTS, describe: (row) => `the entry of revision ${row['revision']}` },
    {
      sum: 'changes_sum',
      columns: ['revision', 'areas', 'structure'],
      describe: (row) => `the changed areas of revision ${row['revision']}`,
    },
    {
      sum: 'undoes_sum',
      columns: ['revision', 'undoes'],
      isOptional: true,
      describe: (row) => `the mark of revision ${row['revision']} as an undo`,
    },
    {
      sum: 'undone_sum',
      columns: ['revision', 'undone_by'],
      isOptional: true,
      describe: (row) => `the mark of revision ${row['revision']} as undone`,
    },
    {
      sum: 'name_sum',
      columns: ['revision', 'name'],
      isOptional: true,
      describe: (row) => `the name of revision ${row['revision']}`,
    },
  ],
  protections: [
    {
      sum: 'row_sum',
      columns: ['hide_values', 'locked', 'allowed'],
      added: 'sheet_id',
      describe: (row) => `the protection of sheet ${row['sheet_id']}`,
    },
  ],
  shares: [{ sum: 'row_sum', columns: ['user_id', 'role'], describe: (row) => `the share of user ${row['user_id']}` }],
  personal_filters: [
    {
      sum: 'row_sum',
      columns: ['user_id', 'sheet_id', 'revision', 'filter'],
      describe: (row) => `the filter of user ${row['user_id']} on sheet ${row['sheet_id']}`,
    },
  ],
} as const satisfies Readonly<Record<string, readonly SumGroup[]>>;

/**
 * Tables whose rows are independent of documents' content. A damaged row is refused by itself; everything else is
 * served.
 */
export const INDEPENDENT_SUM_GROUPS = {
  workspaces: [
    { sum: 'plan_sum', columns: ['plan'], added: 'created_at', describe: () => 'its plan' },
    { sum: 'name_sum', columns: ['name'], describe: () => 'its name' },
    { sum: 'locale_sum', columns: ['locale'], describe: () => 'its locale' },
    { sum: 'owner_sum', columns: [], added: 'owner_id', describe: () => 'its owner' },
  ],
  users: [
    { sum: 'facts_sum', columns: ['created_at'], added: 'workspace_id', describe: () => 'the workspace' },
    { sum: 'email_sum', columns: ['email', 'email_key'], describe: () => 'the e-mail address' },
    { sum: 'name_sum', columns: ['name'], describe: () => 'the name' },
    { sum: 'password_sum', columns: ['password_hash'], added: 'password_once', describe: () => 'the password' },
    { sum: 'disabled_sum', columns: [], added: 'disabled_at', describe: () => 'whether the user is disabled' },
  ],
  tokens: [
    {
      sum: 'facts_sum',
      columns: ['user_id', 'scopes', 'documents', 'expires_at', 'created_at', 'input_locale', 'proposes'],
      describe: () => 'its user, scopes, documents or expiry',
    },
    { sum: 'name_sum', columns: ['name'], describe: () => 'its name' },
    { sum: 'secret_sum', columns: ['hash', 'prefix'], describe: () => 'its secret' },
    { sum: 'revoked_sum', columns: [], added: 'revoked_at', describe: () => 'whether it is revoked' },
  ],
  google_keys: [
    {
      sum: 'row_sum',
      columns: ['token_id', 'key_id', 'client_email', 'client_id', 'public_key'],
      describe: () => 'its address or public key',
    },
  ],
  sessions: [
    {
      sum: 'facts_sum',
      columns: ['user_id', 'hash', 'created_at', 'expires_at', 'address', 'agent'],
      describe: () => 'its user, secret or end',
    },
    { sum: 'seen_sum', columns: [], added: 'seen_at', describe: () => 'the time of its last use' },
  ],
  invitations: [
    {
      sum: 'facts_sum',
      columns: ['workspace_id', 'email', 'hash', 'inviter_id', 'created_at', 'expires_at', 'shared_document', 'role'],
      describe: () => 'its address, document, role or expiry',
    },
    { sum: 'name_sum', columns: ['invited_by'], describe: () => 'the name of the inviting user' },
    { sum: 'end_sum', columns: ['ended_by'], added: 'ended_at', describe: () => 'whether it has ended' },
  ],
  webhooks: [
    {
      sum: 'facts_sum',
      columns: ['document_id', 'channel', 'chat_id', 'user_id', 'token_id', 'created_at'],
      describe: () => 'its creator, channel or chat',
    },
    { sum: 'url_sum', columns: ['url'], describe: () => 'its url' },
    { sum: 'events_sum', columns: ['events'], describe: () => 'its events' },
    {
      sum: 'active_sum',
      columns: ['active', 'inactive_reason'],
      added: 'since_revision',
      describe: () => 'whether it is active, or its first revision',
    },
    { sum: 'watch_sum', columns: ['watch'], describe: () => 'its range' },
    { sum: 'name_sum', columns: ['token_name'], describe: () => 'the name of its token' },
    { sum: 'until_sum', columns: [], added: 'old_secret_until', describe: () => 'the end of its old secret' },
    { sum: 'listening_sum', columns: [], added: 'listening_until', describe: () => 'the end of webhook listen' },
  ],
  proposals: [
    {
      sum: 'facts_sum',
      columns: [
        ...['document_id', 'id', 'title', 'note', 'action'],
        ...['user_id', 'token_id', 'origin', 'created_at', 'expires_at'],
      ],
      describe: () => 'its proposer, title, note, action or expiry',
    },
    { sum: 'name_sum', columns: ['token_name'], describe: () => 'the name of its token' },
    { sum: 'preview_sum', columns: ['counts', 'preview'], describe: () => 'its preview' },
    { sum: 'base_sum', columns: ['base_revision', 'version'], describe: () => 'its base revision' },
    {
      sum: 'decision_sum',
      columns: ['state', 'decided_by', 'reason', 'revision'],
      added: 'decided_at',
      describe: () => 'its state or decision',
    },
  ],
} as const satisfies Readonly<Record<string, readonly SumGroup[]>>;

/** What an added column with null contributes to its sum. */
export const NULL_ADDEND = -1;

export type SummedTable = keyof typeof DOCUMENT_SUM_GROUPS;
export type IndependentTable = keyof typeof INDEPENDENT_SUM_GROUPS;
