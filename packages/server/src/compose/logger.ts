import pino from 'pino';
import type { LogLevel } from '../config/types.ts';
import type { RequestLine, WriteRequestLine } from '../http/request-log.ts';

/** What must never reach a log, wherever it turns up in a line. */
const SECRETS = ['token', 'secret', 'password', 'botToken', 'authorization', 'headers', 'body'];

/** Lines of requests go out when there are so many bytes of them, or after so long. Under load one write has many. */
const REQUEST_LINES_BYTES = 15 * 1024;
const REQUEST_LINES_MS = 100;

export interface Loggers {
  /** For everything but requests; what could be a secret is hidden. */
  readonly main: pino.Logger;
  readonly requests: WriteRequestLine;
}

/** Lines of JSON on standard error, written behind the request's back. */
export function createLoggers(level: LogLevel | 'silent'): Loggers {
  const redact = { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact };
  const main = pino(options, pino.destination({ fd: process.stderr.fd, sync: false }));
  return { main, requests: main.isLevelEnabled('info') ? requestLines() : () => {} };
}

/**
 * Writes the lines of requests as the logger would, but quicker: the fields are fixed and hold no secret. Under load
 * that is a good part of what a small read costs.
 */
function requestLines(): WriteRequestLine {
  const destination = pino.destination({
    fd: process.stderr.fd,
    sync: false,
    minLength: REQUEST_LINES_BYTES,
    periodicFlush: REQUEST_LINES_MS,
  });
  const timeText = isoTimes();
  return (line) =>
    destination.write(
      `{"level":${pino.levels.values['info']},"time":"${timeText()}",${fieldsOf(line)},"msg":"request"}\n`,
    );
}

function fieldsOf({ requestId, method, route, status, ms }: RequestLine): string {
  const fields = `"requestId":${JSON.stringify(requestId)},"method":${JSON.stringify(method)}`;
  return `${fields},"route":${JSON.stringify(route)},"status":${status},"ms":${Math.round(ms * 10) / 10}`;
}

/** The time as ISO 8601, written anew once a millisecond. */
function isoTimes(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = new Date(now).toISOString();
    }
    return text;
  };
}
