import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RandomBelow } from '../../../store/test/delayed-database.ts';
import { type HttpResponse, send } from '../http/send.ts';
import { type Operation, REGISTERS } from './document-model.ts';
import type { Call } from './linearizable.ts';

/** What a client gives up waiting for; stopped processes do not answer. Milliseconds. */
const ANSWER_MS = 4_000;
/** Between two requests, and before one is sent again; in milliseconds. */
const MOST_PAUSE_MS = 40;
const AGAIN_MS = 200;
/** How long a client tries to learn what became of a write with a key, in milliseconds. */
const FIND_OUT_MS = 90_000;
const LAST_COLUMN = 'C';

/** Answers that say nothing of what was asked for: it may have been done, or be done later. */
const AWAY = 503;
const REFUSED = 412;

/** Where requests go: to one of the nodes that there are just now. */
export interface Target {
  readonly address: () => string;
  readonly token: string;
  readonly document: string;
}

/** What clients did to one document. */
export class Recording {
  readonly calls: Call<Operation>[] = [];
  /** What no client may ever see. */
  readonly faults: string[] = [];
  private events = 0;
  private values = 0;

  event(): number {
    return this.events++;
  }

  /** A value that nobody has written yet. */
  value(): number {
    return ++this.values;
  }
}

interface Answered {
  readonly status: number;
  readonly etag: string;
  /** What answers of 200 hold. */
  readonly body: {
    readonly values?: { readonly cells: Parameters<typeof numbersIn>[0] };
    readonly updated?: { readonly startRow: number };
  };
}

/** One user of a document, with one request under way at a time. */
export class Client {
  private readonly target: Target;
  private readonly recording: Recording;
  private readonly draw: RandomBelow;

  constructor(target: Target, recording: Recording, draw: RandomBelow) {
    this.target = target;
    this.recording = recording;
    this.draw = draw;
  }

  async workUntil(time: number): Promise<void> {
    while (performance.now() < time) {
      await this.step();
      await delay(this.draw(MOST_PAUSE_MS));
    }
  }

  /** Reads the document until it is told what is in it. */
  async readAll(): Promise<void> {
    const until = performance.now() + FIND_OUT_MS;
    while (!(await this.look(true))) {
      if (performance.now() > until) {
        this.recording.faults.push('the document could not be read any more');
        return;
      }
      await delay(AGAIN_MS);
    }
  }

  private async step(): Promise<void> {
    const kind = this.draw(10);
    if (kind < 3) await this.look(false);
    else if (kind < 4) await this.look(true);
    else if (kind < 6) await this.put();
    else if (kind < 7) await this.swap();
    else await this.append();
  }

  private async look(all: boolean): Promise<boolean> {
    const called = this.recording.event();
    const answer = await this.ask('GET', `/values/A1:${LAST_COLUMN}${all ? '' : '1'}`);
    if (answer === null || answer.status !== 200) return false;
    const [first = [], ...below] = numbersIn(answer.body.values?.cells ?? []);
    const registers = first.slice(0, REGISTERS);
    const rows = below.map(([value]) => value ?? Number.NaN);
    this.record(called, all ? { kind: 'readAll', registers, rows } : { kind: 'read', registers });
    return true;
  }

  private async put(): Promise<void> {
    const register = this.draw(REGISTERS);
    const value = this.recording.value();
    await this.write('PUT', `/values/${cell(register)}`, { values: [[value]] }, {}, () => ({
      kind: 'put',
      register,
      value,
    }));
  }

  private async append(): Promise<void> {
    const value = this.recording.value();
    await this.write('POST', '/values/append', { range: 'A1', values: [[value]] }, {}, (answer) => ({
      kind: 'append',
      value,
      row: answer?.body.updated === undefined ? null : answer.body.updated.startRow - 2,
    }));
  }

  private async swap(): Promise<void> {
    const register = this.draw(REGISTERS);
    const path = `/values/${cell(register)}`;
    const seen = await this.ask('GET', path);
    if (seen === null || seen.status !== 200) return;
    const expected = numbersIn(seen.body.values?.cells ?? [])[0]?.[0] ?? Number.NaN;
    const value = this.recording.value();
    await this.write('PUT', path, { values: [[value]] }, { 'if-match': seen.etag }, (answer) => ({
      kind: 'swap',
      register,
      expected,
      value,
      isRefused: answer?.status === REFUSED,
    }));
  }

  /** With a key it is sent until there is an answer, at any node; without one, what got none may come at any time. */
  private async write(
    method: string,
    path: string,
    body: object,
    headers: Readonly<Record<string, string>>,
    operation: (answer: Answered | null) => Operation,
  ): Promise<void> {
    const key = this.draw(3) === 0 ? null : randomUUID();
    const all = key === null ? headers : { ...headers, 'idempotency-key': key };
    const called = this.recording.event();
    const until = performance.now() + FIND_OUT_MS;
    let answer = await this.ask(method, path, body, all);
    while (answer === null && key !== null && performance.now() < until) {
      await delay(AGAIN_MS);
      answer = await this.ask(method, path, body, all);
    }
    if (answer !== null) this.record(called, operation(answer));
    else this.recording.calls.push({ called, returned: null, operation: operation(null) });
  }

  private record(called: number, operation: Operation): void {
    this.recording.calls.push({ called, returned: this.recording.event(), operation });
  }

  /** Null: nobody knows. */
  private async ask(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered | null> {
    const { address, token, document } = this.target;
    let sent: HttpResponse;
    try {
      sent = await send(`${address()}/api/v1/documents/${document}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
    } catch {
      return null;
    }
    const { status, text } = sent;
    if (status === AWAY) {
      if (!sent.headers.has('retry-after')) this.recording.faults.push('503 without Retry-After');
      return null;
    }
    const isExpected = status === 200 || (status === REFUSED && 'if-match' in headers);
    if (isExpected) return { status, etag: sent.headers.get('etag') ?? '', body: JSON.parse(text) };
    this.recording.faults.push(`${method} ${path}: ${status} ${text}`);
    return null;
  }
}

function cell(register: number): string {
  return `${String.fromCharCode('A'.charCodeAt(0) + register)}1`;
}

function numbersIn(cells: readonly (readonly ({ readonly v: number } | null)[])[]): readonly (readonly number[])[] {
  return cells.map((row) => row.map((cell) => cell?.v ?? Number.NaN));
}
