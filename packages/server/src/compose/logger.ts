import pino from 'pino';
import type { LogLevel } from '../config/types.ts';
import type { RequestLine, WriteRequestLine } from '../http/request-log.ts';

/** What must never reach a log, wherever it turns up in a line. */
const SECRETS = ['token', 'secret', 'password', 'botToken', 'authorization', 'headers', 'body'];

/** Lines of requests go out when there are so many characters of them, or after so long. Under load one write has many. */
const GATHERED_CHARACTERS = 15 * 1024;
const GATHERED_MS = 100;
/** At the end the last lines are waited for so long, in milliseconds. */
const MAX_END_MS = 1_000;

interface Loggers {
  /** For everything but requests; what could be a secret is hidden. */
  readonly main: pino.Logger;
  readonly requests: WriteRequestLine;
  /** Waits until all lines are out, a while at most; once more does no harm. What is logged after that is lost. */
  close(): Promise<void>;
}

/** Lines of JSON on standard error, written behind the request's back. */
export function createLoggers(level: LogLevel | 'silent'): Loggers {
  const redact = { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact };
  const lines = openLines();
  const main = pino(options, { write: (line) => lines.write(line) });
  const requests = main.isLevelEnabled('info') ? requestLines(lines) : () => {};
  return { main, requests, close: () => lines.end() };
}

interface Lines {
  /** At once, after those that were gathered. */
  write(line: string): void;
  /** Together with others, a little later. */
  gather(line: string): void;
  end(): Promise<void>;
}

/** The way to standard error. What is logged after its end is dropped: who logs is not to fail for that. */
function openLines(): Lines {
  const destination = pino.destination({ fd: process.stderr.fd, sync: false });
  let gathered = '';
  let timer: NodeJS.Timeout | null = null;
  let ending: Promise<void> | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const text = gathered;
    gathered = '';
    if (text !== '') destination.write(text);
  };
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      // One whose reader is gone never says that it has ended.
      const giveUp = setTimeout(resolve, MAX_END_MS);
      destination.once('close', () => {
        clearTimeout(giveUp);
        resolve();
      });
      flush();
      destination.end();
    });
  return {
    write(line) {
      if (ending !== null) return;
      flush();
      destination.write(line);
    },
    gather(line) {
      if (ending !== null) return;
      gathered += line;
      if (gathered.length >= GATHERED_CHARACTERS) flush();
      else timer ??= setTimeout(flush, GATHERED_MS);
    },
    end() {
      ending ??= end();
      return ending;
    },
  };
}

/**
 * Writes the lines of requests as the logger would, but quicker: the fields are fixed and hold no secret. Under load
 * that is a good part of what a small read costs.
 */
function requestLines(lines: Lines): WriteRequestLine {
  const timeText = isoTimes();
  const before = `{"level":${pino.levels.values['info']},"time":"`;
  return (line) => lines.gather(`${before}${timeText()}",${fieldsOf(line)},"msg":"request"}\n`);
}

/** Every part is free of what JSON escapes: see `requestId`; methods and routes' patterns hold no quotes. */
function fieldsOf({ requestId, method, route, status, ms }: RequestLine): string {
  const to = route === null ? 'null' : `"${route}"`;
  // Whole numbers have their texts ready.
  const tenths = Math.round(ms * 10);
  const time = `${Math.trunc(tenths / 10)}.${tenths % 10}`;
  return `"requestId":"${requestId}","method":"${method}","route":${to},"status":${status},"ms":${time}`;
}

/** The time as ISO 8601, written anew once a second but for its milliseconds. */
function isoTimes(): () => string {
  let second = 0;
  let upToSecond = '';
  return () => {
    const now = Date.now();
    const milliseconds = now % 1_000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      upToSecond = new Date(second).toISOString().slice(0, -'000Z'.length);
    }
    return `${upToSecond}${milliseconds < 100 ? String(milliseconds).padStart(3, '0') : milliseconds}Z`;
  };
}
