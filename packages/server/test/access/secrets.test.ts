import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  bearerToken,
  newPassword,
  newToken,
  passwordHash,
  passwordMatches,
  tokenHash,
} from '../../src/access/secrets.ts';

describe('tokens', () => {
  it('are cw_ and base62, never twice the same', () => {
    const tokens = Array.from({ length: 1000 }, newToken);
    for (const token of tokens) assert.match(token, /^cw_[0-9A-Za-z]{43}$/);
    assert.equal(new Set(tokens).size, tokens.length);
  });

  it('are stored as SHA-256', () => {
    // FIPS 180-2, appendix B.1.
    assert.equal(tokenHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
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

describe('passwords', () => {
  it('match their hash, however their letters are composed', async () => {
    const stored = await passwordHash('pass\u00e9word');
    assert.match(stored, /^scrypt\$32768\$8\$3\$/);
    assert.equal(stored.includes('pass'), false);
    assert.equal(await passwordMatches('passe\u0301word', stored), true);
    assert.equal(await passwordMatches('password', stored), false);
    assert.notEqual(await passwordHash('pass\u00e9word'), stored);
  });

  it('never match what is no hash of ours', async () => {
    for (const stored of ['', 'x', 'bcrypt$1$1$1$YQ==$YQ==', 'scrypt$32768$8']) {
      assert.equal(await passwordMatches('x', stored), false, stored);
    }
  });

  it('that are made are long enough', () => {
    assert.match(newPassword(), /^[0-9A-Za-z]{20}$/);
  });
});
