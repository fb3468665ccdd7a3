import { CellwireError } from '../errors/errors.ts';
import type { ValueRange } from '../generated/api.ts';
import { joinPath } from '../http/address.ts';
import { type CallOptions, type QueryParameters, splitOptions } from '../http/options.ts';
import { Transport } from '../http/transport.ts';
import { DocumentClient, omitDefaultRender, type RenderChoice, type UnreadRange } from './document.ts';
import { Documents } from './documents.ts';
import type { Answer, QueryOptions } from './types.ts';

export interface CellwireOptions {
  /** The address of the service, with `/api/v1` or without; `CELLWIRE_URL` by default, else `http://127.0.0.1:8080`. */
  readonly url?: string | undefined;
  /** The access token; `CELLWIRE_TOKEN` by default. */
  readonly token?: string | undefined;
  /** Maximum attempts of a call, including the first; 3 by default. */
  readonly attempts?: number | undefined;
  /** Time limit of one attempt in milliseconds; 30,000 by default. */
  readonly timeout?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';
const DEFAULT_ATTEMPTS = 3;
const DEFAULT_TIMEOUT_MS = 30_000;

/** The client of a Cellwire service. */
export class Cellwire {
  readonly documents: Documents;
  readonly #transport: Transport;

  constructor(options: CellwireOptions = {}) {
    const { attempts = DEFAULT_ATTEMPTS, timeout = DEFAULT_TIMEOUT_MS } = options;
    const token = options.token ?? readEnvironment('CELLWIRE_TOKEN');
    if (token === undefined || token === '')
      throw new CellwireError('A token is required: give token or set CELLWIRE_TOKEN');
    if (!Number.isInteger(attempts) || attempts < 1)
      throw new CellwireError('attempts must be a whole number from 1 on');
    if (!(timeout > 0)) throw new CellwireError('timeout must be more than 0 milliseconds');
    const url = options.url ?? (readEnvironment('CELLWIRE_URL') || DEFAULT_URL);
    this.#transport = new Transport({ url, token, attempts, timeout, fetch: options.fetch ?? fetch });
    this.documents = new Documents(this.#transport, '/documents');
  }

  /** The address of the API, which ends in `/api/v1`. */
  get address(): string {
    return this.#transport.address;
  }

  document(id: string): DocumentClient {
    return new DocumentClient(this.#transport, id);
  }

  /** Returns the scopes of the token. */
  userinfo(options: QueryOptions<'getUserinfo'> = {}): Promise<Answer<'getUserinfo'>> {
    return this.#transport.requestJson({ method: 'GET', path: '/userinfo' }, splitOptions(options)[0]);
  }

  /** Returns the quota of an agent and its use. */
  usage(options: QueryOptions<'getUsage'> = {}): Promise<Answer<'getUsage'>> {
    return this.#transport.requestJson({ method: 'GET', path: '/usage' }, splitOptions(options)[0]);
  }

  /** Reads ranges of several documents, each as `{document}!{range}`. */
  async batchRead(
    ranges: readonly string[],
    options: CallOptions & { readonly render?: RenderChoice; readonly majorDimension?: 'ROWS' | 'COLUMNS' } = {},
  ): Promise<readonly ((ValueRange | UnreadRange) & { readonly document?: string })[]> {
    const [call, query] = splitOptions(omitDefaultRender(options));
    const request = { method: 'GET', path: joinPath('values', 'batchGet'), query: { ...query, ranges } };
    const { valueRanges } = await this.#transport.requestJson<{
      readonly valueRanges: readonly (ValueRange | UnreadRange)[];
    }>(request, call);
    return valueRanges;
  }

  /**
   * Sends any request of the API with the retries and errors of the client, and returns the parsed body; bytes if it is
   * not JSON. `path` is relative to `/api/v1`.
   */
  request<T>(
    method: string,
    path: string,
    { query, body, ...options }: CallOptions & { readonly query?: QueryParameters; readonly body?: unknown } = {},
  ): Promise<T> {
    return this.#transport.requestAny<T>({ method: method.toUpperCase(), path, query: query ?? {}, body }, options);
  }
}

/** Returns an environment variable; undefined if it is not set or not readable. */
function readEnvironment(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
  } catch {
    return undefined;
  }
}
