import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createSingleSheetParts, createTestFolder, MAIN, writeZip } from '../../../files/test/workbook-files.ts';
import { type Api, type ApiResponse, type Json, memberAt, startWorld, type World } from './support.ts';
import { ENDLESS, LIMIT_EXCEEDED, runWithTimeLimit } from './time-limit.ts';

/** Calculates for tens of milliseconds, longer than the serving thread allows. */
const LONG = '=REDUCE(0;SEQUENCE(200000);LAMBDA(a;b;a+b))';
const LONG_RESULT = 20_000_100_000;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const folder = await createTestFolder();

/** Creates a new user with the given number of documents. */
async function createUserWithDocuments(world: World, documents: number): Promise<readonly Api[]> {
  const { id } = await world.createUser();
  const token = await world.createToken(id);
  return Promise.all(
    Array.from({ length: documents }, async () => world.apiFor(token, await world.createDocument(id))),
  );
}

/** Requests of another user; `ended` counts the answered ones. */
function trackRequests(requests: readonly Promise<ApiResponse>[]) {
  const state = { ended: 0, answers: Promise.all(requests) };
  for (const request_ of requests) {
    void request_.then(() => {
      state.ended++;
    });
  }
  return state;
}

async function readMessages(answers: Promise<readonly ApiResponse[]>): Promise<unknown> {
  return [...new Set((await answers).map(({ body }) => String(body['message'])))];
}

function sendQuery(api: Api, formula: string): Promise<ApiResponse> {
  return api.requestInDocument('POST', '/records/query', { body: { range: 'Sheet1', formula } });
}

function sendDryRun(api: Api, range: string, formula: string): Promise<ApiResponse> {
  return api.requestInDocument('PUT', `/values/${range}?dryRun=true`, { body: { values: [[formula]] } });
}

/**
 * Work of another user, in documents of this user, that takes a calculation thread. Returns false if the work itself
 * took the whole time limit.
 */
const LONG_WORK: Readonly<Record<string, (api: Api) => Promise<boolean>>> = {
  async 'a write'(api) {
    const written = await api.put('C1', [[LONG]]);
    if (exceedsLimit(written)) return false;
    assert.equal(written.status, 200);
    assert.equal((await api.cell('C1'))['v'], LONG_RESULT);
    return true;
  },
  async 'a query with a formula'(api) {
    const answer = await sendQuery(api, `=${LONG.slice(1)}>0*A2`);
    if (exceedsLimit(answer)) return false;
    assert.deepEqual([answer.status, memberAt(answer.body, 'records')['length']], [200, 2]);
    return true;
  },
  async 'a dry run'(api) {
    const answer = await sendDryRun(api, 'D1', LONG);
    if (exceedsLimit(answer)) return false;
    assert.deepEqual([answer.status, memberAt(answer.body, 'changes', 0)['after']], [200, LONG_RESULT]);
    return true;
  },
};

function exceedsLimit({ status, body }: ApiResponse): boolean {
  return status === 422 && String(body['message']) === LIMIT_EXCEEDED;
}

describe('a user whose calculations run until the time limit', () => {
  it('delays no other user, with any request, number of documents and number of tokens', async () => {
    await runWithTimeLimit(1, async (world) => {
      const [[otherDocument], [other], { id }] = await Promise.all([
        createUserWithDocuments(world, 1),
        createUserWithDocuments(world, 1),
        world.createUser(),
      ]);
      assert.ok(otherDocument && other);
      await world.share(otherDocument.document, id, 'edit');
      const documents = [otherDocument.document, await world.createDocument(id), await world.createDocument(id)];
      const apis = await Promise.all(
        documents.map(async (document) => world.apiFor(await world.createToken(id), document)),
      );
      const [shared, own, another] = apis as [Api, Api, Api];
      for (const api of [...apis, other]) await api.put('A1', [['Number'], [1], [2]]);
      const slow = trackRequests([
        shared.put('C1', [[ENDLESS]]),
        sendQuery(own, `=${ENDLESS.slice(1)}>A2`),
        sendDryRun(another, 'C1', ENDLESS),
      ]);
      let isWorkDone = true;
      for (const work of Object.values(LONG_WORK)) isWorkDone &&= await work(other);
      const isFirst = isWorkDone && slow.ended === 0;
      assert.deepEqual(await readMessages(slow.answers), [LIMIT_EXCEEDED]);
      return isFirst;
    });
  });
});

