import type { Database, StoreLocation } from '@cellwire/store';
import type { SecretBox } from '@cellwire/store/keys';
import type { AgentUsage } from '../access/agent-usage.ts';
import type { Passwords } from '../access/passwords.ts';
import type { Config } from '../config/types.ts';
import type { CommitSignal } from '../documents/commit-signal.ts';
import type { Documents } from '../documents/types.ts';
import type { SecurityEvents } from './accounts/security-events.ts';
import type { DocumentJobs } from './document/document-jobs.ts';
import type { ListHashes } from './document/list-hashes.ts';
import type { KeyLocks } from './key-locks.ts';
import type { Presence } from './presence/presence.ts';
import type { RecordMemory } from './records/record-memory.ts';

/** The dependencies of use cases; `compose` creates them once. */
export interface ServiceContext {
  readonly config: Config;
  readonly database: Database;
  /** Location of the same database, for threads that read it. */
  readonly store: StoreLocation;
  readonly documents: Documents;
  /** Signals the commits of this process. */
  readonly commits: CommitSignal;
  readonly usage: AgentUsage;
  readonly secrets: SecretBox;
  readonly passwords: Passwords;
  /** Which users view which document. */
  readonly presence: Presence;
  /** Runs imports, copies and exports in threads. */
  readonly documentJobs: DocumentJobs;
  /** Hashes of the document lists that were sent. */
  readonly listHashes: ListHashes;
  /** Running requests with an `Idempotency-Key`. */
  readonly keyLocks: KeyLocks;
  /** Caches for repeated searches of records. */
  readonly recordMemory: RecordMemory;
  /** Receives failed sign-ins and refused tokens. */
  readonly security: SecurityEvents;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
}
