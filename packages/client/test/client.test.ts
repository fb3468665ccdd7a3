import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { suite, test } from 'node:test';
import { inspect } from 'node:util';
import { formatPythonTypes, PYTHON_TYPES } from '../scripts/python-types.ts';
import { formatClientTypes, TYPES } from '../scripts/types.ts';
import { Cellwire, CellwireError, ConnectionError, NotFoundError } from '../src/index.ts';
import { ScriptedServer } from './scripted-server.ts';

const TOKEN = 'cw_very-secret-token';

suite('a new client', () => {
  test('accepts addresses with and without `/api/v1`, with a path, and with a final slash', () => {
    const ADDRESSES: readonly (readonly [input: string, expected: string])[] = [
      ['https://h', 'https://h/api/v1'],
      ['https://h/', 'https://h/api/v1'],
      ['https://h/api/v1', 'https://h/api/v1'],
      ['https://h/api/v1/', 'https://h/api/v1'],
      ['https://h/cells', 'https://h/cells/api/v1'],
      ['http://h:81/cells/api/v1', 'http://h:81/cells/api/v1'],
    ];
    for (const [input, expected] of ADDRESSES)
      assert.equal(new Cellwire({ url: input, token: TOKEN }).address, expected);
  });

  test('refuses invalid settings, and does not print the token with the error', () => {
    const REFUSED: readonly object[] = [
      { token: '' },
      { token: `${TOKEN}\n` },
      { token: TOKEN, url: 'h' },
      { token: TOKEN, url: 'ftp://h' },
      { token: TOKEN, url: 'https://user:word@h' },
      { token: TOKEN, attempts: 0 },
      { token: TOKEN, timeout: 0 },
    ];
    for (const options of REFUSED) {
      assert.throws(
        () => new Cellwire({ url: 'http://h', ...options }),
        (error) => error instanceof CellwireError && !inspect(error).includes(TOKEN),
        JSON.stringify(options),
      );
    }
    assert.throws(() => new Cellwire({ url: 'http://h', token: '' }), /CELLWIRE_TOKEN/);
  });
});

