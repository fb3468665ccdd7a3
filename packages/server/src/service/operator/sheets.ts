import type { Snapshot } from '@cellwire/engine';
import type { ServiceContext } from '../context.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { invalidRequest, isRefusal, LAST_SHEET, type Refusal } from '../refusal.ts';
import { changeSharing } from '../sharing/change-sharing.ts';
import {
  createProtectionChange,
  type RequestedProtection,
  resolveProtection,
  type SheetProtection,
} from '../sharing/protect.ts';
import { buildOperatorAudit, buildOperatorEntries } from './document-entries.ts';
import { type DocumentContext, findDocument } from './new-document.ts';

interface SheetPlace {
  readonly document: string;
  readonly sheet: string;
}

/** Replaces the sheet's protection. */
export async function protectSheet(
  context: DocumentContext,
  { document, sheet, ...wanted }: SheetPlace & RequestedProtection,
): Promise<SheetProtection | Refusal> {
  const found = await findSheet(context, document, sheet);
  if (isRefusal(found)) return found;
  const protection = await resolveProtection(context, wanted);
  if (isRefusal(protection)) return protection;
  const change = createProtectionChange(found.id, found.sheet.id, protection);
  const extraStatements = await buildOperatorAudit(context, found, 'sheet.protect');
  const refusal = await changeSharing(context, found.id, { ...change, extraStatements });
  return refusal ?? { sheet: found.sheet.name, ...protection };
}

export async function unprotectSheet(
  context: DocumentContext,
  { document, sheet }: SheetPlace,
): Promise<SheetProtection | Refusal> {
  const found = await findSheet(context, document, sheet);
  if (isRefusal(found)) return found;
  const extraStatements = await buildOperatorAudit(context, found, 'sheet.unprotect');
  const change = createProtectionChange(found.id, found.sheet.id, null);
  const refusal = await changeSharing(context, found.id, { ...change, extraStatements });
  return refusal ?? { sheet: found.sheet.name, hideValues: false, lock: false, allow: [] };
}

/** Hides a sheet in user interfaces, or shows it; reading and writing are not restricted. */
export async function setSheetHidden(
  context: DocumentContext,
  { document, sheet: name, hidden }: { readonly document: string; readonly sheet: string; readonly hidden: boolean },
): Promise<{ readonly sheet: string; readonly hidden: boolean } | Refusal> {
  const found = await findSheet(context, document, name);
  if (isRefusal(found)) return found;
  const open = await context.documents.open(found.id);
  const audited = await buildOperatorEntries(context, found, hidden ? 'sheet.hide' : 'sheet.show');
  const outcome = await open?.write<null, never>(() => ({
    kind: 'proposal',
    edits: [{ kind: 'hideSheet', sheet: found.sheet.id, hidden }],
    author: { userId: null, origin: 'operator', tokenId: null, tokenName: null },
    finish: () => ({ reply: null, audited, statements: [] }),
  }));
  if (outcome?.kind === 'written') return { sheet: found.sheet.name, hidden };
  if (outcome?.kind === 'refusal' && outcome.reason === 'lastSheet') return LAST_SHEET;
  return invalidRequest('sheet', `There is no sheet ${name}`);
}

interface DocumentSheet {
  readonly id: string;
  readonly owner_id: number;
  readonly sheet: SnapshotSheet;
}

async function findSheet(
  context: DocumentContext & Pick<ServiceContext, 'documents'>,
  document: string,
  name: string,
): Promise<DocumentSheet | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const snapshot: Snapshot | null | undefined = await (await context.documents.open(row.id))?.readSnapshot();
  const sheet = snapshot?.sheetByName(name);
  return sheet ? { id: row.id, owner_id: row.owner_id, sheet } : invalidRequest('sheet', `There is no sheet ${name}`);
}
