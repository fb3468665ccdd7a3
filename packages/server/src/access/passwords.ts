import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { AdmissionQueue, type Consumer, ConsumptionMeter } from '@cellwire/event-loop';
import { MAX_HASHES, MAX_WAITING_HASHES, MAX_WAITING_HASHES_PER_USER } from '../limits/console.ts';
import { type AccessRefusal, BUSY } from './refusal.ts';

/** Parameters of scrypt: cost (N), block size (r) and parallelization (p). */
interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** From OWASP's Password Storage Cheat Sheet; uses 32 MiB of memory. */
const SCRYPT: ScryptCost = { N: 2 ** 15, r: 8, p: 3 };
const SCRYPT_MEMORY_BYTES = 64 * 1024 * 1024;
const SCRYPT_KEY_BYTES = 32;
const SALT_BYTES = 16;

/** Stands in for a missing hash, so that unknown users take as long as known ones. */
const DUMMY_HASH = { salt: Buffer.alloc(SALT_BYTES), key: Buffer.alloc(SCRYPT_KEY_BYTES) };

/**
 * Hashes passwords, a few at a time, because each one occupies a thread of the process's pool for part of a second.
 * Refuses if too many are waiting. `consumer` is the user or network address of the request; none gets more than half of the
 * places.
 */
export class Passwords {
  private readonly cost: ScryptCost;
  private readonly queue = new AdmissionQueue(
    { places: MAX_HASHES, waiting: MAX_WAITING_HASHES, waitingPerUser: MAX_WAITING_HASHES_PER_USER },
    new ConsumptionMeter(),
  );

  constructor(cost: ScryptCost = SCRYPT) {
    this.cost = cost;
  }

  /** The stored form of a password: `scrypt$N$r$p$salt$key`, salt and key in base64. */
  hash(password: string, consumer: Consumer = null): Promise<string | AccessRefusal> {
    return this.runQueued(consumer, async () => {
      const salt = randomBytes(SALT_BYTES);
      return formatHash(this.cost, salt, await deriveKey(password, salt, this.cost));
    });
  }

  /** Whether a password matches the stored form. Without a stored form the result is false after the same time. */
  matches(password: string, stored: string | null, consumer: Consumer = null): Promise<boolean | AccessRefusal> {
    return this.runQueued(consumer, async () => {
      const form = parseHash(stored);
      const { cost, salt, key } = form ?? { cost: this.cost, ...DUMMY_HASH };
      const actual = await deriveKey(password, salt, cost);
      return timingSafeEqual(actual, key) && form !== null;
    });
  }

  /** Whether a stored form has other scrypt parameters than new ones. */
  isOutdated(stored: string): boolean {
    const cost = parseHash(stored)?.cost;
    return cost === undefined || cost.N !== this.cost.N || cost.r !== this.cost.r || cost.p !== this.cost.p;
  }

  /** Runs the task when the queue admits it. Returns the refusal `BUSY` without running it if the queue is full. */
  private async runQueued<T>(consumer: Consumer, task: () => Promise<T>): Promise<T | AccessRefusal> {
    const admission = await this.queue.enter({ user: consumer, expectedMs: 0 });
    if (admission === null) return BUSY;
    const start = performance.now();
    try {
      return await task();
    } finally {
      admission.leave(performance.now() - start);
    }
  }
}

function formatHash({ N, r, p }: ScryptCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$');
}

/** Null: the text is not a stored form. */
function parseHash(
  stored: string | null,
): { readonly cost: ScryptCost; readonly salt: Buffer; readonly key: Buffer } | null {
  const [scheme, N, r, p, salt, key] = stored?.split('$') ?? [];
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return null;
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== SCRYPT_KEY_BYTES) return null;
  return { cost: { N: Number(N), r: Number(r), p: Number(p) }, salt: Buffer.from(salt, 'base64'), key: bytes };
}

function deriveKey(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, SCRYPT_KEY_BYTES, { ...cost, maxmem: SCRYPT_MEMORY_BYTES }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
