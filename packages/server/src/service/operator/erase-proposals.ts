import type { Database } from '@cellwire/store';
import * as erasure from '@cellwire/store/proposals';
import { parseStoredJson } from '@cellwire/store/stored-forms';
import { MAX_COMMAND_PAGE } from '../../limits/commands.ts';
import type { AuditedProposal } from '../history/audit-log.ts';
import type { AnnouncedProposal } from '../proposals/events.ts';

/** The replacement names of an erased user and of the user's tokens. */
interface ErasedNames {
  readonly name: string;
  readonly token: string;
}

/** Removes a user's names from proposals, and from their log entries and notifications. */
export async function eraseInProposals(database: Database, user: number, erased: ErasedNames): Promise<void> {
  const userPatterns = erasure.createUserPatterns(user);
  const found = await database.readInBackground(erasure.documentsOfProposals.map((query) => query(userPatterns)));
  const documents = new Set(found.flat().map((row) => (row as { readonly document_id: string }).document_id));
  for (const document of documents) {
    const { proposer } = userPatterns;
    const statements = [
      erasure.eraseTokenNameOfProposals({ document_id: document, user_id: user, token: erased.token }),
      erasure.deleteRepliesShowingProposer({ document_id: document, proposer }),
    ];
    await database.write({ document, statements });
    await eraseEntriesOfProposer(database, document, proposer, erased);
    await eraseNotifications(database, document, user, erased);
  }
}

/** Replaces the proposer's name in audit entries about the proposals. */
async function eraseEntriesOfProposer(
  database: Database,
  document: string,
  proposer: string,
  { name }: ErasedNames,
): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await database.read(
      erasure.auditEntriesOfProposer({ document, proposer, after, limit: MAX_COMMAND_PAGE }),
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    const statements = rows.map(({ id, proposal }) => {
      const about = parseStoredJson<AuditedProposal>(String(proposal), 'The details of an audit entry');
      const erased = { ...about, proposedBy: { ...about.proposedBy, name } };
      return erasure.setEntryProposal({ document_id: document, id, proposal: JSON.stringify(erased) });
    });
    await database.write({ document, statements });
  }
}

/** Replaces the user's name and token in notifications about proposals. */
async function eraseNotifications(
  database: Database,
  document: string,
  user: number,
  { name, token }: ErasedNames,
): Promise<void> {
  const { by, decider } = erasure.createUserPatterns(user);
  for (let after = ''; ; ) {
    const rows = await database.read(
      erasure.proposalNotificationsOf({ document, by, decider, after, limit: MAX_COMMAND_PAGE }),
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    const statements = rows.map(({ id, records }) => {
      const announced = parseStoredJson<AnnouncedProposal>(String(records), 'The details of a notification');
      const erased: AnnouncedProposal = {
        ...announced,
        ...(announced.user_id === user
          ? { user_name: name, token_name: announced.token_name === null ? null : token }
          : {}),
        ...(announced.decided_by === user ? { decided_by_name: name } : {}),
      };
      return erasure.setProposalNotification({ document_id: document, id, records: JSON.stringify(erased) });
    });
    await database.write({ document, statements });
  }
}
