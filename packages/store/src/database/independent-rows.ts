import { type SqlValue, type Statement, StoreError } from './database.ts';
import { findWrongGroups, listSummedColumns, sumRow } from './row-sums.ts';
import { INDEPENDENT_SUM_GROUPS, type IndependentTable, type StoredRow } from './sum-groups.ts';

/** How a table's rows are named and mended. */
interface RowNaming {
  /** The primary key. */
  readonly key: readonly string[];
  /** Further columns that `describe` reads. */
  readonly shown: readonly string[];
  /** Names a row for the operator. Its values may be damaged. */
  readonly describe: (row: StoredRow) => string;
  /** What ends the damage: a clause in the imperative. */
  readonly remedy: string;
}

const NAMINGS: Readonly<Record<IndependentTable, RowNaming>> = {
  workspaces: {
    key: ['id'],
    shown: ['name'],
    describe: ({ id, name }) => `workspace ${id} (${name})`,
    remedy: 'set the value again with cellwire user plan or cellwire workspace rename',
  },
  users: {
    key: ['id'],
    shown: ['email'],
    describe: ({ id, email }) => `user ${id} (${email})`,
    remedy: 'set the value again with cellwire user rename, email, password, disable or enable',
  },
  tokens: {
    key: ['id'],
    shown: ['name', 'user_id'],
    describe: ({ id, name, user_id }) => `token ${id} (${name}) of user ${user_id}`,
    remedy: 'revoke it and create another one',
  },
  google_keys: {
    key: ['token_id'],
    shown: ['client_email'],
    describe: ({ token_id, client_email }) => `service-account key ${token_id} (${client_email})`,
    remedy: 'revoke it and create another one',
  },
  sessions: {
    key: ['id'],
    shown: ['user_id'],
    describe: ({ id, user_id }) => `session ${id} of user ${user_id}`,
    remedy: 'the user signs in again',
  },
  invitations: {
    key: ['id'],
    shown: ['email'],
    describe: ({ id, email }) => `invitation ${id} (${email})`,
    remedy: 'withdraw it and invite again',
  },
  webhooks: {
    key: ['id'],
    shown: ['document_id'],
    describe: ({ id, document_id }) => `subscription ${id} of document ${document_id}`,
    remedy: 'delete it and create it again',
  },
  proposals: {
    key: ['document_id', 'id'],
    shown: [],
    describe: ({ id, document_id }) => `proposal ${id} of document ${document_id}`,
    remedy: 'propose the change again',
  },
};

export const INDEPENDENT_TABLES = Object.keys(INDEPENDENT_SUM_GROUPS) as readonly IndependentTable[];

export function isIndependentTable(table: string): table is IndependentTable {
  return table in INDEPENDENT_SUM_GROUPS;
}

/** Returns the primary key's columns. */
export function listKeyColumns(table: IndependentTable): readonly string[] {
  return NAMINGS[table].key;
}

/** Returns the columns that checking a row reads. */
export function listIndependentColumns(table: IndependentTable): readonly string[] {
  const { key, shown } = NAMINGS[table];
  return [...new Set([...key, ...shown, ...listSummedColumns(table)])];
}

/** Returns the SQL of a query of all rows of a table, with the columns that checking them reads. */
export function selectIndependentRows(table: IndependentTable): string {
  return `select ${listIndependentColumns(table).join(', ')} from ${table}`;
}

/** A damaged row. */
export interface RowDamage {
  readonly table: IndependentTable;
  /** The primary key. */
  readonly key: readonly SqlValue[];
  /** The sums that do not match. */
  readonly sums: readonly string[];
  /** Names the row and its damaged columns, and says what to do. */
  readonly problem: string;
}

/** Returns the damage of a row that has all columns of `listIndependentColumns`; null if its sums are right. */
export function findRowDamage(table: IndependentTable, row: StoredRow): RowDamage | null {
  const wrong = findWrongGroups(table, row);
  if (wrong.length === 0) return null;
  const { key, describe, remedy } = NAMINGS[table];
  return {
    table,
    key: key.map((name) => row[name] ?? null),
    sums: wrong.map(({ sum }) => sum),
    problem: `${describe(row)} is damaged: ${wrong.map((group) => group.describe(row)).join('; ')}; ${remedy}`,
  };
}

/** Returns a statement that stores new sums of a row as it is, unless it has changed since it was read. */
export function acceptRow(table: IndependentTable, row: StoredRow): Statement {
  const sums = Object.entries(sumRow(table, row));
  const old = listIndependentColumns(table);
  return {
    sql: `update ${table} set ${sums.map(([name]) => `${name} = ?`).join(', ')}
      where ${old.map((name) => `${name} is not distinct from ?`).join(' and ')}`,
    parameters: [...sums.map(([, sum]) => sum), ...old.map((name) => row[name] ?? null)],
  };
}

/** A row of an account, a subscription or a proposal is damaged. `code` is `DAMAGED_ROW`. */
export class DamagedRowError extends StoreError {
  constructor({ problem }: RowDamage) {
    super(problem, 'DAMAGED_ROW');
  }
}
