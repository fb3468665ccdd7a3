import type { Unit } from '@cellwire/store';
import { insertAudits } from '@cellwire/store/audit';
import { commitAt, documentUnchanged } from '@cellwire/store/documents';
import { formatStructure } from '@cellwire/store/stored-forms';
import { isUnchanged } from '../areas.ts';
import type { CalculatedBatch } from '../calculation/calculator.ts';
import { createCommitName } from '../environment.ts';
import { addCommit, toTouchedCommit } from '../recent-commits.ts';
import type { DocumentSharing } from '../rights.ts';
import { createDocumentState } from '../state.ts';
import type { CommitProposal, CommitStamp } from '../types.ts';
import { buildSenderGuard, type CommitEpochs, renewEpochs } from './commit-epochs.ts';
import { buildCommitStatements } from './commit-statements.ts';
import type { CommitBase, JobOutcome, UnitInFlight, WriteJob } from './write-jobs.ts';

/** A job, its proposal, and the calculated result. */
interface CalculatedJob {
  readonly job: WriteJob;
  readonly proposal: CommitProposal<unknown>;
  readonly calculated: CalculatedBatch;
  readonly commitBase: CommitBase;
}

/** A unit sent to the database, and the jobs that wait for its outcome. */
export interface CommitSubmission {
  readonly item: UnitInFlight;
  readonly unit: Unit;
}

/** The pipeline replaces this when it sends the unit. */
const NOT_SENT: Promise<void> = Promise.resolve();

/** Makes the commit of a calculated job. A change of access that changes no result becomes a unit without a commit. */
export function toSubmission(write: CalculatedJob, id: string, sharing: DocumentSharing): CommitSubmission {
  const isAccessAlone = write.proposal.author.origin === 'access' && isUnchanged(write.calculated.areas);
  return isAccessAlone ? buildAccessChange(write, id) : createSubmission(write, id, sharing);
}

/** The unit that stores a calculated batch, and what the pipeline needs when it is committed or must be sent again. */
function createSubmission(write: CalculatedJob, id: string, sharing: DocumentSharing): CommitSubmission {
  const { job, proposal, calculated, commitBase } = write;
  const { after, outcomes, warnings, delta, inverse, areas, rowOrders } = calculated;
  const { base, now, access, isLong } = commitBase;
  const { revision } = after;
  const committedAt = Math.max(now, base.committedAt);
  const commit: CommitStamp = { revision, at: committedAt };
  const done = { outcomes, warnings, before: base.snapshot.sheets, after: after.sheets };
  const { reply, statements, audited = [] } = proposal.finish(done, commit);
  const structure = proposal.structure ? formatStructure(proposal.structure) : calculated.structure;
  const head = createCommitName();
  const touched = toTouchedCommit({ revision, head, parent: base.head, areas, structure });
  const state = createDocumentState(after, head, { calculatedAt: now, committedAt }, addCommit(base.recent, touched));
  const logged = { delta, inverse, areas, rowOrders, structure, audited };
  const buildUnitAt = ({ sharing: epoch, sender }: CommitEpochs): Unit => {
    const committing = buildCommitStatements(id, proposal.author, { state, base, epoch }, logged);
    return {
      document: id,
      user: job.user,
      statements: [...committing, ...buildSenderGuard(sender, epoch), ...statements],
      proof: commitAt({ id, revision, head }),
    };
  };
  const epochs: CommitEpochs = { sharing: access.epoch, sender: proposal.epoch };
  const outcome: JobOutcome = { kind: 'written', reply, commit };
  const item: UnitInFlight = {
    job,
    state,
    bytes: delta.length + inverse.length,
    outcome,
    followed: { before: base.snapshot, after, deltas: [delta] },
    renew: isLong ? createRenewal(sharing, write, epochs, buildUnitAt) : null,
    settled: NOT_SENT,
  };
  return { item, unit: buildUnitAt(epochs) };
}

/** Returns a function that builds a unit again with the newest access epochs, if the rights are the same. */
function createRenewal(
  sharing: DocumentSharing,
  { proposal, commitBase: { access } }: CalculatedJob,
  first: CommitEpochs,
  buildUnitAt: (epochs: CommitEpochs) => Unit,
): () => Promise<Unit | null> {
  let epochs = first;
  return async () => {
    const renewed = await renewEpochs(sharing, proposal, access, epochs);
    if (renewed !== null) epochs = renewed;
    return renewed && buildUnitAt(renewed);
  };
}

/** New rights that change no formula's result. They are stored if the document's state is still the same. */
function buildAccessChange({ job, proposal, calculated, commitBase }: CalculatedJob, id: string): CommitSubmission {
  const { outcomes, warnings } = calculated;
  const { head, committedAt, snapshot } = commitBase.base;
  const { revision, sheets } = snapshot;
  const commit: CommitStamp = { revision, at: committedAt };
  const done = { outcomes, warnings, before: sheets, after: sheets };
  const { reply, statements, audited = [] } = proposal.finish(done, commit);
  const holds = [documentUnchanged({ id, revision, head }), ...buildSenderGuard(proposal.epoch, null)];
  const outcome: JobOutcome = { kind: 'written', reply, commit };
  return {
    item: { job, state: null, bytes: 0, outcome, followed: null, renew: null, settled: NOT_SENT },
    unit: { document: id, user: job.user, statements: [...holds, ...insertAudits(audited), ...statements] },
  };
}
