import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { MAX_REQUEST_ID_LENGTH } from '../limits/http.ts';

const HARMLESS = /^[A-Za-z0-9._:-]+$/;

/** The caller's own id, so that its log and ours can be matched, unless it could disturb a log; else a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && given.length <= MAX_REQUEST_ID_LENGTH && HARMLESS.test(given)) return given;
  return randomUUID();
}
