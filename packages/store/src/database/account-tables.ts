import type { Generated } from 'kysely';
import type { SharesTable } from './document-tables.ts';

export interface WorkspacesTable {
  id: Generated<number>;
  name: string;
  plan: 'free' | 'standard' | 'professional' | 'enterprise';
  created_at: number;
  /** Who manages its users; null: it has none yet. */
  owner_id: Generated<number | null>;
  /** Of its new documents; null: the service's. */
  locale: Generated<string | null>;
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
  /** Who is disabled can neither sign in nor use a token; null: may. */
  disabled_at: Generated<number | null>;
  /** 1: the password was made by somebody else, and must be changed at the next sign-in. */
  password_once: Generated<number>;
  /** The last sign-in to the console; null: none that is known. */
  signed_in_at: Generated<number | null>;
}

/** A service-account key: the public half, and the token whose rights it has. */
export interface GoogleKeysTable {
  token_id: number;
  /** Of the key file; unique in practice, as it is random. */
  key_id: string;
  client_email: string;
  client_id: string;
  /** PEM. */
  public_key: string;
}

export interface TokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** SHA-256 of the token, in hex; unique. */
  hash: string;
  /** JSON array of scope names. */
  scopes: string;
  /** JSON array of document ids; null: not limited to some. */
  documents: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  /** The first characters of the token, to tell it by; null: made by a version that kept none. */
  prefix: Generated<string | null>;
  /** About when it was last used; null: never, or before that was kept. */
  used_at: Generated<number | null>;
  /** As in `DocumentsTable`; it comes before the document's. */
  input_locale: Generated<string | null>;
  /** 1: every write with it becomes a proposal. */
  proposes: Generated<number>;
}

/** Who is signed in. A session that was ended has no row. */
export interface SessionsTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of what the cookie holds, in hex; unique. */
  hash: string;
  created_at: number;
  /** About when it was last used. */
  seen_at: number;
  /** The end, however much it is used. */
  expires_at: number;
  /** Where it began from, and with what. */
  address: string;
  agent: string;
}

/** Invitations. Ended ones stay for a while, so that their links can say why they ended. */
export interface InvitationsTable {
  id: Generated<number>;
  workspace_id: number;
  email: string;
  /** SHA-256 of what the link holds, in hex; unique. */
  hash: string;
  /** The name of who invited. */
  invited_by: string;
  created_at: number;
  expires_at: number;
  /** The document that is shared with the user who accepts; null: none. */
  shared_document: Generated<string | null>;
  role: Generated<SharesTable['role'] | null>;
  /** When it was used or withdrawn; null: it was neither. */
  ended_at: Generated<number | null>;
  ended_by: Generated<'use' | 'withdrawal' | null>;
}

/** How often something was tried since `started_at`. */
export interface SignInAttemptsTable {
  key: string;
  started_at: number;
  count: number;
}

/** Sign-ins, and changes of who may do what. */
export interface AccountLogTable {
  id: Generated<number>;
  workspace_id: number;
  at: number;
  action: string;
  /** `browser`, or `operator` for the command line. */
  origin: string;
  /** Who did it; null: an operator. */
  user_id: number | null;
  user_name: string;
  /** The user whom it is about. */
  subject_id: number | null;
  subject: string;
  /** What it is about beside a user: the name of a token, an address. */
  detail: string;
  /** Where it came from. */
  address: string;
}

/** Requests of a user's API tokens in a period, and how many of them were refused for their number. */
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
