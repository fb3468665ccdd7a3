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

/** Lines of JSON on standard error, written behind the request's back. */
export function createLoggers(level: LogLevel): Loggers {
  const common = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const destination = pino.destination({ fd: process.stderr.fd, sync: false });
  const redact = { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' };
  return { main: pino({ ...common, redact }, destination), requests: pino(common, destination) };
}
