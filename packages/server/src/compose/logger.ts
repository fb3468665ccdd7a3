import pino from 'pino';
import type { LogLevel } from '../config/types.ts';
import type { RequestLine, WriteRequestLine } from '../http/monitoring/request-log.ts';

/** What must never reach a log, wherever it turns up in a line. */
const SECRETS = ['token', 'secret', 'password', 'botToken', 'authorization', 'headers', 'body'];

/** Lines of requests go out when there are so many of them, or after so many milliseconds. Under load one write has many. */
const GATHERED_LINES = 360;
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
  const requests: WriteRequestLine = main.isLevelEnabled('info') ? (request) => lines.gather(request) : () => {};
  return { main, requests, close: () => lines.end() };
}

interface Lines {
  /** At once, after those that were gathered. */
  write(line: string): void;
  /** Together with others, a little later. */
  gather(request: RequestLine): void;
  end(): Promise<void>;
}

/** The way to standard error. What is logged after its end is dropped: who logs is not to fail for that. */
function openLines(): Lines {
  const destination = pino.destination({ fd: process.stderr.fd, sync: false });
  const textOf = requestTexts();
  let gathered: TimedLine[] = [];
  let timer: NodeJS.Timeout | null = null;
  let ending: Promise<void> | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (gathered.length === 0) return;
    let text = '';
    for (const { at, request } of gathered) text += textOf(at, request);
    gathered = [];
    destination.write(text);
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
    gather(request) {
      if (ending !== null) return;
      gathered.push({ at: Date.now(), request });
      if (gathered.length >= GATHERED_LINES) flush();
      else timer ??= setTimeout(flush, GATHERED_MS);
    },
    end() {
      ending ??= end();
      return ending;
    },
  };
}

/** A request, and when it was done with, in milliseconds since 1970-01-01 UTC. */
interface TimedLine {
  readonly at: number;
  readonly request: RequestLine;
}

/**
 * Makes the lines of requests as the logger would, but quicker: the fields are fixed and hold no secret. Many are made
 * one after another, which takes a good part less than what each takes by itself between the other things that a read does.
 */
function requestTexts(): (at: number, request: RequestLine) => string {
  const timeText = isoTimes();
  const before = `{"level":${pino.levels.values['info']},"time":"`;
  return (at, request) => `${before}${timeText(at)}",${fieldsOf(request)},"msg":"request"}\n`;
}

/** Ids, methods, routes' patterns and addresses hold nothing that JSON escapes (see `RequestOrigins`); the rest is escaped. */
function fieldsOf(line: RequestLine): string {
  const { requestId, traceId, method, route, path, status, ms, address, user, token, document } = line;
  const trace = traceId === null ? '' : `"traceId":"${traceId}",`;
  const to = route === null ? `null,"path":${JSON.stringify(path)}` : `"${route}"`;
  // Whole numbers have their texts ready.
  const tenths = Math.round(ms * 10);
  const time = `${Math.trunc(tenths / 10)}.${tenths % 10}`;
  const by = `"user":${user},"token":${token === null ? null : JSON.stringify(token)}`;
  const about = document === null ? 'null' : `"${document}"`;
  return `"requestId":"${requestId}",${trace}"method":"${method}","route":${to},"status":${status},"ms":${time},"address":"${address}",${by},"document":${about}`;
}

/** A time as ISO 8601, written anew once a second but for its milliseconds. */
function isoTimes(): (at: number) => string {
  let second = 0;
  let upToSecond = '';
  return (at) => {
    const milliseconds = at % 1_000;
    if (at - milliseconds !== second) {
      second = at - milliseconds;
      upToSecond = new Date(second).toISOString().slice(0, -'000Z'.length);
    }
    return `${upToSecond}${milliseconds < 100 ? String(milliseconds).padStart(3, '0') : milliseconds}Z`;
  };
}
