import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { TableShape } from './table-shape.ts';

/**
 * Rows of tables in one file: what `backup` writes, and, of one document, a bundle. docs/file-formats.md describes it.
 *
 * It begins with `MAGIC` and a byte for the version; then comes one Zstandard frame with records: a byte for the kind, the
 * length of its content (4 bytes, little-endian), the content.
 */
export const MAGIC = Buffer.from('CELLWIRE', 'latin1');
export const VERSION = 1;

/** Kinds of records, in their order: the head; tables by name, each with its rows; the SHA-256 of all before. */
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
  /** The whole installation, or one document. */
  holds: Type.Union([Type.Literal('installation'), Type.Literal('document')]),
  /** When it was written, ISO 8601. */
  at: Type.String({ maxLength: 40 }),
  migrations: Type.Array(Type.Object({ id: Count, name: Name, checksum: Name }), { maxItems: MAX_LISTED }),
  tables: Type.Array(Table, { maxItems: MAX_LISTED }),
  /** The greatest number that each serial table has given. */
  serials: Type.Record(Type.String(), Count),
  /** Rows of each table. */
  counts: Type.Record(Type.String(), Count),
  /** The key that secrets are sealed with, in hex; null: it is not in the file. */
  key: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]),
});

export type ArchiveHead = Type.Static<typeof Head>;

/** The head in a text; null where it is none. */
export function parseHead(text: string): (ArchiveHead & { readonly tables: readonly TableShape[] }) | null {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Head, value) ? value : null;
  } catch {
    return null;
  }
}
