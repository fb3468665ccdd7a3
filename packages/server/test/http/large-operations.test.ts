import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import {
  computeSize,
  formatColumn,
  generateRows,
  LARGE_OPERATIONS,
  type LargeBook,
  type LargeOperation,
  type LargeRequest,
  type LargeShape,
  listPreparations,
  SMALL_ROUTES,
  STRUCTURE_OPERATIONS,
} from './large-operations.ts';
import { sendHttp } from './send.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';
import { freeWriterState, WorkCounter } from './work-counter.ts';

/** Filled cells: several times as many as the serving thread may process in one slice. */
const CELLS: Readonly<Record<LargeShape, number>> = { tall: 160_000, wide: 49_149, texts: 240_000 };
const REQUEST_ITEMS = 2_000;
/**
 * Accesses to cells that the serving thread may make between two looks at the clock. A calculation in the serving
 * thread makes several for each of its up to 30,000 values (`INLINE_VALUES`).
 */
const MAX_SLICE_ACCESSES = 500_000;

/** The whole table takes minutes of processor time. `STRETCHES=1` runs it and prints the counts. */
const RUNS_ALL = process.env['STRETCHES'] === '1';
const DEFAULT_OPERATIONS = new Set(['sort', 'insertRows', 'duplicateSheet', 'removeDuplicates']);
const TESTED_OPERATIONS = LARGE_OPERATIONS.filter(({ name }) => RUNS_ALL || DEFAULT_OPERATIONS.has(name));
const TESTED_SHAPES: readonly LargeShape[] = RUNS_ALL ? ['tall', 'wide'] : ['tall'];

let world: World;
let counter: WorkCounter;
before(async () => {
  counter = new WorkCounter();
  // The time limit would refuse an operation on a busy machine. This test counts work, not time.
  world = await startWorld({ oneNode: true, limits: { calculationMs: 300_000 } });
});
after(async () => {
  await world.close();
  counter.stop();
});

describe('operations on large documents', () => {
  it('include each route of the API and each structural operation', async () => {
    const { paths } = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'));
    const routes = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = new Set([...LARGE_OPERATIONS.map(({ route }) => route), ...Object.keys(SMALL_ROUTES)]);
    assert.deepEqual(
      routes.filter((route) => !known.has(route)),
      [],
    );
    const book = await world.createBook();
    const unknown = await book.post('/structure', { operations: [{ unknown: {} }] });
    const listedOperations = /use one of (.*)$/
      .exec(String(memberAt(unknown.body, 'errors', 'operations')[0]))?.[1]
      ?.split(', ');
    assert.deepEqual(listedOperations?.toSorted(), STRUCTURE_OPERATIONS.toSorted());
  });

  for (const shape of TESTED_SHAPES) {
    it(`do not block the serving thread on a ${shape} document`, async () => {
      const { api, book } = await createLargeBook(shape);
      const longSlices: string[] = [];
      for (const operation of TESTED_OPERATIONS) {
        for await (const { label, longest } of measureOperation(api, book, operation)) {
          if (RUNS_ALL) console.log(shape, label, longest);
          if (longest > MAX_SLICE_ACCESSES) longSlices.push(`${label}: ${longest}`);
        }
      }
      assert.deepEqual(longSlices, []);
    });
  }
});

async function createLargeBook(shape: LargeShape): Promise<{ readonly api: Api; readonly book: LargeBook }> {
  const cells = CELLS[shape];
  const owner = await world.createBook();
  const created = await owner.request('POST', `/documents?title=${shape}&locale=en-US`, {
    raw: [...generateRows(shape, cells)].join('\n'),
    headers: { 'content-type': 'text/csv' },
  });
  const api = owner.forDocument(String(memberAt(created.body, 'document')['id']));
  const { rows, columns } = computeSize(shape, cells);
  const sheet = String(memberAt((await api.sheets()).body, 'sheets', 0)['name']);
  const book = { sheet, rows, lastColumn: formatColumn(columns - 1), requestItems: REQUEST_ITEMS };
  for (const request of listPreparations(book)) await sendSuccessfully(api, request);
  return { api, book };
}

/** A response; not all responses are JSON. */
type TextResponse = Pick<Awaited<ReturnType<typeof sendHttp>>, 'status' | 'text'>;

function sendRequest({ base, token, document }: Api, request: LargeRequest, dryRun = false): Promise<TextResponse> {
  const { method, path, body, headers = {} } = request;
  const path_ = path.startsWith('//') ? path.slice(1) : `/documents/${document}${path}`;
  const address = `${base}/api/v1${path_.replace('%7Bdocument%7D', document)}`;
  return sendHttp(dryRun ? `${address}${address.includes('?') ? '&' : '?'}dryRun=true` : address, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function sendSuccessfully(api: Api, request: LargeRequest): Promise<void> {
  const { status, text } = await sendRequest(api, request);
  assert.equal(status, 200, `${request.path}: ${text.slice(0, 200)}`);
}

interface SliceMeasurement {
  readonly label: string;
  readonly longest: number;
}

/** Measures an operation, its dry run and its undo, each as the first write after opening the document. */
async function* measureOperation(
  api: Api,
  book: LargeBook,
  operation: LargeOperation,
): AsyncGenerator<SliceMeasurement> {
  const { route, name, writes, hasDryRun, status = 200 } = operation;
  const label = `${route} ${name}`;
  const first = Number(await api.revision());
  for (const request of operation.before?.(book) ?? []) await sendSuccessfully(api, request);
  const before = Number(await api.revision());
  const request = operation.request(book);
  const measure = async (
    what: string,
    expectedStatus: number,
    action: () => Promise<TextResponse>,
  ): Promise<SliceMeasurement> => {
    await freeWriterState(world, api.document);
    const { result, longest } = await counter.countDuring(action);
    assert.equal(result.status, expectedStatus, `${what}: ${result.text.slice(0, 200)}`);
    return { label: what, longest };
  };
  if (hasDryRun) yield await measure(`${label}, dry run`, status, () => sendRequest(api, request, true));
  yield await measure(label, status, () => sendRequest(api, request));
  if (!writes) return;
  for (let revision = Number(await api.revision()); revision > first; revision--) {
    if (revision > before)
      yield await measure(`${label}, undo`, 200, () => sendRequest(api, createUndoRequest(revision)));
    else await sendSuccessfully(api, createUndoRequest(revision));
  }
}

function createUndoRequest(revision: number): LargeRequest {
  return { method: 'POST', path: `/revisions/${revision}/undo`, body: {} };
}
