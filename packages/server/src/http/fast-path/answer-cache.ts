import { RESPONSE_CACHE_BYTES } from '../../limits/http.ts';
import { measurePackedBody, type PackedBody } from '../answer-body.ts';

/** A body as sent, and its ETag. */
export interface CachedAnswer {
  readonly etag: string;
  readonly body: PackedBody;
}

/** Cache key of an answer: the visible state and the request's URL. */
export function createAnswerKey(access: string, url: string): string {
  return `${access} ${url}`;
}

/**
 * Cache of short bodies. A repeated request on an unchanged state gets the same bytes. A key contains a commit id and
 * all parameters, so its body never changes and entries need no invalidation. Unused entries make room for new ones.
 */
export class AnswerCache {
  /** Entries added or used since the generations last changed; `older` is the previous generation. */
  private newer = new Map<string, CachedAnswer>();
  private older: ReadonlyMap<string, CachedAnswer> = new Map();
  /** Size of the entries in `newer` in bytes, including keys. */
  private bytes = 0;

  findAnswer(key: string): CachedAnswer | null {
    const newer = this.newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.older.get(key);
    if (older === undefined) return null;
    this.keepAnswer(key, older);
    return older;
  }

  keepAnswer(key: string, answer: CachedAnswer): void {
    const bytes = RESPONSE_CACHE_BYTES.overhead + key.length + answer.etag.length + measurePackedBody(answer.body);
    if (bytes > RESPONSE_CACHE_BYTES.perAnswer) return;
    if (this.bytes + bytes > RESPONSE_CACHE_BYTES.all / 2) {
      this.older = this.newer;
      this.newer = new Map();
      this.bytes = 0;
    }
    this.newer.set(key, answer);
    this.bytes += bytes;
  }
}
