import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { SignatureError, verify } from '../src/index.ts';
import { PYTHON, PYTHON_FOLDER } from './clients.ts';

const NOW = 1_774_500_000;
const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another key of thirty-two bytes!').toString('base64')}`;
const BODY = JSON.stringify({ event: 'document.updated', documentTitle: 'Ж 😀' });

function createStandardHeaders(secret = SECRET, seconds = NOW, body = BODY, id = 'm-1'): Record<string, string> {
  const signature = new Webhook(secret).sign(id, new Date(seconds * 1000), body);
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signature };
}

function createServiceHeaders(secret = SECRET, body = BODY): Record<string, string> {
  return { 'X-Service-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
}

/** A request, and whether both clients accept it. */
interface VerificationCase {
  readonly name: string;
  readonly headers: unknown;
  readonly secrets?: string | readonly string[] | null;
  readonly body?: string;
  readonly now?: number;
  readonly tolerance?: number;
  readonly accepted: boolean;
}

const TIME = new Date(NOW * 1000).toISOString();

const VECTORS: readonly VerificationCase[] = [
  { name: 'a standard signature', headers: createStandardHeaders(), accepted: true },
  { name: 'a service signature without a time stamp', headers: createServiceHeaders(), accepted: true },
  {
    name: 'a service signature with a time stamp',
    headers: { ...createServiceHeaders(), 'X-Service-Timestamp': TIME },
    accepted: true,
  },
  { name: 'headers in capitals', headers: toUpperCaseNames(createStandardHeaders()), accepted: true },
  { name: 'headers as pairs', headers: Object.entries(createStandardHeaders()), accepted: true },
  { name: 'one of several secrets', headers: createStandardHeaders(), secrets: [OTHER, SECRET], accepted: true },
  {
    name: 'one of several signatures',
    headers: {
      ...createStandardHeaders(),
      'webhook-signature': `v1a,xx ${createStandardHeaders(OTHER)['webhook-signature']} ${createStandardHeaders()['webhook-signature']}`,
    },
    accepted: true,
  },
  {
    name: 'a secret without its prefix',
    headers: createStandardHeaders(),
    secrets: SECRET.slice('whsec_'.length),
    accepted: true,
  },
  {
    name: 'a service secret that is no base64',
    headers: createServiceHeaders('plain secret'),
    secrets: 'plain secret',
    accepted: true,
  },
  {
    name: 'a time stamp at the end of the tolerance',
    headers: createStandardHeaders(),
    now: NOW + 300,
    accepted: true,
  },
  { name: 'a wider tolerance', headers: createStandardHeaders(), now: NOW + 900, tolerance: 1_000, accepted: true },
  { name: 'another body', headers: createStandardHeaders(), body: `${BODY} `, accepted: false },
  { name: 'another body with a service signature', headers: createServiceHeaders(), body: `${BODY} `, accepted: false },
  { name: 'another secret', headers: createStandardHeaders(OTHER), accepted: false },
  { name: 'another service secret', headers: createServiceHeaders(OTHER), accepted: false },
  { name: 'an old time stamp', headers: createStandardHeaders(), now: NOW + 301, accepted: false },
  { name: 'a time stamp of the future', headers: createStandardHeaders(), now: NOW - 301, accepted: false },
  {
    name: 'an old service time stamp',
    headers: { ...createServiceHeaders(), 'X-Service-Timestamp': TIME },
    now: NOW + 301,
    accepted: false,
  },
  {
    name: 'a malformed service time stamp',
    headers: { ...createServiceHeaders(), 'X-Service-Timestamp': 'now' },
    accepted: false,
  },
  { name: 'a missing time stamp', headers: omitHeader(createStandardHeaders(), 'webhook-timestamp'), accepted: false },
  {
    name: 'a malformed time stamp',
    headers: { ...createStandardHeaders(), 'webhook-timestamp': '1e9' },
    accepted: false,
  },
  { name: 'a missing id', headers: omitHeader(createStandardHeaders(), 'webhook-id'), accepted: false },
  { name: 'an empty id', headers: createStandardHeaders(SECRET, NOW, BODY, ''), accepted: false },
  {
    name: 'a bad standard signature beside a good service one',
    headers: { ...createServiceHeaders(), ...createStandardHeaders(OTHER) },
    accepted: false,
  },
  {
    name: 'an empty standard signature beside a good service one',
    headers: { ...createServiceHeaders(), ...createStandardHeaders(), 'webhook-signature': '' },
    accepted: false,
  },
  {
    name: 'a signature of another version',
    headers: {
      ...createStandardHeaders(),
      'webhook-signature': createStandardHeaders()['webhook-signature']?.replace('v1', 'v2'),
    },
    accepted: false,
  },
  {
    name: 'a service signature without its prefix',
    headers: { 'X-Service-Signature': createServiceHeaders()['X-Service-Signature']?.slice(7) },
    accepted: false,
  },
  { name: 'a signature of no bytes', headers: { 'X-Service-Signature': 'sha256=' }, accepted: false },
  { name: 'no signature', headers: {}, accepted: false },
  { name: 'no secret', headers: createStandardHeaders(), secrets: [], accepted: false },
  { name: 'a missing secret', headers: createStandardHeaders(), secrets: null, accepted: false },
  { name: 'missing headers', headers: null, accepted: false },
  { name: 'an empty secret', headers: createStandardHeaders(), secrets: '', accepted: false },
  {
    name: 'an empty secret beside a good one',
    headers: createStandardHeaders(),
    secrets: [SECRET, ''],
    accepted: false,
  },
  { name: 'a body that is not JSON', headers: createServiceHeaders(SECRET, 'x'), body: 'x', accepted: false },
];

function toUpperCaseNames(headers: Record<string, string>): object {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
}

function omitHeader(headers: Record<string, string>, name: string): object {
  return Object.fromEntries(Object.entries(headers).filter(([header]) => header !== name));
}

suite('the TypeScript client', () => {
  for (const { name, headers, secrets = SECRET, body = BODY, now = NOW, tolerance = 300, accepted } of VECTORS) {
    test(`${accepted ? 'accepts' : 'refuses'} ${name}`, async () => {
      const verifyVector = () =>
        verify(body, headers as Record<string, string>, secrets as string, { now: now * 1000, tolerance });
      if (accepted) assert.deepEqual(await verifyVector(), JSON.parse(body));
      else await assert.rejects(verifyVector, SignatureError);
    });
  }

  test('refuses a time that is no number', async () => {
    await assert.rejects(verify(BODY, createStandardHeaders(), SECRET, { now: Number.NaN }), SignatureError);
    await assert.rejects(verify(BODY, createStandardHeaders(), SECRET, { now: new Date('x') }), SignatureError);
    await assert.rejects(
      verify(BODY, createStandardHeaders(), SECRET, { now: NOW * 1000, tolerance: Number.NaN }),
      SignatureError,
    );
  });

  test('accepts headers and bodies in every supported form', async () => {
    const raw = Buffer.from(BODY);
    const now = { now: new Date(NOW * 1000) };
    for (const headers of [
      new Headers(createStandardHeaders()),
      new Map(Object.entries(createStandardHeaders())),
      Object.entries(createStandardHeaders()).flat(),
    ])
      assert.deepEqual(await verify(raw, headers, SECRET, now), JSON.parse(BODY));
    const lists = Object.fromEntries(Object.entries(createStandardHeaders()).map(([name, value]) => [name, [value]]));
    assert.deepEqual(await verify(new Uint8Array(raw).buffer, lists, SECRET, now), JSON.parse(BODY));
  });
});

test('the Python client accepts and refuses the same requests', {
  skip: PYTHON === null && 'Python 3.9 or newer is not installed',
}, () => {
  const program = `
import json, sys, cellwire
for vector in json.load(sys.stdin):
    try:
        cellwire.verify(vector["body"], vector["headers"], vector["secrets"], now=vector["now"], tolerance=vector["tolerance"])
        print("accepted")
    except cellwire.SignatureError:
        print("refused")
`;
  const input = JSON.stringify(
    VECTORS.map(({ headers, secrets = SECRET, body = BODY, now = NOW, tolerance = 300 }) => ({
      headers,
      secrets,
      body,
      now,
      tolerance,
    })),
  );
  const env = { ...process.env, PYTHONPATH: `${PYTHON_FOLDER}/src`, PYTHONDONTWRITEBYTECODE: '1' };
  const output = execFileSync(PYTHON ?? '', ['-c', program], { input, env, encoding: 'utf8' })
    .trim()
    .split('\n');
  assert.deepEqual(
    VECTORS.map(({ name }, i) => `${name}: ${output[i]}`),
    VECTORS.map(({ name, accepted }) => `${name}: ${accepted ? 'accepted' : 'refused'}`),
  );
});
