import pino from 'pino';
import type { LogLevel } from '../config/types.ts';
import type { RequestLine, WriteRequestLine } from '../http/monitoring/request-log.ts';

/** Members that are never logged, at the top level of a line and one level below. */
const SECRET_FIELDS = ['token', 'secret', 'password', 'botToken', 'authorization', 'headers', 'body'];

/** Request lines are written together: when there are this many, or after this time in milliseconds. */
const MAX_BUFFERED_LINES = 360;
const MAX_BUFFERED_MS = 100;
/** Maximum time that closing waits for the last lines, in milliseconds. */
const MAX_CLOSE_MS = 1_000;

interface Loggers {
  /** For everything except requests. Possible secrets are masked. */
  readonly main: pino.Logger;
  readonly requests: WriteRequestLine;
  /** Writes the remaining lines, with a time limit. May be called repeatedly. Lines logged afterwards are dropped. */
  close(): Promise<void>;
}

/** Creates loggers that write JSON lines to standard error. Request lines are written asynchronously. */
export function createLoggers(level: LogLevel | 'silent'): Loggers {
  const redact = { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact };
  const output = openLogOutput();
  const main = pino(options, { write: (line) => output.write(line) });
  const requests: WriteRequestLine = main.isLevelEnabled('info') ? (request) => output.writeLater(request) : () => {};
  return { main, requests, close: () => output.end() };
}

interface LogOutput {
  /** Writes a line immediately, after the buffered ones. */
  write(line: string): void;
  /** Writes a request line later, together with others. */
  writeLater(request: RequestLine): void;
  end(): Promise<void>;
}

/** Opens standard error. Lines that are logged after `end` are dropped, because logging must not fail. */
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
      // Without a reader, the destination never emits `close`.
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

/** A request line and the time at which the request ended, in milliseconds since 1970-01-01 UTC. */
interface TimedRequestLine {
  readonly at: number;
  readonly request: RequestLine;
}

/**
 * Returns a function that formats request lines like the logger, but faster: the fields are fixed and contain no
 * secrets. Formatting many lines in a row is considerably faster than formatting each one while its request is handled.
 * Ids, methods, routes and addresses need no escapes (see `RequestOrigins`). Fields that are equal to those of the
 * previous line are not formatted again.
 */
function createRequestFormatter(): (at: number, request: RequestLine) => string {
  const formatTime = createTimeFormatter();
  const start = `{"level":${pino.levels.values['info']},"time":"`;
  let target: Pick<RequestLine, 'method' | 'route' | 'path' | 'status'> | null = null;
  let targetText = '';
  let subject: Pick<RequestLine, 'address' | 'user' | 'token'> | null = null;
  let subjectText = '';
  return (at, line) => {
    const { requestId, traceId, method, route, path, status, ms, address, user, token, document } = line;
    if (target?.route !== route || target.method !== method || target.status !== status || target.path !== path) {
      target = line;
      const to = route === null ? `null,"path":${JSON.stringify(path)}` : `"${route}"`;
      targetText = `"method":"${method}","route":${to},"status":${status},"ms":`;
    }
    if (subject?.user !== user || subject.token !== token || subject.address !== address) {
      subject = line;
      subjectText = `,"address":"${address}","user":${user},"token":${token === null ? null : JSON.stringify(token)}`;
    }
    const trace = traceId === null ? '' : `"traceId":"${traceId}",`;
    // Formatting integers is faster than formatting fractions.
    const tenths = Math.round(ms * 10);
    const time = `${Math.trunc(tenths / 10)}.${tenths % 10}`;
    const about = document === null ? 'null' : `"${document}"`;
    return `${start}${formatTime(at)}","requestId":"${requestId}",${trace}${targetText}${time}${subjectText},"document":${about},"msg":"request"}\n`;
  };
}

/** Returns a formatter of ISO 8601 times. Equal times are formatted once. */
function createTimeFormatter(): (at: number) => string {
  let second = 0;
  let upToSecond = '';
  let last = 0;
  let text = '';
  return (at) => {
    if (at === last) return text;
    const milliseconds = at % 1_000;
    if (at - milliseconds !== second) {
      second = at - milliseconds;
      upToSecond = new Date(second).toISOString().slice(0, -'000Z'.length);
    }
    last = at;
    text = `${upToSecond}${milliseconds < 100 ? String(milliseconds).padStart(3, '0') : milliseconds}Z`;
    return text;
  };
}
