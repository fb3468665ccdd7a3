import type { Unit } from '@cellwire/store';
import { insertAudits } from '@cellwire/store/audit';
import { commitAt, documentUnchanged } from '@cellwire/store/documents';
import { formatStructure } from '@cellwire/store/stored-forms';
import { isUnchanged } from '../areas.ts';
import type { CalculatedBatch } from '../calculation/calculator.ts';
import { newHead } from '../environment.ts';
import { touchedCommitOf, withCommit } from '../recent-commits.ts';
import type { DocumentSharing } from '../rights.ts';
import { stateOf } from '../state.ts';
import type { Commit, CommitProposal } from '../types.ts';
import { type Epochs, renewedEpochs, senderGuard } from './commit-epochs.ts';
import { commitStatements } from './commit-statements.ts';
import type { CommitBase, InFlight, Job, JobOutcome } from './write-jobs.ts';

/** A job, its proposal, and the calculated result. */
interface CalculatedJob {
  readonly job: Job;
  readonly proposal: CommitProposal<unknown>;
  readonly calculated: CalculatedBatch;
  readonly commitBase: CommitBase;
}

/** A unit sent to the database, and the jobs that wait for its outcome. */
export interface Submission {
  readonly item: InFlight;
  readonly unit: Unit;
}

/** Makes the commit of a calculated job. A change of access that changes no result becomes a unit without a commit. */
export function calculatedWrite(write: CalculatedJob, id: string, sharing: DocumentSharing): Submission {
  const isAccessAlone = write.proposal.author.origin === 'access' && isUnchanged(write.calculated.areas);
  return isAccessAlone ? changeOfAccess(write, id) : commitOf(write, id, sharing);
}

function commitOf(
  { job, proposal, calculated, commitBase }: CalculatedJob,
  id: string,
  sharing: DocumentSharing,
): Submission {
  const { after, outcomes, warnings, delta, inverse, areas, rowOrders } = calculated;
  const { base, now, access, isLong } = commitBase;
  const { revision } = after;
  const committedAt = Math.max(now, base.committedAt);
  const commit: Commit = { revision, at: committedAt };
  const done = { outcomes, warnings, before: base.snapshot.sheets, after: after.sheets };
  const { reply, statements, audited = [] } = proposal.finish(done, commit);
  const structure = proposal.structure ? formatStructure(proposal.structure) : calculated.structure;
  const head = newHead();
  const touched = touchedCommitOf({ revision, head, parent: base.head, areas, structure });
  const state = stateOf(after, head, { calculatedAt: now, committedAt }, withCommit(base.recent, touched));
  const logged = { delta, inverse, areas, rowOrders, structure, audited };
  const unitAt = ({ sharing: epoch, sender }: Epochs): Unit => {
    const committing = commitStatements(id, proposal.author, { state, base, epoch }, logged);
    return {
      document: id,
      user: job.user,
      statements: [...committing, ...senderGuard(sender, epoch), ...statements],
      proof: commitAt({ id, revision, head }),
    };
  };
  let epochs: Epochs = { sharing: access.epoch, sender: proposal.epoch };
  const renew = async (): Promise<Unit | null> => {
    const renewed = await renewedEpochs(sharing, proposal, access, epochs);
    if (renewed !== null) epochs = renewed;
    return renewed && unitAt(renewed);
  };
  const outcome: JobOutcome = { kind: 'written', reply, commit };
  const item: InFlight = {
    job,
    state,
    bytes: delta.length + inverse.length,
    outcome,
    followed: { before: base.snapshot, after, deltas: [delta] },
    renew: isLong ? renew : null,
    settled: Promise.resolve(),
  };
  return { item, unit: unitAt(epochs) };
}

/** New rights that change no formula's result. They are stored if the document's state is still the same. */
function changeOfAccess({ job, proposal, calculated, commitBase }: CalculatedJob, id: string): Submission {
  const { outcomes, warnings } = calculated;
  const { head, committedAt, snapshot } = commitBase.base;
  const { revision, sheets } = snapshot;
  const commit: Commit = { revision, at: committedAt };
  const done = { outcomes, warnings, before: sheets, after: sheets };
  const { reply, statements, audited = [] } = proposal.finish(done, commit);
  const holds = [documentUnchanged({ id, revision, head }), ...senderGuard(proposal.epoch, null)];
  const outcome: JobOutcome = { kind: 'written', reply, commit };
  return {
    item: { job, state: null, bytes: 0, outcome, followed: null, renew: null, settled: Promise.resolve() },
    unit: { document: id, user: job.user, statements: [...holds, ...insertAudits(audited), ...statements] },
  };
}
