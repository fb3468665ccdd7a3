import type { Snapshot } from '@cellwire/engine';
import type { Sharing } from '../../documents/rights.ts';
import { deleteProtection, setProtection } from '../../store/protections.ts';
import { changeSharing } from '../change-sharing.ts';
import type { ServiceContext } from '../context.ts';
import type { Sheet } from '../ranges.ts';
import type { Refusal } from '../refusal.ts';
import { invalidRequest, isRefusal, LAST_SHEET } from '../refusal.ts';
import type { DocumentContext } from './documents.ts';
import { findDocument } from './documents.ts';
import { findUser } from './users.ts';

interface SheetProtection {
  readonly document: string;
  readonly sheet: string;
  /** Only the owner and `allow` see the sheet's values. */
  readonly hideValues: boolean;
  /** Only the owner and `allow` may edit it. */
  readonly lock: boolean;
  /** Ids or e-mail addresses. */
  readonly allow: readonly string[];
}

interface ProtectedSheet {
  readonly sheet: string;
  readonly hideValues: boolean;
  readonly lock: boolean;
  /** Ids of users. */
  readonly allow: readonly number[];
}

/** Replaces whatever protection the sheet had. */
export async function protectSheet(
  context: DocumentContext,
  { document, sheet: name, hideValues, lock, allow }: SheetProtection,
): Promise<ProtectedSheet | Refusal> {
  if (!hideValues && !lock) return invalidRequest('lock', 'Say what to protect: hidden values, editing or both');
  const found = await findSheet(context, document, name);
  if (isRefusal(found)) return found;
  const users = await Promise.all(allow.map((user) => findUser(context, user)));
  const unknown = users.find(isRefusal);
  if (unknown !== undefined) return unknown;
  const allowed = [...new Set(users.flatMap((user) => (isRefusal(user) ? [] : user.id)))];
  const sheet = found.sheet.id;
  const row = {
    document_id: found.id,
    sheet_id: sheet,
    hide_values: hideValues ? 1 : 0,
    locked: lock ? 1 : 0,
    allowed: JSON.stringify(allowed),
  };
  const refusal = await changeSharing(context, found.id, {
    statements: [setProtection(row)],
    sharing: (before) => ({
      ...before,
      protections: [...withoutSheet(before, sheet), { sheet, hideValues, allowed }],
    }),
  });
  if (refusal !== null) return refusal;
  return { sheet: found.sheet.name, hideValues, lock, allow: allowed };
}

export async function unprotectSheet(
  context: DocumentContext,
  { document, sheet: name }: { readonly document: string; readonly sheet: string },
): Promise<ProtectedSheet | Refusal> {
  const found = await findSheet(context, document, name);
  if (isRefusal(found)) return found;
  const sheet = found.sheet.id;
  const refusal = await changeSharing(context, found.id, {
    statements: [deleteProtection({ document_id: found.id, sheet_id: sheet })],
    sharing: (before) => ({ ...before, protections: withoutSheet(before, sheet) }),
  });
  if (refusal !== null) return refusal;
  return { sheet: found.sheet.name, hideValues: false, lock: false, allow: [] };
}

function withoutSheet({ protections }: Sharing, id: number): Sharing['protections'] {
  return protections.filter(({ sheet }) => sheet !== id);
}

/** Hides a sheet in user interfaces, or shows it; reading and writing it stay as they are (decisions §5.4). */
export async function setSheetHidden(
  context: DocumentContext,
  { document, sheet: name, hidden }: { readonly document: string; readonly sheet: string; readonly hidden: boolean },
): Promise<{ readonly sheet: string; readonly hidden: boolean } | Refusal> {
  const found = await findSheet(context, document, name);
  if (isRefusal(found)) return found;
  const open = await context.documents.open(found.id);
  const outcome = await open?.write<null, never>(() => ({
    kind: 'plan',
    edits: [{ kind: 'hideSheet', sheet: found.sheet.id, hidden }],
    author: { userId: null, origin: 'operator', tokenId: null, tokenName: null },
    finish: () => ({ reply: null, statements: [] }),
  }));
  if (outcome?.kind === 'written') return { sheet: found.sheet.name, hidden };
  if (outcome?.kind === 'refusal' && outcome.reason === 'lastSheet') return LAST_SHEET;
  return invalidRequest('sheet', `There is no sheet ${name}`);
}

interface FoundSheet {
  readonly id: string;
  readonly sheet: Sheet;
}

async function findSheet(
  context: DocumentContext & Pick<ServiceContext, 'documents'>,
  document: string,
  name: string,
): Promise<FoundSheet | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const snapshot: Snapshot | null | undefined = await (await context.documents.open(row.id))?.snapshot();
  const sheet = snapshot?.sheetByName(name);
  return sheet ? { id: row.id, sheet } : invalidRequest('sheet', `There is no sheet ${name}`);
}
