import type { Cell, DocumentWithContent, ValueRange } from '../generated/api.ts';
import { joinPath } from '../http/address.ts';
import { splitOptions } from '../http/options.ts';
import type { Transport } from '../http/transport.ts';
import { ChangeReader, type Followed, parsePosition } from '../streams/follow.ts';
import { readLines } from '../streams/read-lines.ts';
import { History } from './history.ts';
import { Proposals } from './proposals.ts';
import { Resource } from './resource.ts';
import { Sheets } from './sheets.ts';
import { type Fields, Table, type TableOptions } from './table.ts';
import type { Answer, BodyOptions, Matrix, QueryOptions, Value } from './types.ts';
import { Webhooks } from './webhooks.ts';

/** `plain` (default): values, dates as ISO texts. `display`: displayed texts. `cells`: objects with value, text, formula. */
export type RenderChoice = 'plain' | 'display' | 'cells';
export type ReadOptions = Omit<QueryOptions<'getValues'>, 'render'> & { readonly render?: RenderChoice };
export type ChangesOptions = QueryOptions<'listChanges', 'since' | 'incarnation' | 'limit'>;

type Rows<R> = R extends { readonly render: 'cells' } ? (Cell | null)[][] : Value[][];
type RowOf<R> = Rows<R>[number];

/** A block of a `batchWrite`. */
export interface BlockInput {
  readonly range: string;
  readonly values: Matrix;
}

/** A range of a `batchRead` that could not be read. */
export interface UnreadRange {
  readonly range: string;
  readonly error: string;
}

/** One document: its cells, tables, sheets, history, subscriptions and proposals. */
export class DocumentClient extends Resource {
  readonly id: string;
  readonly sheets: Sheets;
  readonly history: History;
  readonly webhooks: Webhooks;
  readonly proposals: Proposals;

  constructor(transport: Transport, id: string) {
    super(transport, joinPath('documents', id));
    this.id = id;
    this.sheets = new Sheets(transport, `${this.path}/sheets`);
    this.history = new History(transport, `${this.path}/revisions`);
    this.webhooks = new Webhooks(transport, `${this.path}/webhooks`);
    this.proposals = new Proposals(transport, `${this.path}/proposals`);
  }

  /** Describes the document. */
  async get(options: QueryOptions<'getDocument'> = {}): Promise<DocumentWithContent> {
    return (await this.getJson<Answer<'getDocument'>>('', options)).document;
  }

  /** Reads all rows of a range at one revision, or one page with `offset` or `limit`. */
  async read<const R extends ReadOptions>(range: string, options?: R): Promise<Rows<R>> {
    const { render, ...query }: ReadOptions = omitDefaultRender(options ?? {});
    const page = async () =>
      (await this.getJson<Answer<'getValues'>>(`/values${joinPath(range)}`, { ...query, render })).values;
    const first = await page();
    const isPage = query.offset !== undefined || query.limit !== undefined;
    if (isPage || !first.pagination.hasMore) return first.cells as Rows<R>;
    // Pages cannot all be read at the revision of the first page, so a range of several pages is read again as one
    // stream.
    const { majorDimension, ...rowOptions } = query;
    const rows: Value[][] = [];
    for await (const row of this.streamRows(range, { ...rowOptions, render })) rows.push(row as Value[]);
    return (majorDimension === 'COLUMNS' ? transpose(rows) : rows) as Rows<R>;
  }

  /** Yields the rows of a range, all at one revision, in constant memory. */
  rows<const R extends Omit<ReadOptions, 'majorDimension'>>(
    range: string,
    options?: R,
  ): AsyncGenerator<RowOf<R>, void> {
    return this.streamRows(range, omitDefaultRender(options ?? {})) as AsyncGenerator<RowOf<R>, void>;
  }

  private streamRows(range: string, options: object): AsyncGenerator<unknown, void> {
    const [call, rowQuery] = splitOptions(options);
    const { offset: first = 0, limit, ...query } = rowQuery as { readonly offset?: number; readonly limit?: number };
    return readLines<Answer<'getValues'>, unknown>(this.transport, call, {
      limit,
      requestFrom: (startRow, revision) => {
        const limitQuery = limit === undefined ? {} : { limit: limit - startRow };
        const offset = first + startRow === 0 ? {} : { offset: first + startRow };
        const at = revision === null || startRow === 0 ? {} : { revision };
        return this.createRequest('GET', `/values${joinPath(range)}`, {
          query: { ...query, ...limitQuery, ...offset, ...at },
        });
      },
      pageItems: ({ values }) => ({ items: values.cells, hasMore: values.pagination.hasMore }),
    });
  }

  /** Writes a block of values at the top left cell of a range. */
  write(range: string, values: Matrix, options: BodyOptions<'putValues', 'values'> = {}): Promise<Answer<'putValues'>> {
    return this.sendWrite('PUT', `/values${joinPath(range)}`, { values }, options);
  }

  /** Writes below the last filled row of a sheet, beginning in the first column of a range. */
  append(
    range: string,
    values: Matrix,
    options: BodyOptions<'appendValues', 'range' | 'values'> = {},
  ): Promise<Answer<'appendValues'>> {
    return this.sendWrite('POST', '/values/append', { range, values }, options);
  }

