import { hash, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';

const TOKEN_PREFIX = 'cw_';
/** Characters of base62 after the prefix: 43 × 5.95 bits are 256 bits. */
const TOKEN_LENGTH = 43;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Longest bearer token that is looked up, in characters; ours have 46. */
const MAX_TOKEN_LENGTH = 255;

/** A new API token, shown once. */
export function newToken(): string {
  return TOKEN_PREFIX + randomText(TOKEN_LENGTH);
}

/** Characters of a password made for somebody: 20 × 5.95 bits are 119 bits. */
const PASSWORD_LENGTH = 20;

export function newPassword(): string {
  return randomText(PASSWORD_LENGTH);
}

function randomText(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(BASE62.length)]).join('');
}

/**
 * What is stored of a token: SHA-256 in hex. A token holds 256 random bits, so a fast hash is safe, and looking the
 * hash up leaks nothing of the token by timing.
 */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

const BEARER = /^Bearer +([!-~]+) *$/i;

/** The token of an `Authorization` header, or null where it holds none. */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined) return null;
  const token = BEARER.exec(header)?.[1];
  return token === undefined || token.length > MAX_TOKEN_LENGTH ? null : token;
}

/** scrypt's cost (N), block size and parallelisation as OWASP's password storage sheet gives them: 32 MiB of memory. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 3 } as const;
const SCRYPT_MEMORY_BYTES = 64 * 1024 * 1024;
const SCRYPT_KEY_BYTES = 32;
const SALT_BYTES = 16;

/** `scrypt$N$r$p$salt$key`, salt and key in base64. */
export async function passwordHash(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await scryptKey(password, salt, SCRYPT);
  return ['scrypt', SCRYPT.N, SCRYPT.r, SCRYPT.p, salt.toString('base64'), key.toString('base64')].join('$');
}

export async function passwordMatches(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, key] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false;
  const expected = Buffer.from(key, 'base64');
  const actual = await scryptKey(password, Buffer.from(salt, 'base64'), { N: Number(N), r: Number(r), p: Number(p) });
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function scryptKey(password: string, salt: Buffer, cost: { N: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, SCRYPT_KEY_BYTES, { ...cost, maxmem: SCRYPT_MEMORY_BYTES }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
