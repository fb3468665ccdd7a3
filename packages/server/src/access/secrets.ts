import { hash, randomInt } from 'node:crypto';
import { MAX_SECRET_LENGTH } from '../limits/console.ts';

const TOKEN_PREFIX = 'cw_';
/** Characters of base62 after the prefix: 43 × 5.95 bits are 256 bits. */
const SECRET_LENGTH = 43;
/** Characters of a token that are stored in plain text, so that people can recognize it. The rest has 232 bits. */
const PREFIX_LENGTH = TOKEN_PREFIX.length + 4;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Generates an API token. It is shown once. */
export function generateToken(): string {
  return TOKEN_PREFIX + generateText(SECRET_LENGTH);
}

/** The beginning of a token, by which people recognize it. */
export function getTokenPrefix(token: string): string {
  return token.slice(0, PREFIX_LENGTH);
}

/** Generates the secret of a session's cookie or of an invitation's link. */
export function generateSecret(): string {
  return generateText(SECRET_LENGTH);
}

/** Characters of a generated password: 20 × 5.95 bits are 119 bits. */
const PASSWORD_LENGTH = 20;

export function generatePassword(): string {
  return generateText(PASSWORD_LENGTH);
}

function generateText(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(BASE62.length)]).join('');
}

/**
 * The stored form of the secret of a token, session or invitation: SHA-256 in hex. A secret has 256 random bits, so a
 * fast hash is safe. Looking up the hash does not reveal the secret by timing.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Whether a text has a valid length for a secret. */
export function isSecret(text: string): boolean {
  return text.length > 0 && text.length <= MAX_SECRET_LENGTH;
}

const BEARER = /^Bearer +([!-~]+) *$/i;

/** The token in an `Authorization` header; null: it has none. */
export function parseBearerToken(header: string | undefined): string | null {
  if (header === undefined) return null;
  const token = BEARER.exec(header)?.[1];
  return token === undefined || !isSecret(token) ? null : token;
}
