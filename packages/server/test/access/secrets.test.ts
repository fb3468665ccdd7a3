import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Passwords } from '../../src/access/passwords.ts';
import type { AccessRefusal } from '../../src/access/refusal.ts';
import {
  generatePassword,
  generateToken,
  getTokenPrefix,
  hashSecret,
  parseBearerToken,
} from '../../src/access/secrets.ts';

describe('tokens', () => {
  it('consist of cw_ and base62, and are unique', () => {
    const tokens = Array.from({ length: 1000 }, generateToken);
    for (const token of tokens) assert.match(token, /^cw_[0-9A-Za-z]{43}$/);
    assert.equal(new Set(tokens).size, tokens.length);
  });

  it('are identified by a short prefix', () => {
    assert.equal(getTokenPrefix('cw_abcdefghij'), 'cw_abcd');
  });

  it('are stored as SHA-256', () => {
    // FIPS 180-2, appendix B.1.
    assert.equal(hashSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('follow Bearer in the header', () => {
    const cases: readonly [header: string | undefined, token: string | null][] = [
      ['Bearer abc', 'abc'],
      ['bearer   abc  ', 'abc'],
      ['BEARER abc', 'abc'],
      [undefined, null],
      ['', null],
      ['Bearer', null],
      ['Bearer ', null],
      ['Bearerabc', null],
      ['Bearer a b', null],
      ['Basic abc', null],
      ['Bearer a\u00e9', null],
      [`Bearer ${'x'.repeat(256)}`, null],
    ];
    for (const [header, token] of cases) assert.equal(parseBearerToken(header), token, String(header));
  });
});

/** Hashing with the service's parameters takes much processor time, so most tests use cheap parameters. */
const passwords = new Passwords();
const cheap = new Passwords({ N: 2, r: 8, p: 1 });
/** A hash that takes almost no time to compare. */
const CHEAP_HASH = `scrypt$2$8$1$YQ==$${Buffer.alloc(32).toString('base64')}`;

function expectHash(hash: string | AccessRefusal): string {
  assert.equal(typeof hash, 'string');
  return hash as string;
}

describe('passwords', () => {
  it('match their hash in every Unicode composition', async () => {
    const storedHash = expectHash(await passwords.hash('pass\u00e9word'));
    assert.match(storedHash, /^scrypt\$32768\$8\$3\$/);
    assert.equal(storedHash.includes('pass'), false);
    assert.equal(await passwords.matches('passe\u0301word', storedHash), true);
    assert.equal(passwords.isOutdated(storedHash), false);
    assert.equal(passwords.isOutdated(storedHash.replace('32768', '16384')), true);
  });

  it('match no other hash, and get a different hash each time', async () => {
    const storedHash = expectHash(await cheap.hash('pass\u00e9word'));
    assert.equal(await cheap.matches('pass\u00e9word', storedHash), true);
    assert.equal(await cheap.matches('password', storedHash), false);
    assert.notEqual(await cheap.hash('pass\u00e9word'), storedHash);
  });

  it('never match an unknown hash format', async () => {
    const zeros = Buffer.alloc(32).toString('base64');
    for (const storedHash of [
      null,
      '',
      'x',
      'bcrypt$1$1$1$YQ==$YQ==',
      'scrypt$32768$8',
      `bcrypt$2$8$1$YQ==$${zeros}`,
    ]) {
      assert.equal(await cheap.matches('x', storedHash), false, String(storedHash));
    }
  });

  it('are hashed a few at a time, and refused if too many wait', async () => {
    const busyPasswords = new Passwords();
    const [last, ...others] = (
      await Promise.all(Array.from({ length: 2 + 16 + 1 }, () => busyPasswords.matches('x', CHEAP_HASH)))
    ).toReversed();
    assert.deepEqual(last, { kind: 'refusal', reason: 'busy' });
    assert.deepEqual(new Set(others), new Set([false]));
    assert.equal(await busyPasswords.matches('x', CHEAP_HASH), false);
  });

  it('are long enough if they are generated', () => {
    assert.match(generatePassword(), /^[0-9A-Za-z]{20}$/);
  });
});
