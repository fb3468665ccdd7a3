import { CellwireError } from '../errors/errors.ts';
import { type CallOptions, splitOptions } from '../http/options.ts';
import type { Transport } from '../http/transport.ts';
import { Items } from '../streams/items.ts';
import { readLines } from '../streams/read-lines.ts';
import { type Progress, sendLines } from '../streams/send-lines.ts';
import { dateOfText } from '../values/dates.ts';
import { Resource } from './resource.ts';
import type { Answer, BodyOptions, Input, Value } from './types.ts';

export interface TableOptions {
  /** The columns that tell records apart, for `upsert`. */
  readonly key?: string | readonly string[];
  /** Gives cells of date columns as `Date`s, with the wall time in their UTC fields. */
  readonly dates?: boolean;
  /** Types of columns; they replace the types that the service finds. */
  readonly types?: Readonly<Record<string, 'text' | 'number' | 'date' | 'time' | 'duration' | 'boolean'>>;
  /** Names of columns by letter; they replace the names in the header. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly caseSensitive?: boolean;
}

/** A record's fields by the names of their columns. */
export type Fields = Record<string, Value>;

/** A record to write: fields that are left out stay as they are, null clears them. */
export type RecordInput<T> = { readonly [Name in keyof T]?: Input | undefined };

export type Records<T> = Iterable<RecordInput<T>> | AsyncIterable<RecordInput<T>>;

export interface StreamOptions {
  /** Records of one commit of a stream; 10,000 by default. */
  readonly batch?: number;
  /** Is called after each batch that is written. */
  readonly onProgress?: (progress: Progress) => void;
}

type QueryBody = BodyOptions<'queryRecords', 'range'>;
export type FindOptions = Omit<QueryBody, 'aggregate' | 'cursor' | 'offset'>;

type RecordsPage = Answer<'queryRecords'>;

/** An array of more records, and any other iterable, is sent in lines. */
const MAX_JSON_RECORDS = 10_000;
const DEFAULT_BATCH = 10_000;
const RECORDS_PER_PAGE = 1_000;

/** The rows below a header as records. Iterating over it gives all of them. */
export class Table<T extends object = Fields> extends Resource implements AsyncIterable<T> {
  private readonly range: string;
  private readonly key: readonly string[];
  private readonly dates: boolean;
  /** Options that every call sends, and options of calls that compare texts. */
  private readonly shared: object;
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

  /** Returns the fields of the records that a filter holds for: await all of them, or iterate. */
  find(options: FindOptions = {}): Items<T> {
    return new Items(() => this.records(options));
  }

  /** Returns one page as the API has it. */
  query(body: QueryBody = {}): Promise<RecordsPage> {
    return this.inBody('POST', '/query', { range: this.range }, { ...this.compared, ...body });
  }

  /** Returns a record for each group, with its figures. */
  aggregate<G extends object = Fields>(
    options: Omit<QueryBody, 'aggregate' | 'cursor' | 'offset' | 'select'> & {
      readonly groupBy?: readonly string[];
      readonly measures?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    },
  ): Items<G> {
    const { groupBy, measures, ...otherOptions } = options;
    return new Items(() => this.lines<G>({ ...otherOptions, aggregate: { groupBy, measures } }));
  }

  /** Writes records below the others. */
  append(
    records: Records<T>,
    options: BodyOptions<'appendRecords', 'range' | 'records'> & StreamOptions = {},
  ): Promise<Answer<'appendRecords'>> {
    return this.write('append', records, { ...this.shared, ...options });
  }

  /** Updates the records whose key is there and appends the others. */
  upsert(
    records: Records<T>,
    options: BodyOptions<'upsertRecords', 'range' | 'records' | 'key'> &
      StreamOptions & { readonly key?: string | readonly string[] } = {},
  ): Promise<Answer<'upsertRecords'>> {
    const key = options.key === undefined ? this.key : [options.key].flat();
    if (key.length === 0) throw new CellwireError("upsert needs a key: table(range, { key: 'Number' })");
    return this.write('upsert', records, { ...this.compared, ...options, key });
  }

  /** Sets fields of the records that a filter holds for; `all: true` in place of a filter. */
  update(
    options: BodyOptions<'updateRecords', 'range' | 'set'> & { readonly set: RecordInput<T> },
  ): Promise<Answer<'updateRecords'>> {
    return this.sendWrite('POST', '/update', { range: this.range }, { ...this.compared, ...options });
  }

  /** Deletes the records that a filter holds for; `all: true` in place of a filter. */
  delete(options: BodyOptions<'deleteRecords', 'range'>): Promise<Answer<'deleteRecords'>> {
    return this.sendWrite('POST', '/delete', { range: this.range }, { ...this.compared, ...options });
  }

  private records(options: FindOptions): AsyncGenerator<T, void> {
    return this.dates ? this.pages(options) : this.lines(options);
  }

  private async *lines<F>(options: QueryBody & { readonly offset?: number }): AsyncGenerator<F, void> {
    const [call, queryOptions] = splitOptions({ ...this.compared, ...options });
    const { limit, ...query } = queryOptions as { readonly limit?: number };
    if (limit !== undefined && limit < 1) return;
    const recordLines = readLines<RecordsPage, { readonly fields: F }>(this.transport, call, {
      requestFrom: (offset, revision) => {
        const limitOptions = limit === undefined ? {} : { limit: limit - offset };
        const from = offset === 0 ? {} : { offset };
        const at = revision === null || offset === 0 ? {} : { revision: Number(revision) };
        return this.to('POST', '/query', { body: { range: this.range, ...query, ...limitOptions, ...from, ...at } });
      },
      pageItems: ({ records, pagination }) => ({
        items: records as readonly { readonly fields: F }[],
        hasMore: pagination?.hasMore ?? false,
      }),
    });
    let remaining = limit ?? Number.POSITIVE_INFINITY;
    for await (const { fields } of recordLines) {
      yield fields;
      // The stream may break after its last record and before its end line.
      if (--remaining === 0) return;
    }
  }

  /** Pages say the types of columns, which lines do not. */
  private async *pages({ limit = Number.POSITIVE_INFINITY, ...options }: FindOptions): AsyncGenerator<T, void> {
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
        yield withDates(fields as Readonly<Record<string, unknown>>, dates) as T;
        remaining--;
      }
      cursor = page.pagination.nextCursor;
    } while (cursor != null);
  }

  private async write<A>(
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
      const request = this.writeTo('POST', `/${path}`, { ...api, range: this.range, records });
      const response = await this.transport.json<Record<string, { readonly revisionId?: string }>>(request, call);
      const writeResult = response[name];
      // A proposal has written nothing.
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

function withDates(fields: Readonly<Record<string, unknown>>, dates: ReadonlySet<string>): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, dates.has(name) ? dateOfText(value) : value]),
  );
}
