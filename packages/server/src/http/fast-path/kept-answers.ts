import { RESPONSE_CACHE_BYTES } from '../../limits/http.ts';
import type { JsonPart } from '../../operations/answer.ts';

/** A body as it was sent, and its ETag. A text is one of which each character is a byte. */
export interface KeptAnswer {
  readonly etag: string;
  readonly body: JsonPart;
}

/** Names the answer to a question, in the words of its address, by what somebody sees of a state. */
export function answerKey(seen: string, url: string): string {
  return `${seen} ${url}`;
}

/**
 * Short bodies as they were sent: who asks for the same again, and nothing has changed, is given the same bytes. A key
 * names one body for ever, as it holds the id of a commit and all that was asked for of its state: nothing is ever taken
 * back. What is not asked for again makes room for others.
 */
export class KeptAnswers {
  /** Kept or asked for since `older` was what this is. */
  private newer = new Map<string, KeptAnswer>();
  private older: ReadonlyMap<string, KeptAnswer> = new Map();
  /** Of `newer`, keys and all. */
  private bytes = 0;

  find(key: string): KeptAnswer | null {
    const newer = this.newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.older.get(key);
    if (older === undefined) return null;
    this.keep(key, older);
    return older;
  }

  keep(key: string, answer: KeptAnswer): void {
    const bytes = RESPONSE_CACHE_BYTES.overhead + key.length + answer.etag.length + answer.body.length;
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
