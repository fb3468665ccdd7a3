// The distinguished encoding rules of ASN.1 (X.690), limited to the types that certificates need.

function encodeElement(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = toBigEndian(length);
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

function toBigEndian(value: number): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

export function encodeSequence(...parts: readonly Uint8Array[]): Buffer {
  return encodeElement(0x30, Buffer.concat(parts));
}

export function encodeSet(...parts: readonly Uint8Array[]): Buffer {
  return encodeElement(0x31, Buffer.concat(parts));
}

/** A non-negative integer, big-endian. */
export function encodeInteger(bytes: Uint8Array): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return encodeElement(0x02, isNegative ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function encodeSmallInteger(value: number): Buffer {
  return encodeInteger(toBigEndian(value));
}

export function encodeBoolean(value: boolean): Buffer {
  return encodeElement(0x01, Buffer.from([value ? 0xff : 0]));
}

/** A DER bit string. `unused` is the number of unused bits at the end of the last byte. */
export function encodeBitString(bytes: Uint8Array, unused = 0): Buffer {
  return encodeElement(0x03, Buffer.concat([Buffer.from([unused]), bytes]));
}

export function encodeOctetString(bytes: Uint8Array): Buffer {
  return encodeElement(0x04, bytes);
}

export function encodeUtf8(text: string): Buffer {
  return encodeElement(0x0c, Buffer.from(text));
}

/** An object identifier in dotted form. */
export function encodeObjectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return encodeElement(0x06, Buffer.concat([40 * first + second, ...rest].map(encodeBase128)));
}

function encodeBase128(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return Buffer.from(bytes);
}

/** A time with a precision of one second. */
export function encodeUtcTime(date: Date): Buffer {
  const text = date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return encodeElement(0x17, Buffer.from(`${text}Z`));
}

/** A context-specific element. `isConstructed`: it contains other elements. */
export function encodeContextElement(number: number, content: Uint8Array, isConstructed: boolean): Buffer {
  return encodeElement(0x80 | (isConstructed ? 0x20 : 0) | number, content);
}
