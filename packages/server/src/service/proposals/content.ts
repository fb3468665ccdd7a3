import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { Edit } from '@cellwire/engine';
import { createDamageError, type StoredOperation } from '@cellwire/store/stored-forms';
import type { ValueForm } from '../../documents/preview.ts';
import type { TargetRange } from '../../documents/recent-commits.ts';
import type { SheetEntry } from '../../documents/types.ts';
import type { Expectation } from '../expectations.ts';
import type { AuditNote } from '../history/audit-log.ts';
import type { Preconditions } from '../preconditions.ts';
import type { WatchedCells } from './watched-cells.ts';

/** The operation that waits for approval, and its input. */
export interface ProposedOperation {
  /** The operation's id. */
  readonly id: string;
  /** Path, query and body of the request in one object. */
  readonly input: object;
}

/** The edits of a proposal, and their preconditions. */
export interface ProposalContent {
  readonly operation: ProposedOperation;
  /** Null: the operation is run again on the newest state. */
  readonly edits: readonly Edit[] | null;
  /** Structural operations for notifications; absent: the operations of the edits. */
  readonly structure?: readonly StoredOperation[];
  /** The sheets of the state of the preview, and the id of the next new one. */
  readonly sheets: readonly Pick<SheetEntry, 'id' | 'name'>[];
  readonly nextSheetId: number;
  readonly watched: readonly WatchedCells[];
  /** Ids of the sheets whose cells the proposal writes. */
  readonly writes: readonly number[];
  readonly notes: readonly AuditNote[];
  readonly ifRevision: number | null;
  readonly preconditions: Preconditions | null;
  readonly target: TargetRange | null;
  readonly expected: readonly Expectation[];
  /** Form of the values in the preview; absent: as in a read of cells. */
  readonly form?: ValueForm;
}

const pack = promisify(deflate);
const unpack = promisify(inflate);

type StoredEdit = Exclude<Edit, { readonly kind: 'takeBack' }> | { readonly kind: 'takeBack'; readonly base64: string };

/** The stored form: JSON, compressed outside of this thread. */
export async function encodeContent(content: ProposalContent): Promise<Uint8Array> {
  return pack(JSON.stringify({ ...content, edits: content.edits?.map(toStoredEdit) ?? null }));
}

/** Rejects with a damage error if the bytes are not what was stored. */
export async function decodeContent(bytes: Uint8Array): Promise<ProposalContent> {
  const { edits, ...content } = await readStoredContent(bytes);
  return { ...content, edits: edits?.map(toEngineEdit) ?? null };
}

type StoredContent = Omit<ProposalContent, 'edits'> & { readonly edits: readonly StoredEdit[] | null };

/** Unpacks the stored edits of a proposal. Throws the error of a damaged document if they are unreadable. */
async function readStoredContent(bytes: Uint8Array): Promise<StoredContent> {
  try {
    return JSON.parse((await unpack(bytes)).toString());
  } catch (cause) {
    throw createDamageError('The edits of a proposal', cause);
  }
}

/** The edit in a form that JSON can hold: an inverse as base64. */
function toStoredEdit(edit: Edit): StoredEdit {
  return edit.kind === 'takeBack' ? { kind: 'takeBack', base64: Buffer.from(edit.inverse).toString('base64') } : edit;
}

/** The edit that `toStoredEdit` made storable. */
function toEngineEdit(edit: StoredEdit): Edit {
  if (edit.kind !== 'takeBack') return edit;
  return { kind: 'takeBack', inverse: new Uint8Array(Buffer.from(edit.base64, 'base64')), locked: [] };
}
