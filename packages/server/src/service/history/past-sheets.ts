import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { pastReading } from './revisions.ts';

/** A sheet as it was at a revision. */
interface PastSheet {
  readonly name: string;
  /** What it is called now; null: it was deleted. */
  readonly nameNow: string | null;
  readonly hidden: boolean;
  /** In use; 0 if its values are hidden from the caller. */
  readonly rows: number;
  readonly columns: number;
}

/** The sheets of a document at a revision that is kept, in their order. Protection is that of now. */
export async function pastSheets(
  context: ServiceContext,
  access: DocumentAccess,
  revision: number,
): Promise<readonly PastSheet[] | Refusal> {
  const now = await openReading(context, access);
  if (isRefusal(now)) return now;
  const past = await pastReading(context, access, revision);
  if (isRefusal(past)) return past;
  return past.sheets.map(({ id, name, hidden }) => {
    const extent = access.hiddenSheets.has(id) ? undefined : past.sheetById(id)?.extent();
    const { rows, columns } = extent ?? { rows: 0, columns: 0 };
    return { name, nameNow: now.snapshot.sheetById(id)?.name ?? null, hidden, rows, columns };
  });
}
