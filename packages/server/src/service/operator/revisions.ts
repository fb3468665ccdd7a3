import { userById } from '@cellwire/store/accounts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import type { BatchResult, Commit, OpenDocument, ProposalResult, Reading } from '../../documents/types.ts';
import { commitLoop, type Undone } from '../commit-loop.ts';
import { type RevisionList, revisionsOf } from '../history/revisions.ts';
import {
  type PreparedProposer,
  prepareRestore,
  prepareUndo,
  type Restrictions,
  type TakeBackContext,
} from '../history/take-back.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { unwritten } from '../write.ts';
import { ownersEntry } from './audit.ts';
import { findDocument } from './documents.ts';

/** The operator is above plans and protection. */
const FREE: Restrictions = { user: null, locked: new Set(), unseen: new Set(), mayRestructure: true };
const NOTHING: ReadonlySet<number> = new Set();
const AUTHOR = { userId: null, origin: 'operator', tokenId: null, tokenName: null } as const;

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
  return writePrepared(context, document, 'undo', ({ open, reading }) =>
    prepareUndo(context, open.id, reading, FREE, { revision, force }),
  );
}

export function restoreDocument(
  context: TakeBackContext,
  { document, revision }: RevisionOptions,
): Promise<Body | Refusal> {
  return writePrepared(context, document, 'restore', ({ open, reading }) =>
    prepareRestore(context, open.id, reading, FREE, revision),
  );
}

interface Found {
  /** The document's owner, who stands for the operator in its audit log. */
  readonly owner: { readonly id: number; readonly name: string };
  readonly open: OpenDocument;
  readonly reading: Reading;
}

async function openDocument(context: TakeBackContext, document: string): Promise<Found | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const open = await context.documents.open(row.id);
  const reading = await open?.latest();
  const owner = {
    id: row.owner_id,
    name: (await context.database.readOne(userById({ id: row.owner_id })))?.name ?? '',
  };
  return open && reading ? { open, reading, owner } : DOCUMENT_NOT_FOUND;
}

/** Writes what was prepared, and prepares it anew where others have written meanwhile. */
async function writePrepared(
  context: TakeBackContext,
  document: string,
  action: 'undo' | 'restore',
  prepare: (found: Found) => Promise<PreparedProposer | Refusal>,
): Promise<Body | Refusal> {
  const outcome = await commitLoop<null, { readonly body: Body }>({
    rights: null,
    reauthorize: async () => null,
    attempt: async () => {
      const found = await openDocument(context, document);
      if (isRefusal(found)) return found;
      const propose = await prepare(found);
      return isRefusal(propose) ? propose : attemptWrite(found, propose, action);
    },
  });
  return isRefusal(outcome) ? outcome : outcome.body;
}

async function attemptWrite(
  { open, owner }: Found,
  propose: PreparedProposer,
  action: 'undo' | 'restore',
): Promise<{ readonly body: Body } | Refusal | Undone> {
  const outcome = await open.write<Body, Refusal | Undone>((head) => {
    const proposed = propose(head);
    if ('kind' in proposed) return { kind: 'declined', reason: proposed };
    const { edits, range, body, marks } = proposed;
    const finish = (done: BatchResult, commit: Commit): ProposalResult<Body> => {
      const cells = done.outcomes.reduce((sum, outcome) => sum + outcome.cells, 0);
      const audited = [{ ...ownersEntry(open.id, owner, AUTHOR.origin), action, range, cells, at: commit.at }];
      return { reply: body(commit), audited, statements: marks(commit) };
    };
    return { kind: 'proposal', edits, author: AUTHOR, finish };
  });
  return outcome.kind === 'written' ? { body: outcome.reply } : unwritten(outcome);
}
