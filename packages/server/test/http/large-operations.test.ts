import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import {
  LARGE_OPERATIONS,
  type LargeBook,
  type LargeOperation,
  type LargeRequest,
  type LargeShape,
  largeRows,
  lettersOf,
  preparing,
  SMALL_ROUTES,
  STRUCTURE_OPERATIONS,
  sizeOf,
} from './large-operations.ts';
import { send } from './send.ts';
import { type Api, startWorld, type World } from './support.ts';
import { WorkCounter } from './work-counter.ts';

/** Filled cells: several times what the serving thread may work on at a stretch. */
const CELLS: Readonly<Record<LargeShape, number>> = { tall: 160_000, wide: 49_149, texts: 240_000 };
const SENT = 2_000;
/**
 * Reads and writes of cells that the serving thread may make between two looks at the clock. What is small enough to be
 * calculated there makes some for each of the 30,000 values that it may enter (`INLINE_VALUES`).
 */
const MAX_STRETCH = 500_000;

/** All of the table takes minutes of processor time: `STRETCHES=1` tries it, and says what was counted. */
const IS_WHOLE = process.env['STRETCHES'] === '1';
const FEW = new Set(['sort', 'insertRows', 'duplicateSheet', 'removeDuplicates']);
const TRIED = LARGE_OPERATIONS.filter(({ name }) => IS_WHOLE || FEW.has(name));
const TRIED_SHAPES: readonly LargeShape[] = IS_WHOLE ? ['tall', 'wide'] : ['tall'];

let world: World;
let counter: WorkCounter;
before(async () => {
  counter = new WorkCounter();
  world = await startWorld({ oneNode: true });
});
after(async () => {
  await world.close();
  counter.stop();
});

describe('operations on large documents', () => {
  it('are all in the table: each route of the API, and each operation of `structure`', async () => {
    const { paths } = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'));
    const routes = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = new Set([...LARGE_OPERATIONS.map(({ route }) => route), ...Object.keys(SMALL_ROUTES)]);
    assert.deepEqual(
      routes.filter((route) => !known.has(route)),
      [],
    );
    const book = await world.book();
    const unknown = await book.post('/structure', { operations: [{ unknown: {} }] });
    const named = /use one of (.*)$/.exec(String(unknown.body['errors']['operations'][0]))?.[1]?.split(', ');
    assert.deepEqual(named?.toSorted(), STRUCTURE_OPERATIONS.toSorted());
  });

  for (const shape of TRIED_SHAPES) {
    it(`leave the serving thread free on a ${shape} document`, async () => {
      const { api, book } = await largeBook(shape);
      const stretches: string[] = [];
      for (const operation of TRIED) {
        for await (const { label, longest } of tried(api, book, operation)) {
          if (IS_WHOLE) console.log(shape, label, longest);
          if (longest > MAX_STRETCH) stretches.push(`${label}: ${longest}`);
        }
      }
      assert.deepEqual(stretches, []);
    });
  }
});

async function largeBook(shape: LargeShape): Promise<{ readonly api: Api; readonly book: LargeBook }> {
  const cells = CELLS[shape];
  const owner = await world.book();
  const made = await owner.request('POST', `/documents?title=${shape}&locale=en-US`, {
    raw: [...largeRows(shape, cells)].join('\n'),
    headers: { 'content-type': 'text/csv' },
  });
  const api = owner.at(String(made.body['document']['id']));
  const { rows, columns } = sizeOf(shape, cells);
  const sheet = String((await api.sheets()).body['sheets'][0]['name']);
  const book = { sheet, rows, last: lettersOf(columns - 1), sent: SENT };
  for (const request of preparing(book)) await done(api, request);
  return { api, book };
}

/** What an operation answers; not all answers are JSON. */
type Answered = Pick<Awaited<ReturnType<typeof send>>, 'status' | 'text'>;

function ask({ base, token, document }: Api, request: LargeRequest, dryRun = false): Promise<Answered> {
  const { method, path, body, headers = {} } = request;
  const whole = path.startsWith('//') ? path.slice(1) : `/documents/${document}${path}`;
  const address = `${base}/api/v1${whole.replace('%7Bdocument%7D', document)}`;
  return send(dryRun ? `${address}${address.includes('?') ? '&' : '?'}dryRun=true` : address, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function done(api: Api, request: LargeRequest): Promise<void> {
  const { status, text } = await ask(api, request);
  assert.equal(status, 200, `${request.path}: ${text.slice(0, 200)}`);
}

interface Stretch {
  readonly label: string;
  readonly longest: number;
}

/** Tries an operation, what it would do, and what takes it back; each as the first write since the document was opened. */
async function* tried(api: Api, book: LargeBook, operation: LargeOperation): AsyncGenerator<Stretch> {
  const { route, name, writes, hasDryRun, status = 200 } = operation;
  const label = `${route} ${name}`;
  const first = Number(await api.revision());
  for (const request of operation.before?.(book) ?? []) await done(api, request);
  const before = Number(await api.revision());
  const request = operation.request(book);
  const counted = async (what: string, wanted: number, act: () => Promise<Answered>): Promise<Stretch> => {
    await rest(api);
    const { result, longest } = await counter.during(act);
    assert.equal(result.status, wanted, `${what}: ${result.text.slice(0, 200)}`);
    return { label: what, longest };
  };
  if (hasDryRun) yield await counted(`${label}, dry run`, status, () => ask(api, request, true));
  yield await counted(label, status, () => ask(api, request));
  if (!writes) return;
  for (let revision = Number(await api.revision()); revision > first; revision--) {
    if (revision > before) yield await counted(`${label}, undo`, 200, () => ask(api, undoOf(revision)));
    else await done(api, undoOf(revision));
  }
}

function undoOf(revision: number): LargeRequest {
  return { method: 'POST', path: `/revisions/${revision}/undo`, body: {} };
}

/** Lets go of what the document holds for writers, so that the next write begins in the thread that serves. */
async function rest({ document }: Api): Promise<void> {
  const open = await world.server.service.context.documents.open(document);
  (open as unknown as { rest?: () => void } | null)?.rest?.();
}
