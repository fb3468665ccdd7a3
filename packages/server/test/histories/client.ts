import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RandomBelow } from '../../../store/test/delayed-database.ts';
import { type HttpResponse, sendHttp } from '../http/send.ts';
import { type Operation, REGISTERS } from './document-model.ts';
import type { HistoryCall } from './linearizable.ts';

/** Timeout of a request, because stopped processes do not answer. Milliseconds. */
const REQUEST_TIMEOUT_MS = 4_000;
/** Maximum pause between two requests, and pause before a retry, in milliseconds. */
const MAX_PAUSE_MS = 40;
const RETRY_PAUSE_MS = 200;
/** How long a client retries a write with a key to learn its result, in milliseconds. */
const MAX_RETRY_MS = 90_000;
const LAST_COLUMN = 'C';

/** Statuses of responses whose request may have been executed, may be executed later, or was refused. */
const UNAVAILABLE = 503;
const PRECONDITION_FAILED = 412;

/** Where to send requests: `address` chooses one of the nodes. */
export interface RequestTarget {
  readonly address: () => string;
  readonly token: string;
  readonly document: string;
}

/** The calls of clients to one document. */
export class CallRecording {
  readonly calls: HistoryCall<Operation>[] = [];
  /** Responses that no client may receive. */
  readonly faults: string[] = [];
  private events = 0;
  private values = 0;

  /** The next position in the order of recorded events. */
  drawPosition(): number {
    return this.events++;
  }

  /** A value that no client has written. */
  createNextValue(): number {
    return ++this.values;
  }
}

interface ClientResponse {
  readonly status: number;
  readonly etag: string;
  /** Content of responses with status 200. */
  readonly body: {
    readonly values?: { readonly cells: Parameters<typeof readNumbers>[0] };
    readonly updated?: { readonly startRow: number };
  };
}

/** A client of a document that sends one request at a time. */
export class HistoryClient {
  private readonly target: RequestTarget;
  private readonly recording: CallRecording;
  private readonly random: RandomBelow;

  constructor(target: RequestTarget, recording: CallRecording, random: RandomBelow) {
    this.target = target;
    this.recording = recording;
    this.random = random;
  }

  /** Sends random requests until a time, with random pauses. */
  async workUntil(time: number): Promise<void> {
    while (performance.now() < time) {
      await this.sendRandomRequest();
      await delay(this.random(MAX_PAUSE_MS));
    }
  }

  /** Reads the whole document, with retries until a response arrives. */
  async readAll(): Promise<void> {
    const until = performance.now() + MAX_RETRY_MS;
    while (!(await this.readDocument(true))) {
      if (performance.now() > until) {
        this.recording.faults.push('the document could not be read any more');
        return;
      }
      await delay(RETRY_PAUSE_MS);
    }
  }

  private async sendRandomRequest(): Promise<void> {
    const kind = this.random(10);
    if (kind < 3) await this.readDocument(false);
    else if (kind < 4) await this.readDocument(true);
    else if (kind < 6) await this.put();
    else if (kind < 7) await this.swap();
    else await this.append();
  }

  /** Reads one cell or the whole document. Returns false without a response. */
  private async readDocument(isWhole: boolean): Promise<boolean> {
    const called = this.recording.drawPosition();
    const answer = await this.request('GET', `/values/A1:${LAST_COLUMN}${isWhole ? '' : '1'}`);
    if (answer === null || answer.status !== 200) return false;
    const [first = [], ...below] = readNumbers(answer.body.values?.cells ?? []);
    const registers = first.slice(0, REGISTERS);
    const rows = below.map(([value]) => value ?? Number.NaN);
    this.record(called, isWhole ? { kind: 'readAll', registers, rows } : { kind: 'read', registers });
    return true;
  }

  /** Writes a new value to a random cell. */
  private async put(): Promise<void> {
    const register = this.random(REGISTERS);
    const value = this.recording.createNextValue();
    await this.write('PUT', `/values/${formatCellAddress(register)}`, { values: [[value]] }, {}, () => ({
      kind: 'put',
      register,
      value,
    }));
  }

  /** Appends a row with a new value. */
  private async append(): Promise<void> {
    const value = this.recording.createNextValue();
    await this.write('POST', '/values/append', { range: 'A1', values: [[value]] }, {}, (answer) => ({
      kind: 'append',
      value,
      row: answer?.body.updated === undefined ? null : answer.body.updated.startRow - 2,
    }));
  }

  /** Replaces a value that it has read, unless it was changed meanwhile. */
  private async swap(): Promise<void> {
    const register = this.random(REGISTERS);
    const path = `/values/${formatCellAddress(register)}`;
    const readResponse = await this.request('GET', path);
    if (readResponse === null || readResponse.status !== 200) return;
    const expected = readNumbers(readResponse.body.values?.cells ?? [])[0]?.[0] ?? Number.NaN;
    const value = this.recording.createNextValue();
    await this.write('PUT', path, { values: [[value]] }, { 'if-match': readResponse.etag }, (answer) => ({
      kind: 'swap',
      register,
      expected,
      value,
      isRefused: answer?.status === PRECONDITION_FAILED,
    }));
  }

  /**
   * With a key, the request is repeated at any node until a response arrives; without a key, a write without a
   * response may take effect at any time.
   */
  private async write(
    method: string,
    path: string,
    body: object,
    headers: Readonly<Record<string, string>>,
    operation: (answer: ClientResponse | null) => Operation,
  ): Promise<void> {
    const key = this.random(3) === 0 ? null : randomUUID();
    const allHeaders = key === null ? headers : { ...headers, 'idempotency-key': key };
    const called = this.recording.drawPosition();
    const until = performance.now() + MAX_RETRY_MS;
    let answer = await this.request(method, path, body, allHeaders);
    while (answer === null && key !== null && performance.now() < until) {
      await delay(RETRY_PAUSE_MS);
      answer = await this.request(method, path, body, allHeaders);
    }
    if (answer !== null) this.record(called, operation(answer));
    else this.recording.calls.push({ called, returned: null, operation: operation(null) });
  }

  /** Records a finished operation. `called`: its start, as a position in the recording. */
  private record(called: number, operation: Operation): void {
    this.recording.calls.push({ called, returned: this.recording.drawPosition(), operation });
  }

  /** Sends a request. Returns null if its result is unknown. */
  private async request(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ClientResponse | null> {
    const { address, token, document } = this.target;
    let response: HttpResponse;
    try {
      response = await sendHttp(`${address()}/api/v1/documents/${document}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
    } catch {
      return null;
    }
    const { status, text } = response;
    if (status === UNAVAILABLE) {
      if (!response.headers.has('retry-after')) this.recording.faults.push('503 without Retry-After');
      return null;
    }
    const isExpected = status === 200 || (status === PRECONDITION_FAILED && 'if-match' in headers);
    if (isExpected) return { status, etag: response.headers.get('etag') ?? '', body: JSON.parse(text) };
    this.recording.faults.push(`${method} ${path}: ${status} ${text}`);
    return null;
  }
}

/** The address of the cell that holds a register. */
function formatCellAddress(register: number): string {
  return `${String.fromCharCode('A'.charCodeAt(0) + register)}1`;
}

function readNumbers(cells: readonly (readonly ({ readonly v: number } | null)[])[]): readonly (readonly number[])[] {
  return cells.map((row) => row.map((cell) => cell?.v ?? Number.NaN));
}
