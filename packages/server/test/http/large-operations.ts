/** A large document: a header row, keys in column A, texts in column C, no empty cells. */
export interface LargeBook {
  /** Name of the only sheet. */
  readonly sheet: string;
  readonly rows: number;
  /** Letters of the last column. */
  readonly lastColumn: string;
  /** Number of rows, records or blocks in one request. */
  readonly requestItems: number;
}

export interface LargeRequest {
  /** Path after the document's path, or the whole path if it starts with `//`. */
  readonly path: string;
  readonly method: string;
  readonly body?: unknown;
  /** Raw body, replaces `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One operation of the API over many cells. */
export interface LargeOperation {
  /** Method and path as in `openapi.json`. */
  readonly route: string;
  /** Distinguishes the operations of one route. */
  readonly name: string;
  readonly request: (book: LargeBook) => LargeRequest;
  /** True if the operation makes a commit, which undo then reverts. */
  readonly writes?: true;
  /** True if the operation accepts `?dryRun=true`. */
  readonly hasDryRun?: true;
  /** Requests before the operation; the test undoes them afterwards. */
  readonly before?: (book: LargeBook) => readonly LargeRequest[];
  /** Status of the response, by default 200. */
  readonly status?: number;
}

const DOCUMENT = '/api/v1/documents/{document}';

/** Shapes of documents with about the same number of filled cells. */
export type LargeShape = 'tall' | 'wide' | 'texts';
export const LARGE_SHAPES: readonly LargeShape[] = ['tall', 'wide', 'texts'];

const MAX_COLUMNS = 16_383;

/** Rows and columns of a shape with about the given number of cells. */
export function computeSize(shape: LargeShape, cells: number): { readonly rows: number; readonly columns: number } {
  const columns = { tall: 4, wide: MAX_COLUMNS, texts: 10 }[shape];
  return { rows: Math.max(4, Math.round(cells / columns)), columns };
}

/** The rows of the document as CSV. */
export function* generateRows(shape: LargeShape, cells: number): Generator<string> {
  const { rows, columns } = computeSize(shape, cells);
  for (let row = 0; row < rows; row++) {
    const line: (string | number)[] = [];
    for (let column = 0; column < columns; column++) line.push(createValue(shape, row, column));
    yield line.join(',');
  }
}

/** Creates the content of a cell: a header, a key, a text or a number. Texts repeat after 5,000 rows or later. */
export function createValue(shape: LargeShape, row: number, column: number): string | number {
  if (row === 0) return `Field ${column}`;
  const mixed = (row * 7_919 + column * 104_729) % 1_000_003;
  if (column === 0) return `K-${mixed}-${row}`;
  if (column === 2 || shape === 'texts') return `entry ${mixed % 5_000} of ${column}`;
  return mixed / 4;
}

export function formatColumn(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : formatColumn(Math.floor(column / 26) - 1) + letter;
}

function defineRead(route: string, name: string, request: LargeOperation['request']): LargeOperation {
  return { route: `GET ${DOCUMENT}${route}`, name, request };
}

function createGet(path: string, headers: Readonly<Record<string, string>> = {}): LargeRequest {
  return { method: 'GET', path, headers };
}

function createPost(path: string, body: unknown): LargeRequest {
  return { method: 'POST', path, body };
}

function defineWrite(method: string, route: string, name: string, request: LargeOperation['request']): LargeOperation {
  return { route: `${method} ${DOCUMENT}${route}`, name, request, writes: true, hasDryRun: true };
}

const ACCEPT_NDJSON = { accept: 'application/x-ndjson' };
const formatWholeRange = ({ lastColumn: last, rows }: LargeBook): string => `A1:${last}${rows}`;
const formatDataRange = ({ lastColumn: last, rows }: LargeBook): string => `A2:${last}${rows}`;
const formatColumns = ({ lastColumn: last }: LargeBook): string => `A:${last}`;

type JsonMembers = Readonly<Record<string, unknown>>;

/** The most expensive form of each operation of `POST …/structure`. */
const STRUCTURE: Readonly<Record<string, (book: LargeBook) => JsonMembers>> = {
  insertRows: ({ sheet }) => ({ sheet, before: 2, count: 3 }),
  deleteRows: ({ sheet }) => ({ sheet, from: 2, count: 3 }),
  moveRows: ({ sheet, rows }) => ({ sheet, from: 2, count: 2, before: rows }),
  insertColumns: ({ sheet }) => ({ sheet, before: 'B', count: 1 }),
  deleteColumns: ({ sheet }) => ({ sheet, from: 'B', count: 1 }),
  moveColumns: ({ sheet, lastColumn: last }) => ({ sheet, from: 'A', count: 1, before: last }),
  insertCells: () => ({ range: 'A2:B9', shift: 'down' }),
  deleteCells: () => ({ range: 'A2:B9', shift: 'up' }),
  sort: (book) => ({ range: formatDataRange(book), by: [{ column: 'C', order: 'descending' }, { column: 'A' }] }),
  copy: (book) => ({ from: formatWholeRange(book), to: `A${book.rows + 10}` }),
  cut: (book) => ({ from: formatWholeRange(book), to: `A${book.rows + 10}` }),
  fill: (book) => ({ from: `A2:${book.lastColumn}2`, to: formatDataRange(book) }),
  replace: (book) => ({ range: formatColumns(book), find: 'entry', with: 'changed' }),
  removeDuplicates: (book) => ({ range: formatDataRange(book), columns: ['C'] }),
  setFilter: (book) => ({
    range: formatWholeRange(book),
    columns: { C: { tests: [{ op: 'contains', value: 'entry 12' }] } },
  }),
  filterColumn: ({ sheet }) => ({ sheet, column: 'A', condition: { values: ['entry 1'] } }),
  deleteFilter: ({ sheet }) => ({ sheet }),
  duplicateSheet: ({ sheet }) => ({ sheet, name: 'Copy' }),
  moveSheet: ({ sheet }) => ({ sheet, order: 0 }),
  colorSheet: ({ sheet }) => ({ sheet, color: '#112233' }),
  setName: (book) => ({ name: 'All', refersTo: `=${formatWholeRange(book)}` }),
  deleteName: () => ({ name: 'Kept' }),
  setTable: (book) => ({ name: 'Table1', range: formatWholeRange(book) }),
  deleteTable: () => ({ name: 'KeptTable' }),
};

/** Names of the operations of `POST …/structure` in the table. */
export const STRUCTURE_OPERATIONS: readonly string[] = Object.keys(STRUCTURE);

/** Requests that create what the operations need. */
export function listPreparations({ rows }: LargeBook): readonly LargeRequest[] {
  return [
    createPost('/structure', { operations: [{ setName: { name: 'Kept', refersTo: '=A1' } }] }),
    { method: 'PUT', path: `/values/A${rows + 3}`, body: { values: [['Head'], ['1'], ['2']] } },
    createPost('/structure', { operations: [{ setFilter: { range: 'A1:D9' } }] }),
    createPost('/structure', { operations: [{ setTable: { name: 'KeptTable', range: `A${rows + 3}:A${rows + 5}` } }] }),
  ];
}

function createRows({ requestItems: count }: LargeBook): readonly (readonly unknown[])[] {
  return Array.from({ length: count }, (_, row) => [`new ${row}`, row, `text ${row % 100}`, row / 2]);
}

function createRecords({ requestItems: count }: LargeBook): readonly JsonMembers[] {
  return Array.from({ length: count }, (_, row) => ({ 'Field 0': `new ${row}`, 'Field 1': row, 'Field 2': 'text' }));
}

/** Creates rows with the maximum number of expected cells of one request. */
function createEmptyRows({ requestItems: count }: LargeBook): readonly unknown[] {
  return Array.from({ length: 4 * count - 1 }, () => [null]);
}

export const LARGE_OPERATIONS: readonly LargeOperation[] = [
  { route: 'GET /api/v1/documents', name: 'list', request: () => createGet('//documents') },
  { route: 'GET /api/v1/userinfo', name: 'userinfo', request: () => createGet('//userinfo') },
  { route: 'GET /api/v1/usage', name: 'usage', request: () => createGet('//usage') },
  defineRead('', 'document', () => createGet('')),
  defineRead('/content', 'content', () => createGet('/content')),
  defineRead('/styles', 'styles', () => createGet('/styles')),
  defineRead('/names', 'names', () => createGet('/names')),
  defineRead('/tables', 'tables', () => createGet('/tables')),
  defineRead('/sheets', 'sheets', () => createGet('/sheets')),
  defineRead('/export', 'csv', ({ sheet }) => createGet(`/export?format=csv&sheet=${encodeURIComponent(sheet)}`)),
  defineRead('/export', 'xlsx', () => createGet('/export?format=xlsx')),
  defineRead('/values/{range}', 'page', (book) => createGet(`/values/${formatWholeRange(book)}`)),
  defineRead('/values/{range}', 'columns', (book) =>
    createGet(`/values/${formatWholeRange(book)}?majorDimension=COLUMNS`),
  ),
  defineRead('/values/{range}', 'lines', (book) => createGet(`/values/${formatWholeRange(book)}`, ACCEPT_NDJSON)),
  defineRead('/values/{range}', 'past', (book) => createGet(`/values/${formatWholeRange(book)}?revision=1`)),
  defineRead('/values/batchGet', 'twenty pages', (book) =>
    createGet(`/values/batchGet?${Array.from({ length: 20 }, () => `ranges[]=${formatColumns(book)}`).join('&')}`),
  ),
  defineRead('/records/query', 'sorted', (book) =>
    createGet(`/records/query?range=${formatColumns(book)}&sort=Field%202&sort=-Field%200`),
  ),
  defineRead('/records/query', 'lines', (book) =>
    createGet(`/records/query?range=${formatColumns(book)}`, ACCEPT_NDJSON),
  ),
  {
    route: `POST ${DOCUMENT}/records/query`,
    name: 'groups',
    request: (book) =>
      createPost('/records/query', {
        range: formatColumns(book),
        aggregate: { groupBy: ['Field 2'], measures: { records: { count: '*' } } },
      }),
  },
  {
    route: `POST ${DOCUMENT}/records/query`,
    name: 'formula',
    request: (book) => createPost('/records/query', { range: formatColumns(book), formula: '=LEN([@[Field 0]])>12' }),
  },
  defineRead('/changes', 'with values', () => createGet('/changes?since=1&values=true')),
  defineRead('/revisions', 'list', () => createGet('/revisions?limit=200')),
  defineRead('/audit', 'list', () => createGet('/audit?limit=200')),
  defineWrite('PUT', '/values/{range}', 'many values', (book) => ({
    method: 'PUT',
    path: '/values/A2',
    body: { values: createRows(book) },
  })),
  defineWrite('PUT', '/values/{range}', 'by columns', (book) => ({
    method: 'PUT',
    path: '/values/A2',
    body: { majorDimension: 'COLUMNS', values: [0, 1, 2, 3].map((i) => createRows(book).map((row) => row[i])) },
  })),
  defineWrite('PUT', '/values/{range}', 'a row over all columns', () => ({
    method: 'PUT',
    path: '/values/A2',
    body: { values: [Array.from({ length: MAX_COLUMNS }, (_, i) => i)] },
  })),
  defineWrite('PUT', '/values/{range}', 'one formula over all', (book) => ({
    method: 'PUT',
    path: `/values/A${book.rows + 8}`,
    body: { values: [[`=COUNTA(${formatWholeRange(book)})`]], valueInputOption: 'USER_ENTERED' },
  })),
  defineWrite('PUT', '/values/{range}', 'expecting many cells', (book) => ({
    method: 'PUT',
    path: '/values/A2',
    body: { values: [[1]], expect: [{ range: `${book.sheet}!Z900000:Z999999`, values: createEmptyRows(book) }] },
  })),
  defineWrite('POST', '/values/batchUpdate', 'many blocks', ({ requestItems: sent }) =>
    createPost('/values/batchUpdate', {
      data: Array.from({ length: Math.min(sent, 10_000) }, (_, i) => ({ range: `B${i + 2}`, values: [[i]] })),
    }),
  ),
  defineWrite('POST', '/values/append', 'one row', (book) =>
    createPost('/values/append', { range: formatColumns(book), values: [['end', 1, 'end']] }),
  ),
  defineWrite('POST', '/values/append', 'many values', (book) =>
    createPost('/values/append', { range: formatColumns(book), values: createRows(book) }),
  ),
  defineWrite('POST', '/values/clear', 'columns', (book) =>
    createPost('/values/clear', { range: formatColumns(book) }),
  ),
  defineWrite('POST', '/values/clear', 'rows', ({ rows }) => createPost('/values/clear', { range: `2:${rows}` })),
  defineWrite('POST', '/records/append', 'many records', (book) =>
    createPost('/records/append', { range: formatColumns(book), records: createRecords(book) }),
  ),
  defineWrite('POST', '/records/upsert', 'many records', (book) =>
    createPost('/records/upsert', { range: formatColumns(book), key: ['Field 0'], records: createRecords(book) }),
  ),
  defineWrite('POST', '/records/update', 'some', (book) =>
    createPost('/records/update', {
      range: formatColumns(book),
      where: { 'Field 2': { contains: 'entry 12' } },
      set: { 'Field 2': 'updated' },
    }),
  ),
  defineWrite('POST', '/records/delete', 'few', (book) =>
    createPost('/records/delete', { range: formatColumns(book), where: { 'Field 2': { contains: 'entry 4999 ' } } }),
  ),
  ...STRUCTURE_OPERATIONS.map((name) =>
    defineWrite('POST', '/structure', name, (book) =>
      createPost('/structure', {
        operations: [{ [name]: (STRUCTURE[name] as (book: LargeBook) => JsonMembers)(book) }],
      }),
    ),
  ),
  defineWrite('POST', '/sheets', 'add', () => createPost('/sheets', { name: 'Added' })),
  defineWrite('PATCH', '/sheets/{sheet}', 'rename', ({ sheet }) => ({
    method: 'PATCH',
    path: `/sheets/${encodeURIComponent(sheet)}`,
    body: { name: 'Renamed' },
  })),
  {
    ...defineWrite('DELETE', '/sheets/{sheet}', 'delete', ({ sheet }) => ({
      method: 'DELETE',
      path: `/sheets/${encodeURIComponent(sheet)}`,
    })),
    before: () => [createPost('/sheets', { name: 'Other' })],
  },
  {
    route: `POST ${DOCUMENT}/revisions/{revision}/undo`,
    name: 'of the first',
    request: () => createPost('/revisions/1/undo', {}),
  },
  {
    ...defineWrite('POST', '/revisions/{revision}/restore', 'of all', () =>
      createPost('/revisions/1/restore', undefined),
    ),
    before: (book) => [createPost('/values/clear', { range: formatColumns(book) })],
  },
  {
    route: `PUT ${DOCUMENT}/revisions/{revision}`,
    name: 'name',
    request: () => ({ method: 'PUT', path: '/revisions/2', body: { name: 'kept' } }),
  },
  defineProtection('PUT', 'hide', { hideValues: true, lock: true }),
  defineProtection('GET', 'read'),
  defineProtection('DELETE', 'end'),
  defineOperation('POST', `${DOCUMENT}/copy`, 'copy', () => createPost('/copy', {})),
  defineOperation('PATCH', DOCUMENT, 'rename', () => ({ method: 'PATCH', path: '', body: { title: 'Renamed' } })),
  defineOperation('POST', '/api/v1/documents', 'create', () => createPost('//documents', { title: 'New' })),
  defineOperation('GET', '/api/v1/values/batchGet', 'across documents', (book) =>
    createGet(`//values/batchGet?ranges[]=${encodeURIComponent(`{document}!${formatColumns(book)}`)}`),
  ),
  defineOperation('GET', `${DOCUMENT}/webhooks`, 'list', () => createGet('/webhooks')),
  defineOperation('DELETE', DOCUMENT, 'delete', () => ({ method: 'DELETE', path: '' })),
];

/** Routes whose work does not depend on the number of cells, with the reason. */
export const SMALL_ROUTES: Readonly<Record<string, string>> = {
  [`POST ${DOCUMENT}/share`]: 'changes one row of the store',
  ...Object.fromEntries(
    ['GET', 'GET/{proposal}', ...['apply', 'reject', 'withdraw', 'rebase'].map((how) => `POST/{proposal}/${how}`)].map(
      (route) => {
        const [method, ...rest] = route.split('/');
        const path = ['proposals', ...rest].join('/');
        return [`${method} ${DOCUMENT}/${path}`, 'runs what a write runs, which is in the table'];
      },
    ),
  ),
  [`GET ${DOCUMENT}/events`]: 'sends what `changes` reads, commit by commit',
  ...Object.fromEntries(
    [
      `POST ${DOCUMENT}/webhooks`,
      `DELETE ${DOCUMENT}/webhooks/{webhook}`,
      `PATCH ${DOCUMENT}/webhooks/{webhook}`,
      `POST ${DOCUMENT}/webhooks/{webhook}/secret`,
      `POST ${DOCUMENT}/webhooks/{webhook}/test`,
      `GET ${DOCUMENT}/webhooks/{webhook}/deliveries`,
      `POST ${DOCUMENT}/webhooks/{webhook}/deliveries/{delivery}/redeliver`,
      `POST ${DOCUMENT}/deliveries/{delivery}/redeliver`,
    ].map((route) => [route, 'is about a subscription and its deliveries, not about cells']),
  ),
};

function defineOperation(
  method: string,
  path: string,
  name: string,
  request: LargeOperation['request'],
): LargeOperation {
  return { route: `${method} ${path}`, name, request };
}

function defineProtection(method: string, name: string, body?: unknown): LargeOperation {
  return {
    route: `${method} ${DOCUMENT}/sheets/{sheet}/protection`,
    name,
    request: ({ sheet }) => ({ method, path: `/sheets/${encodeURIComponent(sheet)}/protection`, body }),
  };
}
