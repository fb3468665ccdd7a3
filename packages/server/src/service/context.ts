import type { Database, StoreLocation } from '@cellwire/store';
import type { SecretBox } from '@cellwire/store/keys';
import type { AgentUsage } from '../access/agent-usage.ts';
import type { Passwords } from '../access/passwords.ts';
import type { Config } from '../config/types.ts';
import type { CommitSignal } from '../documents/commit-signal.ts';
import type { Documents } from '../documents/types.ts';
import type { SecurityEvents } from './accounts/security-events.ts';
import type { ListHashes } from './document/list-hashes.ts';
import type { Makings } from './document/makings.ts';
import type { KeyLocks } from './key-locks.ts';
import type { Presence } from './presence/presence.ts';
import type { RecordMemory } from './records/record-memory.ts';

/** What use cases work with; made once by `compose`. */
export interface ServiceContext {
  readonly config: Config;
  readonly database: Database;
  /** The same as the database's, for threads that read it. */
  readonly store: StoreLocation;
  readonly documents: Documents;
  /** Commits of this process. */
  readonly commits: CommitSignal;
  readonly usage: AgentUsage;
  readonly secrets: SecretBox;
  readonly passwords: Passwords;
  /** Who looks at which document. */
  readonly presence: Presence;
  /** What documents are made of, where that takes long. */
  readonly makings: Makings;
  /** What lists of documents hashed to. */
  readonly listHashes: ListHashes;
  /** Requests with an `Idempotency-Key` that are under way. */
  readonly running: KeyLocks;
  /** What is remembered of records to find them again. */
  readonly records: RecordMemory;
  /** Hears of failed sign-ins and refused tokens. */
  readonly security: SecurityEvents;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
}
