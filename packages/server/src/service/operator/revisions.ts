import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import type { Commit, OpenDocument, Reading } from '../../documents/types.ts';
import { MAX_WRITE_ATTEMPTS } from '../../limits/limits.ts';
import type { Statement } from '../../store/database.ts';
import { BUSY, isRefusal, type Refusal } from '../refusal.ts';
import { type RevisionList, revisionsOf } from '../revisions.ts';
import {
  type PreparedPlan,
  prepareRestore,
  prepareUndo,
  type Restrictions,
  type TakeBackContext,
} from '../take-back.ts';
import { PREPARED_ANEW, type Undone, unwritten } from '../write.ts';
import { findDocument } from './documents.ts';

/** The operator is above plans and protection. */
const FREE: Restrictions = { locked: new Set(), mayRestructure: true };
const NOTHING: ReadonlySet<number> = new Set();
const AUTHOR = { userId: null, origin: 'operator', tokenId: null, tokenName: null };

interface RevisionOptions {
  readonly document: string;
  /** As it was given. */
  readonly revision: string;
}

type Body = Readonly<Record<string, unknown>>;

export async function listRevisions(
  context: TakeBackContext,
  document: string,
  page: { readonly offset: number; readonly limit: number },
): Promise<RevisionList | Refusal> {
  const found = await openDocument(context, document);
  return isRefusal(found) ? found : revisionsOf(context, found.open.id, found.reading.snapshot, NOTHING, page);
}

export function undoRevision(
  context: TakeBackContext,
  { document, revision, force }: RevisionOptions & { readonly force: boolean },
): Promise<Body | Refusal> {
  return writePrepared(context, document, ({ open, reading }) =>
    prepareUndo(context, open.id, reading, FREE, { revision, force }),
  );
}

export function restoreDocument(
  context: TakeBackContext,
  { document, revision }: RevisionOptions,
): Promise<Body | Refusal> {
  return writePrepared(context, document, ({ open, reading }) =>
    prepareRestore(context, open.id, reading, FREE, revision),
  );
}

interface Found {
  readonly open: OpenDocument;
  readonly reading: Reading;
}

async function openDocument(context: TakeBackContext, document: string): Promise<Found | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const open = await context.documents.open(row.id);
  const reading = await open?.latest();
  return open && reading ? { open, reading } : DOCUMENT_NOT_FOUND;
}

/** Writes what was prepared, and prepares it anew where others have written meanwhile. */
async function writePrepared(
  context: TakeBackContext,
  document: string,
  prepare: (found: Found) => Promise<PreparedPlan | Refusal>,
): Promise<Body | Refusal> {
  for (let attempt = 0; attempt < MAX_WRITE_ATTEMPTS; attempt++) {
    const found = await openDocument(context, document);
    if (isRefusal(found)) return found;
    const plan = await prepare(found);
    if (isRefusal(plan)) return plan;
    const outcome = await attemptWrite(found.open, plan);
    if (!('kind' in outcome)) return outcome.body;
    if (outcome.kind === 'refusal') return outcome;
    if (!PREPARED_ANEW.has(outcome.conflict)) throw new Error(`a write was undone: ${outcome.conflict}`);
  }
  return BUSY;
}

async function attemptWrite(
  open: OpenDocument,
  plan: PreparedPlan,
): Promise<{ readonly body: Body } | Refusal | Undone> {
  const outcome = await open.write<Body, Refusal | Undone>((head) => {
    const planned = plan(head);
    if ('kind' in planned) return { kind: 'declined', reason: planned };
    const finish = (
      _: unknown,
      commit: Commit,
    ): { readonly reply: Body; readonly statements: readonly Statement[] } => ({
      reply: planned.body(commit),
      statements: planned.marks(commit),
    });
    return { kind: 'plan', edits: planned.edits, author: AUTHOR, finish };
  });
  return outcome.kind === 'written' ? { body: outcome.reply } : unwritten(outcome);
}
