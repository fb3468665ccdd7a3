import { crc32 as computeWithZlib } from 'node:zlib';

/** Up to this length, computing the CRC-32 here takes less time than calling zlib. Characters or bytes. */
const MAX_COMPUTED_HERE = 192;
const MAX_ASCII = 127;
const POLYNOMIAL = 0xedb88320;

/** The CRC-32 of each byte. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** Returns the CRC-32 of bytes, or of a text in UTF-8. `start`: the CRC-32 of the data before them. */
export function crc32(data: string | Uint8Array, start = 0): number {
  if (data.length > MAX_COMPUTED_HERE) return computeWithZlib(data, start);
  return typeof data === 'string' ? computeForText(data, start) : computeForBytes(data, start);
}

/** Returns the CRC-32 of a text in UTF-8 followed by a byte. `start`: the CRC-32 of the data before the text. */
export function crc32WithByte(text: string, byte: number, start: number): number {
  const crc = ~crc32(text, start);
  return ~((TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8)) >>> 0;
}

function computeForText(text: string, start: number): number {
  let crc = ~start;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > MAX_ASCII) return computeWithZlib(text, start);
    crc = (TABLE[(crc ^ code) & 0xff] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

function computeForBytes(bytes: Uint8Array, start: number): number {
  let crc = ~start;
  for (let i = 0; i < bytes.length; i++) crc = (TABLE[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}
