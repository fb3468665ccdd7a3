import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Passwords } from '../../src/access/passwords.ts';
import type { AccessRefusal } from '../../src/access/refusal.ts';
import { bearerToken, generatePassword, generateToken, secretHash, tokenPrefix } from '../../src/access/secrets.ts';

describe('tokens', () => {
  it('are cw_ and base62, never twice the same', () => {
    const tokens = Array.from({ length: 1000 }, generateToken);
    for (const token of tokens) assert.match(token, /^cw_[0-9A-Za-z]{43}$/);
    assert.equal(new Set(tokens).size, tokens.length);
  });

  it('are told by their beginning, which is little of them', () => {
    assert.equal(tokenPrefix('cw_abcdefghij'), 'cw_abcd');
  });

  it('are stored as SHA-256', () => {
    // FIPS 180-2, appendix B.1.
    assert.equal(secretHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('stand after Bearer in the header', () => {
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
    for (const [header, token] of cases) assert.equal(bearerToken(header), token, String(header));
  });
});

/** One that is hashed as in service takes a good part of a second of the processor: as few as will do. */
const passwords = new Passwords();
const cheap = new Passwords({ N: 2, r: 8, p: 1 });
/** What takes next to nothing to compare with. */
const CHEAP = `scrypt$2$8$1$YQ==$${Buffer.alloc(32).toString('base64')}`;

function given(hash: string | AccessRefusal): string {
  assert.equal(typeof hash, 'string');
  return hash as string;
}

describe('passwords', () => {
  it('match their hash, however their letters are composed', async () => {
    const stored = given(await passwords.hash('pass\u00e9word'));
    assert.match(stored, /^scrypt\$32768\$8\$3\$/);
    assert.equal(stored.includes('pass'), false);
    assert.equal(await passwords.matches('passe\u0301word', stored), true);
    assert.equal(passwords.isOutdated(stored), false);
    assert.equal(passwords.isOutdated(stored.replace('32768', '16384')), true);
  });

  it('match no other hash, and have never the same one twice', async () => {
    const stored = given(await cheap.hash('pass\u00e9word'));
    assert.equal(await cheap.matches('pass\u00e9word', stored), true);
    assert.equal(await cheap.matches('password', stored), false);
    assert.notEqual(await cheap.hash('pass\u00e9word'), stored);
  });

  it('never match what is no hash of ours', async () => {
    const zeros = Buffer.alloc(32).toString('base64');
    for (const stored of [null, '', 'x', 'bcrypt$1$1$1$YQ==$YQ==', 'scrypt$32768$8', `bcrypt$2$8$1$YQ==$${zeros}`]) {
      assert.equal(await cheap.matches('x', stored), false, String(stored));
    }
  });

  it('are hashed a few at a time, and refused where too many wait', async () => {
    const crowded = new Passwords();
    const [last, ...others] = (
      await Promise.all(Array.from({ length: 2 + 16 + 1 }, () => crowded.matches('x', CHEAP)))
    ).toReversed();
    assert.deepEqual(last, { kind: 'refusal', reason: 'busy' });
    assert.deepEqual(new Set(others), new Set([false]));
    assert.equal(await crowded.matches('x', CHEAP), false);
  });

  it('that are made are long enough', () => {
    assert.match(generatePassword(), /^[0-9A-Za-z]{20}$/);
  });
});
