import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';
import { openTable } from '../open-table.ts';
import { resolveRange } from '../ranges.ts';
import { isRefusal, type Refusal } from '../refusal.ts';

/** Another user who views the document. */
interface PresentView {
  readonly tab: string;
  readonly user: { readonly id: number; readonly name: string };
  /** Null: the sheet is hidden from the caller. */
  readonly range: string | null;
  /** The revision of the range. */
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
}

/** Publishes the cells that a tab has selected, and returns the other viewers. */
export async function exchangePresence(
  context: ServiceContext,
  access: DocumentAccess,
  {
    tab,
    range,
    revision,
  }: { readonly tab: string; readonly range: string | null; readonly revision?: number | undefined },
): Promise<readonly PresentView[] | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const target = range === null ? null : resolveRange(snapshot, range);
  if (isRefusal(target)) return target;
  const { caller, documentId } = access;
  const at = context.clock();
  const user = { id: caller.userId, name: caller.userName };
  const sheet = target?.sheet.id ?? null;
  const place = { range: range ?? '', revision: revision ?? snapshot.revision };
  const present = sheet === null ? null : { tab, user, ...place, sheet, at };
  const others = context.presence.exchangeTab(documentId, `${user.id} ${tab}`, present, at);
  return others.map((other) => ({
    tab: other.tab,
    user: other.user,
    range: access.hiddenSheets.has(other.sheet) ? null : other.range,
    revision: other.revision,
    at: new Date(other.at).toISOString(),
  }));
}
