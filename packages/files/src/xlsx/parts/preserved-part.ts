import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Relationship } from '../relationships.ts';

/** A part of a package that is preserved from import to export: a drawing, a chart, a picture. */
export interface PreservedPart {
  /** Path from the root of the package. */
  readonly name: string;
  /** Its content type. */
  readonly type: string;
  readonly relationships: readonly Relationship[];
  /** Content of the part, compressed (raw deflate). */
  readonly bytes: Uint8Array;
}

export function compressPart(content: Buffer): Uint8Array {
  return deflateRawSync(content);
}

export function decompressPart({ bytes }: PreservedPart): Buffer {
  return inflateRawSync(bytes);
}
