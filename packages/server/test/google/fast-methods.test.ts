import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { FastMethods } from '../../src/google/http/fast-methods.ts';
import { readRequestCredentials } from '../../src/http/request-credentials.ts';
import { memberAt } from '../http/support.ts';
import { createGridRange, type GoogleClient, type Spreadsheet, startGoogle, type World } from './support.ts';

/** A header without effect, which makes the fast path pass a request to the framework. */
const BY_FRAMEWORK = { 'content-encoding': 'identity' };
/** Headers that differ between any two answers, or by how an answer is sent. */
const VARYING = ['x-request-id', 'date', 'content-length', 'transfer-encoding'];

describe('small requests of the Google-compatible API', () => {
  let world: World;
  let google: GoogleClient;
  let book: Spreadsheet;

  before(async () => {
    ({ world, google } = await startGoogle());
    book = await google.createSpreadsheet();
    await book.put('A1', [
      ['Name', 'N'],
      ['a', '=1+1'],
      ['b', 3],
    ]);
  });
  after(() => world.close());

  async function describeAnswer(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ) {
    const answer = await google.request(method, path, body, headers);
    const fields = Object.entries(JSON.parse(answer.headers.toString()) as Record<string, string>);
    return {
      status: answer.status,
      headers: Object.fromEntries(fields.filter(([name]) => !VARYING.includes(name)).sort()),
      body: answer.body,
    };
  }

  it('get the same answers with and without the framework', async () => {
    const values = `/v4/spreadsheets/${book.id}/values`;
    const paint = {
      repeatCell: {
        range: createGridRange(0, 1, 0, 1),
        cell: { userEnteredFormat: { textFormat: { bold: true } } },
        fields: 'userEnteredFormat.textFormat.bold',
      },
    };
    const requests: readonly (readonly [method: string, path: string, body?: unknown])[] = [
      ['GET', `${values}/A1:B3`],
      ['GET', `${values}/Sheet1%21A1%3AB3?fields=values&prettyPrint=false`],
      ['GET', `${values}:batchGet?ranges=A1&ranges=B2&valueRenderOption=FORMULA`],
      ['PUT', `${values}/C1?valueInputOption=USER_ENTERED&includeValuesInResponse=true`, { values: [['1/2/2026']] }],
      ['PUT', `${values}/C2?valueInputOption=RAW`, { values: [['é', null]] }],
      ['POST', `${values}:batchUpdate`, { valueInputOption: 'RAW', data: [{ range: 'D1', values: [[1]] }] }],
      ['POST', `${values}/C2:clear`],
      ['POST', `${values}:batchClear`, { ranges: ['D1'] }],
      ['POST', `/v4/spreadsheets/${book.id}:batchUpdate`, { requests: [paint], includeSpreadsheetInResponse: true }],
      // Errors.
      ['GET', `${values}/Nope!A1`],
      ['GET', `${values}/A1?unknown=1`],
      ['GET', `${values}/%E0`],
      ['GET', '/v4/spreadsheets/missing/values/A1'],
      ['PUT', `${values}/A1`, { values: [[1]] }],
      ['PUT', `${values}/A1?valueInputOption=RAW`, '{'],
      ['PUT', `${values}/A1?valueInputOption=RAW`, { values: 'a' }],
      ['POST', `/v4/spreadsheets/${book.id}:batchUpdate`, { requests: [{ unknown: {} }] }],
      ['DELETE', `${values}/A1`],
    ];
    for (const [method, path, body] of requests) {
      const fast = await describeAnswer(method, path, body, {});
      assert.deepEqual(fast, await describeAnswer(method, path, body, BY_FRAMEWORK), `${method} ${path}`);
    }
  });

  it('are refused without valid credentials, in the same form', async () => {
    const path = `/v4/spreadsheets/${book.id}/values/A1`;
    for (const authorization of ['Bearer wrong', 'Basic YTpi']) {
      const fast = await describeAnswer('GET', path, undefined, { authorization });
      assert.equal(fast.status, 401);
      assert.deepEqual(fast, await describeAnswer('GET', path, undefined, { authorization, ...BY_FRAMEWORK }));
    }
  });

  it('get a long answer in pieces that form one JSON text', async () => {
    const groups = 300;
    const group = (row: number) => ({
      addDimensionGroup: { range: { dimension: 'ROWS', startIndex: row * 2, endIndex: row * 2 + 1 } },
    });
    const large = await google.createSpreadsheet();
    await large.readReplies(...Array.from({ length: groups - 1 }, (_, row) => group(row)));
    const replies = await large.readReplies(group(groups - 1));
    const { dimensionGroups } = memberAt(replies, 0, 'addDimensionGroup');
    assert.equal((dimensionGroups as unknown as readonly object[]).length, groups);
  });

  it('are answered by the fast path, other requests by the framework', () => {
    const { context, access, gate } = world.server.service;
    const withoutUrl = { ...context, config: { ...context.config, publicUrl: null } };
    const parts = { context: withoutUrl, access, gate, readTokenCredentials: readRequestCredentials };
    const methods = new FastMethods(parts);
    const find = (method: string, url: string, headers = {}) =>
      methods.findMethod({ method, url: `/google${url}`, headers } as IncomingMessage) !== null;
    const values = `/v4/spreadsheets/${book.id}/values`;
    assert.ok(find('PUT', `${values}/A1?valueInputOption=RAW`));
    assert.ok(find('GET', `${values}/A1`));
    assert.ok(find('POST', `/v4/spreadsheets/${book.id}:batchUpdate`));
    assert.ok(!find('GET', `/v4/spreadsheets/${book.id}`));
    assert.ok(!find('DELETE', `${values}/A1`));
    // The framework knows which proxies may say under which address the service is reached.
    assert.ok(!find('GET', `${values}/A1`, { 'x-forwarded-host': 'sheets.example.org' }));
  });
});
