import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { openPastReading } from './revisions.ts';

/** A sheet at a past revision. */
interface PastSheet {
  readonly name: string;
  /** The sheet's current name; null: deleted. */
  readonly nameNow: string | null;
  readonly hidden: boolean;
  /** Rows in use; 0 if the sheet's values are hidden from the caller. */
  readonly rows: number;
  readonly columns: number;
}

/** The sheets of a document at a retained revision, in order. The current protection applies. */
export async function readPastSheets(
  context: ServiceContext,
  access: DocumentAccess,
  revision: number,
): Promise<readonly PastSheet[] | Refusal> {
  const now = await openReading(context, access);
  if (isRefusal(now)) return now;
  const past = await openPastReading(context, access, revision);
  if (isRefusal(past)) return past;
  return past.sheets.map(({ id, name, hidden }) => {
    const extent = access.hiddenSheets.has(id) ? undefined : past.sheetById(id)?.extent();
    const { rows, columns } = extent ?? { rows: 0, columns: 0 };
    return { name, nameNow: now.snapshot.sheetById(id)?.name ?? null, hidden, rows, columns };
  });
}
