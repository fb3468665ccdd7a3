import assert from 'node:assert/strict';
import { sendHttp } from '../http/send.ts';
import { type ApiResponse, type Json, memberAt, startWorld, type World, type WorldSettings } from '../http/support.ts';

export type { ApiResponse as Answer, Json, World };
export { startWorld };

/** A client of the Google-compatible API with one bearer token. */
export class GoogleClient {
  readonly base: string;
  readonly token: string;

  constructor(base: string, token: string) {
    this.base = base;
    this.token = token;
  }

  /** Sends a request. `path` starts after `/google`. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse> {
    const answer = await sendHttp(`${this.base}/google${path}`, {
      method,
      headers: {
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json');
    return { ...answer, body: isJson ? JSON.parse(answer.text) : answer.text };
  }

  /** Creates a spreadsheet and returns its id. */
  async create(title = 'Book'): Promise<string> {
    const { status, body } = await this.request('POST', '/v4/spreadsheets', { properties: { title } });
    assert.equal(status, 200, JSON.stringify(body));
    return String(body['spreadsheetId']);
  }

  async createSpreadsheet(): Promise<Spreadsheet> {
    return this.getSpreadsheet(await this.create());
  }

  getSpreadsheet(id: string): Spreadsheet {
    return new Spreadsheet(this, id);
  }
}

/** One spreadsheet in the Google-compatible API. */
export class Spreadsheet {
  readonly google: GoogleClient;
  readonly id: string;

  constructor(google: GoogleClient, id: string) {
    this.google = google;
    this.id = id;
  }

  /** Sends a request. `path` starts after the spreadsheet's path. */
  request(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    return this.google.request(method, `/v4/spreadsheets/${this.id}${path}`, body);
  }

  /** Requests the values of a range. */
  get(range: string, query = ''): Promise<ApiResponse> {
    return this.request('GET', `/values/${encodeURIComponent(range)}${query}`);
  }

  /** Values of a range; fails unless the read succeeds. */
  async readValues(range: string, query = ''): Promise<Json | undefined> {
    const { status, body } = await this.get(range, query);
    assert.equal(status, 200, JSON.stringify(body));
    return body['values'];
  }

  /** Writes values to a range. `option`: Google's `valueInputOption`. */
  put(range: string, values: unknown, option = 'USER_ENTERED'): Promise<ApiResponse> {
    return this.request('PUT', `/values/${encodeURIComponent(range)}?valueInputOption=${option}`, { values });
  }

  /** Appends values below the table in a range. */
  append(range: string, values: unknown, query = ''): Promise<ApiResponse> {
    const path = `/values/${encodeURIComponent(range)}:append?valueInputOption=USER_ENTERED${query}`;
    return this.request('POST', path, { values });
  }

  /** Sends a batch of update requests. */
  batch(...requests: readonly object[]): Promise<ApiResponse> {
    return this.request('POST', ':batchUpdate', { requests });
  }

  /** Sends requests and returns their replies; fails unless they succeed. */
  async readReplies(...requests: readonly object[]): Promise<Json> {
    const { status, body } = await this.batch(...requests);
    assert.equal(status, 200, JSON.stringify(body));
    return memberAt(body, 'replies');
  }

  /** Reads members of the spreadsheet resource by a field mask; fails unless the read succeeds. */
  async read(fields: string, query = ''): Promise<Json> {
    const { status, body } = await this.request('GET', `?fields=${encodeURIComponent(fields)}${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
}

/** Starts a service with one user who has a token for the Google-compatible API. */
export async function startGoogle(settings: WorldSettings = {}): Promise<{
  readonly world: World;
  readonly user: string;
  readonly google: GoogleClient;
}> {
  const world = await startWorld(settings);
  const { id: user } = await world.createUser();
  const google = new GoogleClient(world.server.address, await world.createToken(user));
  return { world, user, google };
}

export function readErrorMessage({ body }: ApiResponse): string {
  return String(memberAt(body, 'error', 'message'));
}

/** A `GridRange` of Google's API; ends are exclusive. */
export const createGridRange = (top: number, bottom: number, left: number, right: number, sheetId = 0) => ({
  sheetId,
  startRowIndex: top,
  endRowIndex: bottom,
  startColumnIndex: left,
  endColumnIndex: right,
});

/** A `DimensionRange` of rows of the first sheet; the end is exclusive. */
export const createRowRange = (startIndex: number, endIndex: number) => ({
  sheetId: 0,
  dimension: 'ROWS',
  startIndex,
  endIndex,
});
