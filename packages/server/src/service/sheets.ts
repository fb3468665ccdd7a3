import { type Edit, sheetNamed } from '@cellwire/engine';
import type { DocumentAccess } from '../access/access.ts';
import type { Done, Head, SheetEntry } from '../documents/types.ts';
import { MAX_SHEET_NAME_LENGTH } from '../limits/limits.ts';
import type { AuditAction } from './audit-log.ts';
import type { ServiceContext } from './context.ts';
import { openReading } from './open-table.ts';
import type { Refusal } from './refusal.ts';
import { invalidRequest, isRefusal, SHEET_NOT_FOUND, SHEET_PROTECTED } from './refusal.ts';
import type { Reply } from './reply.ts';
import type { WriteRequest } from './write.ts';
import { write } from './write.ts';

/** A sheet as the contract shows it. */
interface SheetView {
  readonly name: string;
  readonly hidden: boolean;
  /** Zero-based. */
  readonly order: number;
  /** `#RRGGBB` or null. */
  readonly color: string | null;
}

export async function listSheets(
  context: ServiceContext,
  access: DocumentAccess,
): Promise<{ readonly sheets: readonly SheetView[]; readonly head: string } | Refusal> {
  const reading = await openReading(context, access);
  return isRefusal(reading) ? reading : { sheets: reading.snapshot.sheets.map(sheetView), head: reading.head };
}

export function sheetView({ name, hidden, color }: SheetEntry, order: number): SheetView {
  return { name, hidden, order, color };
}

/** Adds a sheet at the end; without a name the document's locale gives one. */
export async function addSheet(
  context: ServiceContext,
  request: WriteRequest,
  givenName: string | undefined,
): Promise<Reply | Refusal> {
  const name = givenName === undefined ? undefined : sheetName(givenName);
  if (isRefusal(name)) return name;
  const edit: Edit = name === undefined ? { kind: 'addSheet' } : { kind: 'addSheet', name };
  return write(context, request, () => ({
    edits: [edit],
    describe: (done) => ({
      body: { sheet: viewOf(done.after, sheetOf(done)) },
      notes: [sheetNote('sheet.create')],
    }),
  }));
}

/** What becomes of a sheet; absent: as it is. */
interface SheetChanges {
  readonly name?: string | undefined;
  /** Whether user interfaces hide it; reading and writing it stay as they are (decisions §5.4). */
  readonly hidden?: boolean | undefined;
}

/** Renames a sheet, hides it or shows it, or two of these at once. */
export async function changeSheet(
  context: ServiceContext,
  request: WriteRequest,
  sheet: string,
  { name: givenName, hidden }: SheetChanges,
): Promise<Reply | Refusal> {
  if (givenName === undefined && hidden === undefined) return invalidRequest('name', 'name is required');
  const name = givenName === undefined ? undefined : sheetName(givenName);
  if (isRefusal(name)) return name;
  return write(context, request, (head, access) => {
    const found = editableSheet(head, access, sheet);
    if (isRefusal(found)) return found;
    const { id } = found;
    const notes: AuditAction[] = [];
    const edits: Edit[] = [];
    if (name !== undefined) {
      edits.push({ kind: 'renameSheet', sheet: id, name });
      notes.push('sheet.rename');
    }
    if (hidden !== undefined) {
      edits.push({ kind: 'hideSheet', sheet: id, hidden });
      notes.push(hidden ? 'sheet.hide' : 'sheet.show');
    }
    return { edits, describe: ({ after }) => ({ body: { sheet: viewOf(after, id) }, notes: notes.map(sheetNote) }) };
  });
}

/** Removes a sheet. Its protection stays, for its cells of earlier revisions and should it come back. The answer shows it as it was. */
export async function deleteSheet(
  context: ServiceContext,
  request: WriteRequest,
  sheet: string,
): Promise<Reply | Refusal> {
  return write(context, request, (head, access) => {
    const found = editableSheet(head, access, sheet);
    if (isRefusal(found)) return found;
    return {
      edits: [{ kind: 'deleteSheet', sheet: found.id }],
      describe: ({ before }) => ({
        body: { deleted: viewOf(before, found.id) },
        notes: [sheetNote('sheet.delete')],
      }),
    };
  });
}

const CONTROL = /\p{Cc}/u;

/** A name as it is stored, or what is wrong with it (decisions §5.2). */
export function sheetName(given: string, field = 'name'): string | Refusal {
  const name = given.trim();
  if (name === '') return invalidRequest(field, 'name must not be empty');
  if ([...name].length > MAX_SHEET_NAME_LENGTH) {
    return invalidRequest(field, `name must not have more than ${MAX_SHEET_NAME_LENGTH} characters`);
  }
  if (CONTROL.test(name)) return invalidRequest(field, 'name must not hold control characters');
  return name.isWellFormed() ? name : invalidRequest(field, 'name holds half of a surrogate pair');
}

function editableSheet(head: Head, access: DocumentAccess, name: string): SheetEntry | Refusal {
  const sheet = sheetNamed(head.sheets, name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  return access.lockedSheets.has(sheet.id) ? SHEET_PROTECTED : sheet;
}

function sheetOf({ outcomes }: Done): number {
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('an edit has no outcome');
  return outcome.sheet;
}

function viewOf(sheets: readonly SheetEntry[], id: number): SheetView {
  const order = sheets.findIndex((sheet) => sheet.id === id);
  const sheet = sheets[order];
  if (sheet === undefined) throw new Error(`no sheet ${id}`);
  return sheetView(sheet, order);
}

function sheetNote(action: AuditAction) {
  return { action, range: '', cells: 0 };
}
