import { userById } from '@cellwire/store/accounts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import type { BatchResult, CommitStamp, DocumentReading, OpenDocument, ProposalResult } from '../../documents/types.ts';
import { type CommitConflict, commitWithoutRights } from '../commit-loop.ts';
import { type RevisionList, readRevisionPage } from '../history/revisions.ts';
import {
  type PreparedProposer,
  prepareRestore,
  prepareUndo,
  type UndoContext,
  type UndoRestrictions,
} from '../history/undo.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { toUnwrittenResult } from '../write.ts';
import { buildOwnerEntry } from './document-entries.ts';
import { findDocument } from './new-document.ts';

/** Plans and protection do not restrict the operator. */
const NO_CONDITIONS: UndoRestrictions = {
  user: null,
  locked: new Set(),
  hiddenSheets: new Set(),
  mayRestructure: true,
};
const NO_RESTRICTIONS: ReadonlySet<number> = new Set();
const AUTHOR = { userId: null, origin: 'operator', tokenId: null, tokenName: null } as const;

interface RevisionOptions {
  readonly document: string;
  /** The command's argument, not parsed. */
  readonly revision: string;
}

type RevisionResult = Readonly<Record<string, unknown>>;

export async function listRevisions(
  context: UndoContext,
  document: string,
  page: { readonly offset: number; readonly limit: number },
): Promise<RevisionList | Refusal> {
  const found = await openDocument(context, document);
  return isRefusal(found)
    ? found
    : readRevisionPage(context, found.open.id, found.reading.snapshot, NO_RESTRICTIONS, page);
}

export function undoRevision(
  context: UndoContext,
  { document, revision, force }: RevisionOptions & { readonly force: boolean },
): Promise<RevisionResult | Refusal> {
  return writeAsOperator(context, document, 'undo', ({ open, reading }) =>
    prepareUndo(context, open.id, reading, NO_CONDITIONS, { revision, force }),
  );
}

export function restoreDocument(
  context: UndoContext,
  { document, revision }: RevisionOptions,
): Promise<RevisionResult | Refusal> {
  return writeAsOperator(context, document, 'restore', ({ open, reading }) =>
    prepareRestore(context, open.id, reading, NO_CONDITIONS, revision),
  );
}

interface DocumentForRevisions {
  /** The document's owner, who represents the operator in its audit log. */
  readonly owner: { readonly id: number; readonly name: string };
  readonly open: OpenDocument;
  readonly reading: DocumentReading;
}

/** The open document with its newest state and its owner; refused if it does not exist. */
async function openDocument(context: UndoContext, document: string): Promise<DocumentForRevisions | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const open = await context.documents.open(row.id);
  const reading = await open?.readLatest();
  const owner = {
    id: row.owner_id,
    name: (await context.database.readOne(userById({ id: row.owner_id })))?.name ?? '',
  };
  return open && reading ? { open, reading, owner } : DOCUMENT_NOT_FOUND;
}

/** Commits the prepared change. Prepares it again if others have written since. */
async function writeAsOperator(
  context: UndoContext,
  document: string,
  action: 'undo' | 'restore',
  prepare: (found: DocumentForRevisions) => Promise<PreparedProposer | Refusal>,
): Promise<RevisionResult | Refusal> {
  const outcome = await commitWithoutRights<{ readonly body: RevisionResult }>(async () => {
    const found = await openDocument(context, document);
    if (isRefusal(found)) return found;
    const propose = await prepare(found);
    return isRefusal(propose) ? propose : attemptWrite(found, propose, action);
  });
  return isRefusal(outcome) ? outcome : outcome.body;
}

/** Tries to commit an undo or a restore once, in the owner's name. */
async function attemptWrite(
  { open, owner }: DocumentForRevisions,
  propose: PreparedProposer,
  action: 'undo' | 'restore',
): Promise<{ readonly body: RevisionResult } | Refusal | CommitConflict> {
  const outcome = await open.write<RevisionResult, Refusal | CommitConflict>((head) => {
    const proposed = propose(head);
    if ('kind' in proposed) return { kind: 'declined', reason: proposed };
    const { edits, range, body, marks } = proposed;
    const finish = (done: BatchResult, commit: CommitStamp): ProposalResult<RevisionResult> => {
      const cells = done.outcomes.reduce((sum, outcome) => sum + outcome.cells, 0);
      const audited = [{ ...buildOwnerEntry(open.id, owner, AUTHOR.origin), action, range, cells, at: commit.at }];
      return { reply: body(commit), audited, statements: marks(commit) };
    };
    return { kind: 'proposal', edits, author: AUTHOR, finish };
  });
  return outcome.kind === 'written' ? { body: outcome.reply } : toUnwrittenResult(outcome);
}
