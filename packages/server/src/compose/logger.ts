import pino from 'pino';
import type { LogLevel } from '../config/types.ts';
import type { RequestLine, WriteRequestLine } from '../http/monitoring/request-log.ts';

/** What must never reach a log, wherever it turns up in a line. */
const SECRET_FIELDS = ['token', 'secret', 'password', 'botToken', 'authorization', 'headers', 'body'];

/** Lines of requests go out when there are so many of them, or after so many milliseconds. Under load one write has many. */
const MAX_BUFFERED_LINES = 360;
const MAX_BUFFERED_MS = 100;
/** At the end the last output are waited for so long, in milliseconds. */
const MAX_CLOSE_MS = 1_000;

interface Loggers {
  /** For everything but requests; what could be a secret is hidden. */
  readonly main: pino.Logger;
  readonly requests: WriteRequestLine;
  /** Waits until all output are out, a while at most; once more does no harm. What is logged after that is lost. */
  close(): Promise<void>;
}

/** Lines of JSON on standard error, written behind the request's back. */
export function createLoggers(level: LogLevel | 'silent'): Loggers {
  const redact = { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact };
  const output = openLogOutput();
  const main = pino(options, { write: (line) => output.write(line) });
  const requests: WriteRequestLine = main.isLevelEnabled('info') ? (request) => output.writeLater(request) : () => {};
  return { main, requests, close: () => output.end() };
}

interface LogOutput {
  /** At once, after those that were buffered. */
  write(line: string): void;
  /** Together with others, a little later. */
  writeLater(request: RequestLine): void;
  end(): Promise<void>;
}

/** The way to standard error. What is logged after its end is dropped: who logs is not to fail for that. */
function openLogOutput(): LogOutput {
  const destination = pino.destination({ fd: process.stderr.fd, sync: false });
  const format = createRequestFormatter();
  let buffered: TimedRequestLine[] = [];
  let timer: NodeJS.Timeout | null = null;
  let ending: Promise<void> | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (buffered.length === 0) return;
    let text = '';
    for (const { at, request } of buffered) text += format(at, request);
    buffered = [];
    destination.write(text);
  };
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      // One whose reader is gone never says that it has ended.
      const timeout = setTimeout(resolve, MAX_CLOSE_MS);
      destination.once('close', () => {
        clearTimeout(timeout);
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
    writeLater(request) {
      if (ending !== null) return;
      buffered.push({ at: Date.now(), request });
      if (buffered.length >= MAX_BUFFERED_LINES) flush();
      else timer ??= setTimeout(flush, MAX_BUFFERED_MS);
    },
    end() {
      ending ??= end();
      return ending;
    },
  };
}

/** A request, and when it was done with, in milliseconds since 1970-01-01 UTC. */
interface TimedRequestLine {
  readonly at: number;
  readonly request: RequestLine;
}

/**
 * Makes the output of requests as the logger would, but quicker: the fields are fixed and hold no secret. Many are made
 * one after another, which takes a good part less than what each takes by itself between the other things that a read does.
 */
function createRequestFormatter(): (at: number, request: RequestLine) => string {
  const formatTime = createTimeFormatter();
  const before = `{"level":${pino.levels.values['info']},"time":"`;
  return (at, request) => `${before}${formatTime(at)}",${formatFields(request)},"msg":"request"}\n`;
}

/** Ids, methods, routes' patterns and addresses hold nothing that JSON escapes (see `RequestOrigins`); the rest is escaped. */
function formatFields(line: RequestLine): string {
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
function createTimeFormatter(): (at: number) => string {
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
