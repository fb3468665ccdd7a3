import { CellwireError } from '../errors/errors.ts';
import { type CallOptions, splitOptions } from '../http/options.ts';
import type { Transport } from '../http/transport.ts';
import { Items } from '../streams/items.ts';
import { readLines } from '../streams/read-lines.ts';
import { type Progress, sendLines } from '../streams/send-lines.ts';
import { parseDateText } from '../values/dates.ts';
import { Resource } from './resource.ts';
import type { Answer, BodyOptions, Input, Value } from './types.ts';

export interface TableOptions {
  /** The columns that identify a record, for `upsert`. */
  readonly key?: string | readonly string[];
  /** Returns cells of date columns as `Date`s, with the local time in their UTC fields. */
  readonly dates?: boolean;
  /** Types of columns, instead of the inferred types. */
  readonly types?: Readonly<Record<string, 'text' | 'number' | 'date' | 'time' | 'duration' | 'boolean'>>;
  /** Names of columns by letter, instead of the names in the header. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly caseSensitive?: boolean;
}

/** A record's fields by the names of their columns. */
export type Fields = Record<string, Value>;

/** A record to write. Absent fields stay unchanged, and null clears a field. */
export type RecordInput<T> = { readonly [Name in keyof T]?: Input | undefined };

export type Records<T> = Iterable<RecordInput<T>> | AsyncIterable<RecordInput<T>>;

export interface StreamOptions {
  /** Number of records in each commit of a stream; 10,000 by default. */
  readonly batch?: number;
  /** Called after each written batch. */
  readonly onProgress?: (progress: Progress) => void;
}

type QueryBody = BodyOptions<'queryRecords', 'range'>;
export type FindOptions = Omit<QueryBody, 'aggregate' | 'cursor' | 'offset'>;

type RecordsPage = Answer<'queryRecords'>;

/** Maximum length of an array that is sent as JSON. Larger arrays and other iterables are sent as NDJSON. */
const MAX_JSON_RECORDS = 10_000;
const DEFAULT_BATCH = 10_000;
const RECORDS_PER_PAGE = 1_000;

/** The rows below a header as records. Iteration yields all records. */
export class Table<T extends object = Fields> extends Resource implements AsyncIterable<T> {
  private readonly range: string;
  private readonly key: readonly string[];
  private readonly dates: boolean;
  /** Options of every call. */
  private readonly shared: object;
  /** Options of calls that compare texts. */
  private readonly compared: object;

