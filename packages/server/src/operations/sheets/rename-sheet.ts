import type { Edit } from '@cellwire/engine';
import { Type } from 'typebox';
import type { ServiceContext } from '../../service/context.ts';
import type { AuditAction } from '../../service/history/audit-log.ts';
import { rebaseSheetName } from '../../service/rebase/requests.ts';
import { writeRebased } from '../../service/rebase/write-rebased.ts';
import { invalidRequest, isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import { parseSheetName } from '../../service/structure/sheets.ts';
import { commitWrite } from '../../service/write.ts';
import type { WriteRequest } from '../../service/write-request.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { defineBody, SheetName, SheetPath, WRITE_CONDITIONS, WriteQuery } from '../schemas/requests.ts';
import { findEditableSheet, findSheetView, toSheetNote } from './edited-sheets.ts';
import { SHEET_EXAMPLE } from './examples.ts';
import { SHEET_REQUIREMENTS } from './requirements.ts';

/** `run` requires `name`, `hidden` or both. `hidden` concerns user interfaces only. */
const RenameSheetBody = defineBody({
  name: Type.Optional(SheetName),
  hidden: Type.Optional(
    Type.Boolean({ description: 'Whether user interfaces hide the sheet. Its cells can still be read and written.' }),
  ),
  ...WRITE_CONDITIONS,
});

export const renameSheet = defineWrite({
  id: 'renameSheet',
  http: { method: 'PATCH', path: '/documents/{document}/sheets/{sheet}' },
  requires: SHEET_REQUIREMENTS,
  tag: 'Sheets',
  summary: 'Rename a sheet, or hide or show it in user interfaces',
  description:
    'Updates formulas that contain the name. `hidden` affects user interfaces only: reading and writing stay possible.',
  params: SheetPath,
  query: WriteQuery,
  body: RenameSheetBody,
  answers: { 200: ANSWERS.sheet, ...REFUSALS },
  example: { request: { name: 'Price list' }, answer: { sheet: { ...SHEET_EXAMPLE, name: 'Price list' } } },

  async run(call, { sheet, name: sentName, hidden }) {
    if (sentName === undefined && hidden === undefined) return invalidRequest('name', 'name is required');
    const name = sentName === undefined ? undefined : parseSheetName(sentName);
    if (isRefusal(name)) return name;
    return writeRebased(call.context, toWriteRequest(call), {
      base: call.conditions.base,
      sent: sheet,
      inputLocale: null,
      rebase: rebaseSheetName,
      ranges: () => [],
      write: (request, sheet) => changeSheetByName(call.context, request, sheet, { name, hidden }),
    });
  },
});

interface SheetUpdate {
  readonly name: string | undefined;
  readonly hidden: boolean | undefined;
}

function changeSheetByName(
  context: ServiceContext,
  request: WriteRequest,
  sheet: string,
  { name, hidden }: SheetUpdate,
): Promise<WriteReply | Refusal> {
  return commitWrite(context, request, (head, access) => {
    const found = findEditableSheet(head, access, sheet);
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
    return {
      edits,
      describe: ({ after }) => ({ body: { sheet: findSheetView(after, id) }, notes: notes.map(toSheetNote) }),
    };
  });
}
