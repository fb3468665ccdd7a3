import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createPrivateFolder } from '../database/private-folder.ts';

/**
 * Encrypts secrets that must be read again (bot tokens, signing secrets), so that the database and its copies do not
 * reveal them.
 */
export interface SecretBox {
  /** Identifies the key without revealing it. A database records the fingerprint of its key. */
  readonly fingerprint: string;
  seal(secret: string): Uint8Array;
  /** Returns the secret; null if the value was sealed with another key or is damaged. */
  open(sealed: Uint8Array): string | null;
  /** Checks whether another process has rotated the key. */
  refresh(): Promise<void>;
}

const PRIVATE_FILE = 0o600;

const CIPHER = 'aes-256-gcm';
/** Sizes in bytes. A sealed value consists of format, nonce, tag and encrypted text. */
export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 1;
const FINGERPRINT = 'cellwire secrets key';
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** Returns the path of the key file. */
export function buildKeyFilePath(dataFolder: string): string {
  return join(dataFolder, 'keys', 'secrets.key');
}

/** Source of the key. */
export interface KeyLocation {
  readonly dataFolder: string;
  /** The key in hex; null if it is in the data folder. */
  readonly secretsKey: string | null;
}

/**
 * Creates a box with the given key or the key in the data folder, which is created if missing. Throws if the key is
 * unusable.
 */
export function openSecretBox({ dataFolder, secretsKey }: KeyLocation): SecretBox {
  return createSecretBox(loadOrCreateKey({ dataFolder, secretsKey }));
}

/** Reads the key, or creates it if missing. Throws if it is unusable. */
export function loadOrCreateKey({ dataFolder, secretsKey }: KeyLocation): Uint8Array {
  return secretsKey === null ? loadKeyFile(buildKeyFilePath(dataFolder)) : Buffer.from(secretsKey, 'hex');
}

/** Returns the path of the key before the last rotation. The file exists until no secret is sealed with that key. */
function buildPreviousKeyPath(dataFolder: string): string {
  return `${buildKeyFilePath(dataFolder)}.previous`;
}

/** Returns the key before the last rotation; null if no secret can be sealed with it. */
export function readPreviousKey(dataFolder: string): Uint8Array | null {
  return readKeyFile(buildPreviousKeyPath(dataFolder));
}

export function deletePreviousKey(dataFolder: string): void {
  rmSync(buildPreviousKeyPath(dataFolder), { force: true });
}

/** Replaces the key in the data folder. The old key is kept next to it. */
export function replaceKeyFile(dataFolder: string, key: Uint8Array): void {
  const file = buildKeyFilePath(dataFolder);
  const before = readKeyFile(file);
  if (before !== null && Buffer.from(before).equals(key)) return;
  if (before !== null) writeKeyFile(buildPreviousKeyPath(dataFolder), before);
  writeKeyFile(file, key);
}

/** Writes a key file atomically. */
function writeKeyFile(file: string, key: Uint8Array): void {
  createPrivateFolder(dirname(file));
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  const handle = openSync(draft, 'wx', PRIVATE_FILE);
  try {
    writeSync(handle, key);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}

/** True if a key exists. */
export function hasKey({ dataFolder, secretsKey }: KeyLocation): boolean {
  return secretsKey !== null || existsSync(buildKeyFilePath(dataFolder));
}

/** Returns the key in the data folder; null if there is none. Throws if its file is unreadable or damaged. */
export function readStoredKey(dataFolder: string): Uint8Array | null {
  const key = readKeyFile(buildKeyFilePath(dataFolder));
  return key === null ? null : verifyKeyLength(key, buildKeyFilePath(dataFolder));
}

/** Stores a key in the data folder unless it contains one. Returns the stored key. */
export function storeKey(dataFolder: string, key: Uint8Array): Uint8Array {
  return createKeyFile(buildKeyFilePath(dataFolder), key);
}

/** Encrypts and decrypts secrets with one key. */
export function createSecretBox(key: Uint8Array): SecretBox {
  return {
    fingerprint: createHmac('sha256', key).update(FINGERPRINT).digest('hex'),
    seal: (secret) => encryptSecret(key, secret),
    open: (sealed) => decryptSecret(key, sealed),
    refresh: async () => {},
  };
}

function loadKeyFile(file: string): Uint8Array {
  return verifyKeyLength(readKeyFile(file) ?? createKeyFile(file, randomBytes(KEY_BYTES)), file);
}

/** The key. Throws if it has not `KEY_BYTES` bytes. */
function verifyKeyLength(key: Uint8Array, file: string): Uint8Array {
  if (key.length !== KEY_BYTES) throw new Error(`${file} must have ${KEY_BYTES} bytes`);
  return key;
}

function readKeyFile(file: string): Uint8Array | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Writes the key to a temporary file and links it to its path. If two processes do this concurrently, the first one
 * succeeds, and both use its key.
 */
function createKeyFile(file: string, key: Uint8Array): Uint8Array {
  createPrivateFolder(dirname(file));
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  const handle = openSync(draft, 'wx', PRIVATE_FILE);
  try {
    writeSync(handle, key);
    fsyncSync(handle);
    linkSync(draft, file);
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  } finally {
    closeSync(handle);
    rmSync(draft, { force: true });
  }
  return readFileSync(file);
}

function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The format byte, the nonce, the authentication tag and the encrypted text. */
function encryptSecret(key: Uint8Array, secret: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), encrypted]);
}

/** The text that `encryptSecret` encrypted; null if the key is another one or the bytes were changed. */
function decryptSecret(key: Uint8Array, sealed: Uint8Array): string | null {
  if (sealed.length < HEAD_BYTES || sealed[0] !== FORMAT) return null;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
