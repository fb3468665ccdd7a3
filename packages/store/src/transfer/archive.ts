import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { TableShape } from './table-shape.ts';

/**
 * File format for rows of tables: a backup, or a bundle of one document. docs/file-formats.md describes it.
 *
 * A file begins with `MAGIC` and a version byte. One Zstandard frame with records follows: a byte for the kind, the
 * length of the content (4 bytes, little-endian), the content.
 */
export const MAGIC = Buffer.from('CELLWIRE', 'latin1');
export const VERSION = 1;

/**
 * Kinds of records, in this order: the head; the name of each table, followed by its rows; the SHA-256 of everything
 * before.
 */
export const HEAD = 0x48;
export const TABLE = 0x54;
export const ROW = 0x52;
export const END = 0x5a;
export const RECORD_HEAD_BYTES = 5;
export const DIGEST_BYTES = 32;

const MAX_LISTED = 1_000;
const Name = Type.String({ minLength: 1, maxLength: 200 });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Kind = Type.Union([Type.Literal('number'), Type.Literal('text'), Type.Literal('bytes')]);

const Table = Type.Object({
  name: Name,
  columns: Type.Array(Type.Object({ name: Name, kind: Kind }), { minItems: 1, maxItems: MAX_LISTED }),
  key: Type.Array(Name, { maxItems: MAX_LISTED }),
  serial: Type.Boolean(),
});

const Head = Type.Object({
  /** Content of the file: the whole installation, or one document. */
  holds: Type.Union([Type.Literal('installation'), Type.Literal('document')]),
  /** Time of writing, ISO 8601. */
  at: Type.String({ maxLength: 40 }),
  migrations: Type.Array(Type.Object({ id: Count, name: Name, checksum: Name }), { maxItems: MAX_LISTED }),
  tables: Type.Array(Table, { maxItems: MAX_LISTED }),
  /** Greatest number of each serial table. */
  serials: Type.Record(Type.String(), Count),
  /** Number of rows of each table. */
  counts: Type.Record(Type.String(), Count),
  /** The secrets key in hex; null if the file does not contain it. */
  key: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]),
});

export type ArchiveHead = Type.Static<typeof Head>;

/** Parses the head; null if it is invalid. */
export function parseHead(text: string): (ArchiveHead & { readonly tables: readonly TableShape[] }) | null {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Head, value) ? value : null;
  } catch {
    return null;
  }
}
