import { SignatureError } from '../errors/errors.ts';

/** Headers as `Headers`, a map, pairs, an object, or Node's `rawHeaders`. */
export type HeadersGiven =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly string[];

export interface VerifyOptions {
  /** Maximum difference between the time stamp and now, in seconds; 300 by default. */
  readonly tolerance?: number;
  /** The current time, as a `Date` or in milliseconds. */
  readonly now?: Date | number;
}

/** A cell of a notification. */
export interface NotifiedCell {
  readonly sheetName: string;
  readonly ref: string;
  /** Zero-based, like `col`. */
  readonly row: number;
  readonly col: number;
  readonly v: string | number | boolean | null;
  readonly m: string;
  readonly f: string | null;
  readonly t: string;
  readonly derived?: boolean;
}

/** A notification of changes of a document. */
export interface DocumentUpdated {
  readonly schemaVersion: string;
  readonly event: string;
  readonly source: string;
  readonly sourceToken: string | null;
  readonly documentId: string | null;
  readonly documentTitle: string | null;
  readonly documentUrl: string | null;
  readonly workspace: { readonly id: number; readonly name: string } | null;
  readonly revision: { readonly from: number; readonly to: number };
  readonly changedAt: string | null;
  readonly authors: readonly { readonly id: number; readonly name: string }[];
  readonly cellCount: number;
  readonly changes: string;
  readonly ranges: readonly string[];
  readonly cells: readonly NotifiedCell[];
  readonly truncated: boolean;
  readonly deliveryId: string;
  readonly attempt: number;
  readonly deliveredAt: string | null;
  readonly records?: readonly Readonly<Record<string, unknown>>[];
  readonly structure?: readonly object[];
  readonly test?: boolean;
}

const encoder = new TextEncoder();

/**
 * Checks the signature of a webhook and returns its parsed body. `rawBody` is the unparsed body.
 *
 * Checks the Standard Webhooks signature if it is present, else `X-Service-Signature`. Throws a `SignatureError` for
 * any other request.
 */
export async function verify<T = DocumentUpdated>(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: HeadersGiven,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<T> {
  // A caller without type checks may omit the secrets, which must not accept a request.
  const keys = typeof secrets === 'string' ? [secrets] : (secrets ?? []);
  if (keys.length === 0 || keys.some((key) => typeof key !== 'string' || key === ''))
    refuseWebhook('a secret is missing');
  const header = createHeaderReader(headers);
  const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : new Uint8Array(rawBody);
  const standard = header('webhook-signature');
  const isValid =
    standard === undefined
      ? await isSignedBy(
          keys.map((key) => encoder.encode(key)),
          parseServiceSignatures(header('x-service-signature')),
          body,
        )
      : await isSignedBy(
          keys.map(parseStandardKey),
          parseStandardSignatures(standard),
          createStandardContent(header, body),
        );
  checkTime(readTime(header, standard !== undefined), Number(now), tolerance);
  if (!isValid) refuseWebhook('the signature does not match');
  try {
    return JSON.parse(new TextDecoder().decode(body)) as T;
  } catch {
    return refuseWebhook('the body is not JSON');
  }
}

function refuseWebhook(reason: string): never {
  throw new SignatureError(`The webhook is refused: ${reason}`);
}

type Bytes = Uint8Array<ArrayBuffer>;

function createHeaderReader(headers: HeadersGiven): (name: string) => string | undefined {
  const values = new Map<string, string>();
  for (const [name, value] of listHeaderPairs(headers ?? {})) {
    if (value === undefined) continue;
    const key = name.toLowerCase();
    const previous = values.get(key);
    const text = typeof value === 'string' ? value : value.join(' ');
    values.set(key, previous === undefined ? text : `${previous} ${text}`);
  }
  return (name) => values.get(name)?.trim();
}

function listHeaderPairs(headers: HeadersGiven): Iterable<readonly [string, string | readonly string[] | undefined]> {
  if (Array.isArray(headers) && typeof headers[0] === 'string') {
    return headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]] as const] : []));
  }
  if (Symbol.iterator in headers) return headers as Iterable<readonly [string, string]>;
  return Object.entries(headers);
}

/** Parses signatures in the service's own form, `sha256=` and hexadecimal digits. Ignores other texts. */
function parseServiceSignatures(header = ''): readonly Bytes[] {
  return header.split(/[\s,]+/).flatMap((text) => {
    const hex = /^sha256=((?:[\da-f]{2})+)$/i.exec(text)?.[1] ?? '';
    const bytes = hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16));
    return bytes === undefined ? [] : [Uint8Array.from(bytes)];
  });
}

function parseStandardSignatures(header: string): readonly Bytes[] {
  return header.split(/\s+/).flatMap((text) => (text.startsWith('v1,') ? (decodeBase64(text.slice(3)) ?? []) : []));
}

/** Returns null for a secret that is not base64 and therefore cannot sign in this scheme. */
function parseStandardKey(secret: string): Bytes | null {
  return decodeBase64(secret.replace(/^whsec_/, ''));
}

function decodeBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function createStandardContent(header: (name: string) => string | undefined, body: Bytes): Bytes {
  const prefix = encoder.encode(
    `${header('webhook-id') || refuseWebhook('webhook-id is missing')}.${header('webhook-timestamp')}.`,
  );
  const content = new Uint8Array(prefix.length + body.length);
  content.set(prefix);
  content.set(body, prefix.length);
  return content;
}

/** True if one of the signatures was made with one of the keys. WebCrypto compares in constant time. */
async function isSignedBy(
  keys: readonly (Bytes | null)[],
  signatures: readonly Bytes[],
  content: Bytes,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let isValid = false;
  for (const bytes of keys) {
    if (bytes === null || bytes.length === 0) continue;
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, signature, content)) isValid = true;
    }
  }
  return isValid;
}

/** Returns the time stamp in milliseconds; null if it is absent, which only the older scheme allows. */
function readTime(header: (name: string) => string | undefined, isStandard: boolean): number | null {
  if (isStandard) {
    const text = header('webhook-timestamp') ?? '';
    return /^\d{1,12}$/.test(text) ? Number(text) * 1000 : refuseWebhook('webhook-timestamp is missing or malformed');
  }
  const text = header('x-service-timestamp');
  if (text === undefined) return null;
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? refuseWebhook('X-Service-Timestamp is malformed') : time;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

function checkTime(time: number | null, currentTime: number, tolerance: number): void {
  // An invalid `now` or `tolerance` is NaN, which is not within any tolerance.
  const isNear = time === null || Math.abs(currentTime - time) <= tolerance * 1000;
  if (!isNear) refuseWebhook('its time stamp is too far from now');
}