  /** Clears the filled cells of a range. */
  clear(range: string, options: BodyOptions<'clearValues', 'range'> = {}): Promise<Answer<'clearValues'>> {
    return this.sendWrite('POST', '/values/clear', { range }, options);
  }

  /** Reads up to 20 ranges at one revision. A range that cannot be read has an `error`. */
  async batchRead(
    ranges: readonly string[],
    options: Omit<QueryOptions<'batchGetValues', 'ranges'>, 'render'> & { readonly render?: RenderChoice } = {},
  ): Promise<readonly (ValueRange | UnreadRange)[]> {
    const query = { ...omitDefaultRender(options), ranges };
    const response = await this.getJson<{ readonly valueRanges: readonly (ValueRange | UnreadRange)[] }>(
      '/values/batchGet',
      query,
    );
    return response.valueRanges;
  }

  /** Writes all blocks or none. */
  batchWrite(
    data: readonly BlockInput[],
    options: BodyOptions<'batchUpdateValues', 'data'> = {},
  ): Promise<Answer<'batchUpdateValues'>> {
    return this.sendWrite('POST', '/values/batchUpdate', { data }, options);
  }

  /** Applies all changes of rows, columns, sheets, names and tables, or none. */
  structure(
    operations: readonly object[],
    options: BodyOptions<'changeStructure', 'operations'> = {},
  ): Promise<Answer<'changeStructure'>> {
    return this.sendWrite('POST', '/structure', { operations }, options);
  }

  /** Returns the rows below a header as records. `range` is an A1 range, a sheet, a table or a defined name. */
  table<T extends object = Fields>(range: string, options: TableOptions = {}): Table<T> {
    return new Table<T>(this.transport, this.path, range, options);
  }

  /** Yields the changes from a revision or `place` to the newest. */
  changes(since?: number | string, options?: ChangesOptions): AsyncGenerator<Followed, void>;
  changes(options: ChangesOptions): AsyncGenerator<Followed, void>;
  async *changes(
    since: number | string | ChangesOptions = 0,
    options: ChangesOptions = {},
  ): AsyncGenerator<Followed, void> {
    if (typeof since === 'object') return yield* this.changes(0, since);
    yield* this.createChangeReader(options).changes(parsePosition(since));
  }

  /**
   * Yields the changes after a revision or `place` when they happen. Continues after broken connections and restarts of
   * the service. Without `since` it begins with the first change after the call.
   */
  follow(since?: number | string, options?: ChangesOptions): AsyncGenerator<Followed, void>;
  follow(options: ChangesOptions): AsyncGenerator<Followed, void>;
  follow(since?: number | string | ChangesOptions, options: ChangesOptions = {}): AsyncGenerator<Followed, void> {
    if (typeof since === 'object') return this.follow(undefined, since);
    const reader = this.createChangeReader(options);
    const start = since === undefined ? reader.readNewestPosition() : Promise.resolve(parsePosition(since));
    // The error is thrown to the code that reads the items.
    start.catch(() => undefined);
    return (async function* () {
      yield* reader.follow(await start);
    })();
  }

  private createChangeReader(options: ChangesOptions): ChangeReader {
    const [call, query] = splitOptions(options);
    return new ChangeReader(this.transport, this.path, query, call);
  }

  /** Returns the bytes of a file: the whole document as `.xlsx`, or one sheet as `.csv`. */
  export(options: QueryOptions<'exportDocument', 'report'> = {}): Promise<Uint8Array> {
    const [call, query] = splitOptions(options);
    return this.transport.bytes(this.createRequest('GET', '/export', { query }), call);
  }

  /** Returns the parts of the document that a file would omit. */
  async exportReport(
    options: QueryOptions<'exportDocument', 'report'> = {},
  ): Promise<Answer<'exportDocument'>['report']> {
    return (await this.getJson<Answer<'exportDocument'>>('/export', { ...options, report: true })).report;
  }

  async names(options: QueryOptions<'listNames'> = {}): Promise<Answer<'listNames'>['names']> {
    return (await this.getJson<Answer<'listNames'>>('/names', options)).names;
  }

  async tables(options: QueryOptions<'listTables'> = {}): Promise<Answer<'listTables'>['tables']> {
    return (await this.getJson<Answer<'listTables'>>('/tables', options)).tables;
  }

  /** Returns a page of the audit log of changes by programs, the newest first. */
  async audit(options: QueryOptions<'getAudit'> = {}): Promise<Answer<'getAudit'>['audit']> {
    return (await this.getJson<Answer<'getAudit'>>('/audit', options)).audit;
  }

  /** Returns all cells. */
  content(options: QueryOptions<'getContent'> = {}): Promise<Answer<'getContent'>> {
    return this.getJson('/content', options);
  }

  /** Returns the number formats. */
  styles(options: QueryOptions<'getStyles'> = {}): Promise<Answer<'getStyles'>> {
    return this.getJson('/styles', options);
  }
}

/** Omits `render` for cells, which are the default of the API. */
export function omitDefaultRender<O extends { readonly render?: RenderChoice }>(options: O): O {
  const { render = 'plain', ...otherOptions } = options;
  return (render === 'cells' ? otherOptions : { ...otherOptions, render }) as O;
}

function transpose(rows: readonly (readonly Value[])[]): Value[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? null));
}
