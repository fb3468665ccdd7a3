import pino from 'pino';
import type { LogLevel } from '../config/types.ts';

/** What must never reach a log, wherever it turns up in a line. */
const SECRETS = ['token', 'secret', 'password', 'botToken', 'authorization', 'headers', 'body'];

export interface Loggers {
  /** For everything; what could be a secret is hidden. */
  readonly main: pino.Logger;
  /** For the line of each request, whose fields are fixed: looking for secrets in it costs more than writing it. */
  readonly requests: pino.Logger;
}

/** Lines of requests go out when there are so many bytes of them, or after so long. Under load one write has several. */
const REQUEST_LINES_BYTES = 4_096;
const REQUEST_LINES_MS = 100;

/** Lines of JSON on standard error, written behind the request's back. */
export function createLoggers(level: LogLevel): Loggers {
  const common = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const { fd } = process.stderr;
  const destination = pino.destination({ fd, sync: false });
  const gathered = pino.destination({
    fd,
    sync: false,
    minLength: REQUEST_LINES_BYTES,
    periodicFlush: REQUEST_LINES_MS,
  });
  const redact = { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' };
  return { main: pino({ ...common, redact }, destination), requests: pino(common, gathered) };
}
