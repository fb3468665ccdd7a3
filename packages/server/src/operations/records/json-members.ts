import { runSynchronously } from '@cellwire/event-loop';
import { MAX_BODY_DEPTH } from '../../limits/http.ts';
import { invalidRequest, type Refusal } from '../../service/refusal.ts';
import { JsonError, LongIntegerError, parseInPieces } from '../json/json-pieces.ts';
import { createLongIntegerRefusal } from '../json/long-integers.ts';

export type JsonMembers = Readonly<Record<string, unknown>>;

/** Boolean query parameters. */
const FLAGS = ['caseSensitive', 'fillFormulas'];

/** Converts query parameters to the members of a JSON body. `jsonNames`: parameters that contain JSON texts. */
export function parseQueryMembers(query: JsonMembers, jsonNames: readonly string[]): JsonMembers | Refusal {
  const members: Record<string, unknown> = { ...query };
  for (const name of jsonNames) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    try {
      members[name] = runSynchronously(parseInPieces(Buffer.from(text)));
    } catch (error) {
      if (error instanceof LongIntegerError) return createLongIntegerRefusal([name, ...error.path], error.integer);
      if (!(error instanceof JsonError)) throw error;
      return invalidRequest(name, `${name} must be JSON, nested at most ${MAX_BODY_DEPTH} levels`);
    }
  }
  for (const name of FLAGS) if (query[name] !== undefined) members[name] = query[name] === 'true';
  return members;
}
