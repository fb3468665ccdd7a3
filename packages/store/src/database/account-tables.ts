import type { Generated } from 'kysely';
import type { SharesTable } from './document-tables.ts';

export interface WorkspacesTable {
  id: Generated<number>;
  name: string;
  plan: 'free' | 'standard' | 'professional' | 'enterprise';
  created_at: number;
  /** The user who manages the users of the workspace; null until it has a user. */
  owner_id: Generated<number | null>;
  /** Locale of new documents; null for the service's locale. */
  locale: Generated<string | null>;
  /** Sums of columns (`sum-groups.ts`), here and in the following tables. */
  plan_sum: Generated<number | null>;
  name_sum: Generated<number | null>;
  locale_sum: Generated<number | null>;
  owner_sum: Generated<number | null>;
}

export interface UsersTable {
  id: Generated<number>;
  email: string;
  /** The e-mail address in lower case; unique. */
  email_key: string;
  name: string;
  password_hash: string;
  workspace_id: number;
  created_at: number;
  /** Time since which the user can neither sign in nor use tokens; null if not disabled. */
  disabled_at: Generated<number | null>;
  /** 1 if another person chose the password, so that the user must change it at the next sign-in; otherwise 0. */
  password_once: Generated<number>;
  /** Last sign-in to the console; null if not known. */
  signed_in_at: Generated<number | null>;
  facts_sum: Generated<number | null>;
  email_sum: Generated<number | null>;
  name_sum: Generated<number | null>;
  password_sum: Generated<number | null>;
  disabled_sum: Generated<number | null>;
}

/** A service account key: its public half, and the token whose rights it has. */
export interface GoogleKeysTable {
  token_id: number;
  /** Id in the key file; random, and therefore unique. */
  key_id: string;
  client_email: string;
  client_id: string;
  /** The key in PEM form. */
  public_key: string;
  row_sum: Generated<number | null>;
}

export interface TokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** SHA-256 of the token, in hex; unique. */
  hash: string;
  /** JSON array of scope names. */
  scopes: string;
  /** JSON array of document ids; null if the token is not limited to documents. */
  documents: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  /** The first characters of the token, for recognition; null if an older version created it. */
  prefix: Generated<string | null>;
  /** Approximate time of last use; null if never used, or last used before this was stored. */
  used_at: Generated<number | null>;
  /** Locale of typed input, as in `DocumentsTable`. It overrides the document's value. */
  input_locale: Generated<string | null>;
  /** 1 if every write with the token becomes a proposal; otherwise 0. */
  proposes: Generated<number>;
  facts_sum: Generated<number | null>;
  name_sum: Generated<number | null>;
  secret_sum: Generated<number | null>;
  revoked_sum: Generated<number | null>;
}

/** Sessions of signed-in users. Ended sessions have no row. */
export interface SessionsTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the cookie's secret, in hex; unique. */
  hash: string;
  created_at: number;
  /** Approximate time of last use. */
  seen_at: number;
  /** Time at which the session ends even if it is still used. */
  expires_at: number;
  /** Network address and user agent of the sign-in. */
  address: string;
  agent: string;
  facts_sum: Generated<number | null>;
  seen_sum: Generated<number | null>;
}

/** Invitations. Ended ones are kept for a while, so that their links can explain why they ended. */
export interface InvitationsTable {
  id: Generated<number>;
  workspace_id: number;
  email: string;
  /** SHA-256 of the link's secret, in hex; unique. */
  hash: string;
  /** Name of the inviting user. */
  invited_by: string;
  /** The inviting user; null if an older version stored the invitation and several users had the name. */
  inviter_id: Generated<number | null>;
  created_at: number;
  expires_at: number;
  /** The document to share with the accepting user; null if none. */
  shared_document: Generated<string | null>;
  role: Generated<SharesTable['role'] | null>;
  /** Time of acceptance or withdrawal; null if still open. */
  ended_at: Generated<number | null>;
  ended_by: Generated<'use' | 'withdrawal' | null>;
  facts_sum: Generated<number | null>;
  name_sum: Generated<number | null>;
  end_sum: Generated<number | null>;
}

/** Number of sign-in attempts since `started_at`. */
export interface SignInAttemptsTable {
  key: string;
  started_at: number;
  count: number;
}

/** Sign-ins and changes of access rights. */
export interface AccountLogTable {
  id: Generated<number>;
  workspace_id: number;
  at: number;
  action: string;
  /** `browser`, or `operator` for the command line. */
  origin: string;
  /** The acting user; null for an operator. */
  user_id: number | null;
  user_name: string;
  /** The affected user. */
  subject_id: number | null;
  subject: string;
  /** The affected object other than a user: the name of a token, an address. */
  detail: string;
  /** Network address of the request. */
  address: string;
}

/** Requests of a user's API tokens in a period, and how many of them were rate limited. */
export interface RequestCountsTable {
  user_id: number;
  period_start: number;
  requests: number;
  refused: number;
}

export interface AgentUsageTable {
  user_id: number;
  /** Start of the calendar window. */
  window_start: number;
  used: number;
}
