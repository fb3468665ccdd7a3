import { Type } from 'typebox';
import type { ServiceContext } from '../../service/context.ts';
import { rebaseSheetName } from '../../service/rebase/requests.ts';
import { writeRebased } from '../../service/rebase/write-rebased.ts';
import { formatWholeSheet } from '../../service/rebase/written-cells.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import { commitWrite } from '../../service/write.ts';
import type { WriteRequest } from '../../service/write-request.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { DRY_RUN, REFUSALS, Sheet } from '../schemas/answers.ts';
import { ConditionsBody, SheetPath, WriteQuery } from '../schemas/requests.ts';
import { findEditableSheet, findSheetView, toSheetNote } from './edited-sheets.ts';
import { SHEET_EXAMPLE } from './examples.ts';
import { SHEET_REQUIREMENTS } from './requirements.ts';

/** The sheet's protection is kept for earlier revisions, and in case an undo restores the sheet. */
export const deleteSheet = defineWrite({
  id: 'deleteSheet',
  http: { method: 'DELETE', path: '/documents/{document}/sheets/{sheet}' },
  requires: SHEET_REQUIREMENTS,
  tag: 'Sheets',
  summary: 'Delete a sheet',
  description: 'References to the sheet become `#REF!`. The last visible sheet cannot be deleted.',
  params: SheetPath,
  query: WriteQuery,
  body: ConditionsBody,
  answers: { 200: Type.Object({ deleted: Sheet, ...DRY_RUN }), ...REFUSALS },
  example: { answer: { deleted: SHEET_EXAMPLE } },

  run: (call, { sheet }) =>
    writeRebased(call.context, toWriteRequest(call), {
      base: call.conditions.base,
      sent: sheet,
      inputLocale: null,
      rebase: rebaseSheetName,
      ranges: (name) => [formatWholeSheet(name)],
      write: (request, name) => deleteSheetByName(call.context, request, name),
    }),
});

function deleteSheetByName(
  context: ServiceContext,
  request: WriteRequest,
  name: string,
): Promise<WriteReply | Refusal> {
  return commitWrite(context, request, (head, access) => {
    const found = findEditableSheet(head, access, name);
    if (isRefusal(found)) return found;
    return {
      edits: [{ kind: 'deleteSheet', sheet: found.id }],
      describe: ({ before }) => ({
        body: { deleted: findSheetView(before, found.id) },
        notes: [toSheetNote('sheet.delete')],
      }),
    };
  });
}
