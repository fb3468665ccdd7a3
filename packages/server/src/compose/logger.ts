import pino from 'pino';
import type { LogLevel } from '../config/types.ts';

/** What must never reach a log, wherever it turns up in a line. */
const SECRETS = ['token', 'secret', 'password', 'botToken', 'authorization', 'headers', 'body'];

/** Lines of JSON on standard error, written behind the request's back. */
export function createLogger(level: LogLevel): pino.Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
    },
    pino.destination({ fd: process.stderr.fd, sync: false }),
  );
}