describe('a document with several users', () => {
  it('stays writable and readable while a viewer runs long queries', async () => {
    await runWithTimeLimit(1, async (world) => {
      const [owner] = await createUserWithDocuments(world, 1);
      assert.ok(owner);
      await owner.put('A1', [['Number'], [1], [2]]);
      const viewer = await world.addMember(owner.document, 'view');
      const slow = trackRequests([1, 2].map(() => sendQuery(viewer.api, `=${ENDLESS.slice(1)}>A2`)));
      assert.equal((await owner.put('A2', [[5]])).status, 200);
      assert.equal((await owner.put('B1', [['=A2+1']])).status, 200);
      assert.equal((await owner.cell('B1'))['v'], 6);
      const isWorkDone = (await LONG_WORK['a query with a formula']?.(owner)) === true;
      const isFirst = isWorkDone && slow.ended === 0;
      assert.deepEqual(await readMessages(slow.answers), [LIMIT_EXCEEDED]);
      return isFirst;
    });
  });

  it('schedules the writes of a light user before further writes of a heavy user', async () => {
    await runWithTimeLimit(1, async (world) => {
      const [owner] = await createUserWithDocuments(world, 1);
      assert.ok(owner);
      const editor = await world.addMember(owner.document, 'edit');
      const slow = trackRequests([1, 2, 3].map((row) => editor.api.put(`C${row}`, [[ENDLESS]])));
      // The loop ends once the first slow calculation has ended.
      while (slow.ended === 0) assert.equal((await owner.put('A1', [[1]])).status, 200);
      assert.equal((await owner.put('A1', [[2]])).status, 200);
      const isBeforeLast = slow.ended <= 2;
      assert.deepEqual(await readMessages(slow.answers), [LIMIT_EXCEEDED]);
      return isBeforeLast;
    });
  });

  it('answers a query with the writes that were accepted before it', async (t) => {
    const world = await startWorld({ workers: 1, oneNode: true });
    t.after(() => world.close());
    const [owner] = await createUserWithDocuments(world, 1);
    assert.ok(owner);
    await owner.put('A1', [['Number'], [1], [2]]);
    const countNumbersAbove = async (limit: number) => {
      const { body } = await sendQuery(owner, `=AND(A2>${limit};${LONG.slice(1)}>0)`);
      return Array.from(body['records'] as unknown as readonly Json[], ({ fields }) => fields?.['Number']);
    };
    assert.deepEqual(await countNumbersAbove(1), [2]);
    for (let i = 3; i < 8; i++) {
      await owner.put(`A${i + 1}`, [[i]]);
      assert.deepEqual(
        await countNumbersAbove(1),
        Array.from({ length: i - 1 }, (_, index) => index + 2),
      );
    }
  });
});

/** Creates a file of a few kilobytes that takes minutes to calculate. */
async function createSlowFile(): Promise<Buffer> {
  const rows = Array.from({ length: 4_000 }, (_, i) => {
    const text = `<c r="A${i + 1}" t="inlineStr"><is><t>${'ab'.repeat(200)}${i}</t></is></c>`;
    return `<row r="${i + 1}">${text}<c r="B${i + 1}"><f>COUNTIF(A$1:A$4000,"*a*b*a*b*a*b*${i}*b*x")</f></c></row>`;
  });
  const sheet = `<worksheet ${MAIN}><sheetData>${rows.join('')}</sheetData></worksheet>`;
  return readFile(await writeZip(join(folder, 'slow.xlsx'), createSingleSheetParts(sheet)));
}

/** Starts an upload that can be aborted; `ended` is true once it has a response. */
function startUpload({ base, token }: Api, file: Buffer) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': XLSX, 'content-length': file.length };
  const clientRequest = request(`${base}/api/v1/documents?title=slow`, { method: 'POST', headers });
  const state = { ended: false, gone: new Promise<void>((resolve) => clientRequest.once('close', resolve)) };
  clientRequest.once('response', () => {
    state.ended = true;
  });
  clientRequest.on('error', () => {});
  clientRequest.end(file);
  return Object.assign(state, { end: () => clientRequest.destroy() });
}

describe('a user whose files take long to calculate', () => {
  it('does not delay imports and exports of others, and an aborted upload frees its slot', async (t) => {
    const limits = { calculationMs: 60_000, calculationCells: Number.MAX_SAFE_INTEGER };
    const world = await startWorld({ limits, workers: 1, oneNode: true });
    t.after(() => world.close());
    const [[hostile], [other]] = await Promise.all([
      createUserWithDocuments(world, 1),
      createUserWithDocuments(world, 1),
    ]);
    assert.ok(hostile && other);
    const file = await createSlowFile();
    const uploads = [1, 2, 3, 4].map(() => startUpload(hostile, file));
    const rows = Array.from({ length: 5_000 }, (_, row) => [row, `name ${row}`]);
    assert.equal((await other.put('A1', rows)).status, 200);
    const small = { raw: 'a,b\n1,2\n', headers: { 'content-type': 'text/csv' } };
    assert.equal((await other.request('POST', '/documents', small)).status, 200);
    const exported = await fetch(`${other.base}/api/v1/documents/${other.document}/export?format=xlsx`, {
      headers: { authorization: `Bearer ${other.token}` },
    });
    assert.deepEqual([exported.status, (await exported.arrayBuffer()).byteLength > 0], [200, true]);
    assert.ok(uploads.every(({ ended }) => !ended));
    for (const upload of uploads) upload.end();
    await Promise.all(uploads.map(({ gone: closed }) => closed));
    assert.equal((await hostile.request('POST', '/documents', small)).status, 200);
  });
});