test('printed clients and errors do not contain the token', async () => {
  const server = createServer((request, response) => {
    // Repeats the header in its response, as a badly configured service or proxy does.
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: `bad ${request.headers.authorization}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const cw = new Cellwire({ url, token: TOKEN, attempts: 1 });
  const refusal = await cw.userinfo().catch((error: unknown) => error);
  await new Promise((resolve) => server.close(resolve));
  const broken = await cw.userinfo().catch((error: unknown) => error);
  assert.ok(broken instanceof ConnectionError);
  for (const printed of [refusal, broken, cw, cw.document('D'), cw.document('D').table('A:B')]) {
    const text = inspect(printed, { showHidden: true, depth: 20, getters: true }) + JSON.stringify(printed);
    assert.ok(!text.includes(TOKEN), text);
  }
});

test('sends integers that are not exact with an exponent, and texts as they are', async () => {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push((await request.toArray()).join(''));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const records = [{ a: 1e17, 'key 100000000000000000': -(2 ** 53), c: 2 ** 53 - 1, d: 0.1 + 0.2, e: 1e300 }];
  const texts = [{ a: '100000000000000000', b: '"100000000000000000', c: '\\100000000000000000' }];
  const table = new Cellwire({ url, token: TOKEN, attempts: 1 }).document('D').table('A:E');
  await table.append([...records, ...texts]);
  await new Promise((resolve) => server.close(resolve));
  const [body = ''] = bodies;
  assert.deepEqual(JSON.parse(body)['records'], [...records, ...texts]);
  assert.match(body, /"a":1e\+17,"key 100000000000000000":-9\.007199254740992e\+15,"c":9007199254740991,/);
});

test('refuses numbers that JSON replaces by null, because null leaves a cell unchanged', async () => {
  const book = new Cellwire({ url: 'http://127.0.0.1:1', token: TOKEN, attempts: 1 }).document('D');
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
    await assert.rejects(book.write('A1', [[value]]), { name: 'CellwireError', message: `${value} cannot be written` });
  }
});

test('creates documents and sheets by a title or name, also as an option', async () => {
  const bodies: unknown[] = [];
  const answer: typeof fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    return Response.json({});
  };
  const cw = new Cellwire({ url: 'http://h', token: TOKEN, fetch: answer });
  await cw.documents.create('T', { locale: 'de-DE' });
  await cw.documents.create({ title: 'T' });
  await cw.document('D').sheets.create('S');
  await cw.document('D').sheets.create({ name: 'S' });
  assert.deepEqual(bodies, [{ locale: 'de-DE', title: 'T' }, { title: 'T' }, { name: 'S' }, { name: 'S' }]);
});

suite('an aborted call', () => {
  test('rejects with the reason of its signal at every stage', async () => {
    const server = await ScriptedServer.start();
    try {
      const STAGES = [
        { answer: { hangs: true } },
        { answer: { status: 200, text: '{', hangs: true } },
        { answer: { status: 503, headers: { 'retry-after': '50' } } },
      ];
      for (const [i, exchange] of STAGES.entries()) {
        const script = server.addScript(`t${i}`, [exchange]);
        const cw = new Cellwire({ url: server.url, token: `t${i}` });
        const abort = new AbortController();
        const reason = new Error('enough');
        const call = cw.userinfo({ signal: abort.signal });
        setTimeout(() => abort.abort(reason), 200);
        await assert.rejects(call, (error) => error === reason);
        assert.deepEqual(script.problems, []);
      }
      const abort = AbortSignal.abort(new Error('before'));
      await assert.rejects(new Cellwire({ url: server.url, token: 't' }).userinfo({ signal: abort }), /before/);
    } finally {
      await server.close();
    }
  });

  test('ends an iteration before items that have already arrived', async () => {
    const server = await ScriptedServer.start();
    try {
      const entries = [1, 2, 3].map((revision) => ({ revision, incarnation: 'i' }));
      const changes = { entries, revision: 3, next: 3, hasMore: false, incarnation: 'i', gap: false };
      const fields = [{ fields: { n: 1 } }, { fields: { n: 2 } }, { fields: { n: 3 } }];
      const revisions = { entries, total: 3 };
      const documents = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
      const page = { records: fields, columns: [], pagination: { nextCursor: null } };
      const cases: readonly (readonly [
        answer: object,
        (cw: Cellwire, signal: AbortSignal) => AsyncIterable<unknown>,
      ])[] = [
        [{ lines: [[1], [2], [3], { end: true }] }, (cw, signal) => cw.document('D').rows('A:A', { signal })],
        [{ lines: [...fields, { end: true }] }, (cw, signal) => cw.document('D').table('A:A').find({ signal })],
        [{ json: page }, (cw, signal) => cw.document('D').table('A:A', { dates: true }).find({ signal })],
        [{ json: { changes } }, (cw, signal) => cw.document('D').changes(0, { signal })],
        [{ json: { changes } }, (cw, signal) => cw.document('D').follow(0, { signal })],
        [{ json: { revisions } }, (cw, signal) => cw.document('D').history.list({ signal })],
        [{ json: { documents, nextCursor: null } }, (cw, signal) => cw.documents.list({ signal })],
      ];
      for (const [i, [answer, iterate]] of cases.entries()) {
        server.addScript(`items${i}`, [{ answer }]);
        const abort = new AbortController();
        const reason = new Error('enough');
        const items: unknown[] = [];
        const iteration = async () => {
          for await (const item of iterate(new Cellwire({ url: server.url, token: `items${i}` }), abort.signal)) {
            items.push(item);
            if (items.length === 2) abort.abort(reason);
          }
        };
        await assert.rejects(iteration(), (error) => error === reason, `case ${i}`);
        assert.equal(items.length, 2, `case ${i}`);
      }
    } finally {
      await server.close();
    }
  });

  test('ends a stream of records without waiting for its source', async () => {
    const server = await ScriptedServer.start();
    try {
      server.addScript('t', [{ answer: { afterLines: [2], lines: [{ batch: 1, appended: { created: 2 } }] } }]);
      const abort = new AbortController();
      const reason = new Error('enough');
      let isCleanedUp = false;
      async function* source() {
        try {
          yield { n: 1 };
          yield { n: 2 };
          abort.abort(reason);
          await new Promise<never>(() => undefined);
        } finally {
          isCleanedUp = true;
        }
      }
      const table = new Cellwire({ url: server.url, token: 't' }).document('D').table('A:B');
      const upload = table.append(source(), { batch: 2, signal: abort.signal });
      await assert.rejects(upload, (error) => error === reason);
      assert.equal(isCleanedUp, false, 'the call waited for its source');
    } finally {
      await server.close();
    }
  });
});

test('a source that throws ends its stream with its error', async () => {
  const server = await ScriptedServer.start();
  try {
    server.addScript('t', [
      { answer: { afterLines: [1], lines: [{ batch: 1, appended: { created: 1, revisionId: '2' } }] } },
    ]);
    let recordsRead = 0;
    function* source() {
      for (; recordsRead < 5; recordsRead++) yield { n: recordsRead };
      throw new Error('the file is broken');
    }
    const table = new Cellwire({ url: server.url, token: 't' }).document('D').table('A:B');
    const progress: number[] = [];
    const options = { batch: 4, onProgress: ({ records }: { readonly records: number }) => progress.push(records) };
    await assert.rejects(table.append(source(), options), /the file is broken/);
  } finally {
    await server.close();
  }
});

test('an error of onProgress ends its stream, even if it is an error of the client', async () => {
  const server = await ScriptedServer.start();
  try {
    const lines = [{ batch: 1, appended: { created: 1, revisionId: '2' } }];
    const script = server.addScript('t', [{ answer: { afterLines: [1], lines } }]);
    const table = new Cellwire({ url: server.url, token: 't' }).document('D').table('A:B');
    const reason = new ConnectionError('the log cannot be reached');
    const onProgress = () => {
      throw reason;
    };
    const upload = table.append([{ n: 1 }, { n: 2 }][Symbol.iterator](), { batch: 1, onProgress });
    await assert.rejects(upload, (error) => error === reason);
    assert.deepEqual(script.problems, []);
  } finally {
    await server.close();
  }
});

test('records that are found can be used as a promise', async () => {
  const server = await ScriptedServer.start();
  try {
    const lines = [{ fields: { n: 1 } }, { end: true }];
    server.addScript('t', [
      { answer: { lines } },
      { answer: { lines } },
      { answer: { status: 404 } },
      { answer: { lines } },
    ]);
    const table = new Cellwire({ url: server.url, token: 't' }).document('D').table('A:B');
    assert.deepEqual(await Promise.all([table.find()]), [[{ n: 1 }]]);
    assert.deepEqual(await table.find().catch(() => []), [{ n: 1 }]);
    await assert.rejects(table.find(), NotFoundError);
    let isSettled = false;
    await table.find().finally(() => {
      isSettled = true;
    });
    assert.ok(isSettled);
  } finally {
    await server.close();
  }
});

test('the source is read no further than two batches ahead', async () => {
  const server = await ScriptedServer.start();
  try {
    let recordsRead = 0;
    function* source() {
      for (; ; recordsRead++) yield { n: recordsRead };
    }
    server.addScript('t', [{ answer: { afterLines: [20], lines: [{ batch: 1, status: 422, message: 'no' }] } }]);
    const table = new Cellwire({ url: server.url, token: 't' }).document('D').table('A:B');
    await assert.rejects(table.append(source(), { batch: 10 }), /no/);
    assert.ok(recordsRead <= 20, `${recordsRead} records`);
  } finally {
    await server.close();
  }
});

test('the generated types of both clients match openapi.json', () => {
  const files = formatClientTypes();
  assert.deepEqual(readdirSync(TYPES).sort(), [...files.keys()].sort(), 'run npm run client:types');
  // The files are formatted, so white space and redundant punctuation are ignored.
  const plain = (text: string) => text.replace(/[\s()|]+/g, '');
  for (const [name, text] of files) {
    assert.ok(plain(readFileSync(new URL(name, TYPES), 'utf8')) === plain(text), `${name}: run npm run client:types`);
  }
  assert.ok(readFileSync(PYTHON_TYPES, 'utf8') === formatPythonTypes(), 'run npm run client:types');
});
