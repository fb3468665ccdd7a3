import { documentHead } from '@cellwire/store/documents';
import { expiredProposals, expireProposal, proposalById } from '@cellwire/store/proposals';
import { ENDED_PROPOSALS_LOOK_MS, ENDED_PROPOSALS_STEP } from '../../limits/proposals.ts';
import type { ServiceContext } from '../context.ts';
import { createAnnouncer } from './events.ts';

type ExpiryContext = Pick<ServiceContext, 'database' | 'clock' | 'commits'>;

/** Ends expired proposals and notifies. Several processes may run it at the same time. */
async function endExpiredProposals(context: ExpiryContext): Promise<void> {
  const { database, commits } = context;
  const now = context.clock();
  for (let full = true; full; ) {
    let ended = 0;
    const rows = await database.read(expiredProposals({ now, limit: ENDED_PROPOSALS_STEP }));
    for (const { document_id: document, id } of rows) {
      const [found, head] = await database.readAll([
        proposalById({ document_id: document, id }),
        documentHead({ id: document }),
      ]);
      const row = found[0];
      // A damaged proposal may have another expiry; it cannot be applied.
      if (row === undefined || row.damage.length > 0) continue;
      const announce = await createAnnouncer(database, document, now);
      const expired = { ...row, state: 'expired' as const, decided_at: row.expires_at };
      const news = {
        event: 'proposal.decided',
        row: expired,
        by: null,
        at: now,
        revision: head[0]?.revision ?? 0,
      } as const;
      const statements = [expireProposal({ document_id: document, id }), ...announce(news)];
      const outcome = await database.write({ document, statements });
      ended++;
      if (outcome.kind === 'committed') commits.relayForeignCommit(document);
    }
    full = ended > 0 && rows.length === ENDED_PROPOSALS_STEP;
  }
}

/** Ends expired proposals at intervals. `stop` waits for the run in progress. */
export function watchExpiry(context: ExpiryContext, onError: (activity: string, error: unknown) => void) {
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    running = endExpiredProposals(context)
      .catch((error: unknown) => onError('ending proposals', error))
      .finally(() => {
        isRunning = false;
      });
  }, ENDED_PROPOSALS_LOOK_MS).unref();
  return {
    stop: (): Promise<void> => {
      clearInterval(timer);
      return running;
    },
  };
}
