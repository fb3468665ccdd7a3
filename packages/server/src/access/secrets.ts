import { hash, randomInt } from 'node:crypto';
import { MAX_SECRET_LENGTH } from '../limits/console.ts';

const TOKEN_PREFIX = 'cw_';
/** Characters of base62 after the prefix: 43 × 5.95 bits are 256 bits. */
const SECRET_LENGTH = 43;
/** Characters of a token that are kept to tell it by; what is left holds 232 bits. */
const PREFIX_LENGTH = TOKEN_PREFIX.length + 4;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new API token, shown once. */
export function generateToken(): string {
  return TOKEN_PREFIX + generateText(SECRET_LENGTH);
}

/** The part of a token by which people tell it from others. */
export function tokenPrefix(token: string): string {
  return token.slice(0, PREFIX_LENGTH);
}

/** What a session's cookie, or an invitation's link, holds. */
export function generateSecret(): string {
  return generateText(SECRET_LENGTH);
}

/** Characters of a password made for somebody: 20 × 5.95 bits are 119 bits. */
const PASSWORD_LENGTH = 20;

export function generatePassword(): string {
  return generateText(PASSWORD_LENGTH);
}

function generateText(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(BASE62.length)]).join('');
}

/**
 * What is stored of a token, a session or an invitation: SHA-256 in hex. Each holds 256 random bits, so a fast hash is
 * safe, and looking the hash up leaks nothing of the secret by timing.
 */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Whether a text can be a secret of ours at all. */
export function isSecret(text: string): boolean {
  return text.length > 0 && text.length <= MAX_SECRET_LENGTH;
}

const BEARER = /^Bearer +([!-~]+) *$/i;

/** The token of an `Authorization` header, or null where it holds none. */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined) return null;
  const token = BEARER.exec(header)?.[1];
  return token === undefined || !isSecret(token) ? null : token;
}