  constructor(transport: Transport, path: string, range: string, options: TableOptions = {}) {
    super(transport, `${path}/records`);
    const { key = [], dates = false, caseSensitive, ...shared } = options;
    this.range = range;
    this.key = typeof key === 'string' ? [key] : key;
    this.dates = dates;
    this.shared = shared;
    this.compared = caseSensitive === undefined ? shared : { ...shared, caseSensitive };
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void> {
    return this.records({});
  }

  /** Returns the fields of the records that match a filter: await an array of all of them, or iterate. */
  find(options: FindOptions = {}): Items<T> {
    return new Items(() => this.records(options));
  }

  /** Returns one page in the form of the API. */
  query(body: QueryBody = {}): Promise<RecordsPage> {
    return this.sendInBody('POST', '/query', { range: this.range }, { ...this.compared, ...body });
  }

  /** Returns one record of aggregates for each group. */
  aggregate<G extends object = Fields>(
    options: Omit<QueryBody, 'aggregate' | 'cursor' | 'offset' | 'select'> & {
      readonly groupBy?: readonly string[];
      readonly measures?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    },
  ): Items<G> {
    const { groupBy, measures, ...otherOptions } = options;
    return new Items(() => this.streamLines<G>({ ...otherOptions, aggregate: { groupBy, measures } }));
  }

  /** Appends records. */
  append(
    records: Records<T>,
    options: BodyOptions<'appendRecords', 'range' | 'records'> & StreamOptions = {},
  ): Promise<Answer<'appendRecords'>> {
    return this.sendRecords('append', records, { ...this.shared, ...options });
  }

  /** Updates records with existing keys, and appends the others. */
  upsert(
    records: Records<T>,
    options: BodyOptions<'upsertRecords', 'range' | 'records' | 'key'> &
      StreamOptions & { readonly key?: string | readonly string[] } = {},
  ): Promise<Answer<'upsertRecords'>> {
    const key = options.key === undefined ? this.key : [options.key].flat();
    if (key.length === 0) throw new CellwireError("upsert needs a key: table(range, { key: 'Number' })");
    return this.sendRecords('upsert', records, { ...this.compared, ...options, key });
  }

  /** Sets fields of the records that match a filter; `all: true` instead of a filter selects all records. */
  update(
    options: BodyOptions<'updateRecords', 'range' | 'set'> & { readonly set: RecordInput<T> },
  ): Promise<Answer<'updateRecords'>> {
    return this.sendWrite('POST', '/update', { range: this.range }, { ...this.compared, ...options });
  }

  /** Deletes the records that match a filter; `all: true` instead of a filter selects all records. */
  delete(options: BodyOptions<'deleteRecords', 'range'>): Promise<Answer<'deleteRecords'>> {
    return this.sendWrite('POST', '/delete', { range: this.range }, { ...this.compared, ...options });
  }

  private records(options: FindOptions): AsyncGenerator<T, void> {
    return this.dates ? this.readPages(options) : this.streamLines(options);
  }

  private async *streamLines<F>(options: QueryBody & { readonly offset?: number }): AsyncGenerator<F, void> {
    const [call, queryOptions] = splitOptions({ ...this.compared, ...options });
    const { limit, ...query } = queryOptions as { readonly limit?: number };
    if (limit !== undefined && limit < 1) return;
    const recordLines = readLines<RecordsPage, { readonly fields: F }>(this.transport, call, {
      limit,
      requestFrom: (offset, revision) => {
        const limitOptions = limit === undefined ? {} : { limit: limit - offset };
        const from = offset === 0 ? {} : { offset };
        const at = revision === null || offset === 0 ? {} : { revision: Number(revision) };
        return this.createRequest('POST', '/query', {
          body: { range: this.range, ...query, ...limitOptions, ...from, ...at },
        });
      },
      pageItems: ({ records, pagination }) => ({
        items: records as readonly { readonly fields: F }[],
        hasMore: pagination?.hasMore ?? false,
      }),
    });
    for await (const { fields } of recordLines) yield fields;
  }

  /** Reads records page by page, because only pages contain the types of columns. */
  private async *readPages({ limit = Number.POSITIVE_INFINITY, ...options }: FindOptions): AsyncGenerator<T, void> {
    let remaining = limit;
    let cursor: string | null | undefined;
    do {
      if (remaining <= 0) return;
      const page = await this.query({
        ...options,
        limit: Math.min(remaining, RECORDS_PER_PAGE),
        ...(cursor == null ? {} : { cursor }),
      });
      const dates = new Set(page.columns.filter(({ type }) => type === 'date').map(({ name }) => name));
      for (const { fields } of page.records) {
        yield convertDateFields(fields as Readonly<Record<string, unknown>>, dates) as T;
        options.signal?.throwIfAborted();
        remaining--;
      }
      cursor = page.pagination.nextCursor;
    } while (cursor != null);
  }

  private async sendRecords<A>(
    path: 'append' | 'upsert',
    records: Records<T>,
    {
      batch = DEFAULT_BATCH,
      onProgress,
      ...options
    }: CallOptions & StreamOptions & { readonly key?: readonly string[] },
  ): Promise<A> {
    const [call, api] = splitOptions(options);
    const name = `${path}ed`;
    if (Array.isArray(records) && records.length <= MAX_JSON_RECORDS) {
      const request = this.createWriteRequest('POST', `/${path}`, { ...api, range: this.range, records });
      const response = await this.transport.requestJson<Record<string, { readonly revisionId?: string }>>(
        request,
        call,
      );
      const writeResult = response[name];
      // The answer to a proposal contains no counts.
      if (writeResult !== undefined) {
        onProgress?.({ records: records.length, batches: 1, revisionId: String(writeResult.revisionId) });
      }
      return response as A;
    }
    const query = { ...api, range: this.range };
    const { counts, warnings, isTruncated } = await sendLines(this.transport, call, {
      path: `${this.path}/${path}`,
      query,
      records,
      batch,
      onProgress,
    });
    return {
      [name]: counts,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(isTruncated ? { warningsTruncated: true } : {}),
    } as A;
  }
}

function convertDateFields(fields: Readonly<Record<string, unknown>>, dateColumns: ReadonlySet<string>): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, dateColumns.has(name) ? parseDateText(value) : value]),
  );
}
