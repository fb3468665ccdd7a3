import type { Edit } from '@cellwire/engine';
import { Type } from 'typebox';
import type { BatchResult } from '../../documents/types.ts';
import { isRefusal } from '../../service/refusal.ts';
import { parseSheetName } from '../../service/structure/sheets.ts';
import { commitWrite } from '../../service/write.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineOptionalBody, SheetName, WRITE_CONDITIONS, WriteQuery } from '../schemas/requests.ts';
import { findSheetView, toSheetNote } from './edited-sheets.ts';
import { SHEET_EXAMPLE } from './examples.ts';
import { SHEET_REQUIREMENTS } from './requirements.ts';

export const addSheet = defineWrite({
  id: 'addSheet',
  http: { method: 'POST', path: '/documents/{document}/sheets' },
  requires: SHEET_REQUIREMENTS,
  tag: 'Sheets',
  summary: 'Add a sheet at the end',
  description: 'Without a name, the sheet gets one in the document’s locale: `Sheet2`, `Лист2`.',
  params: DocumentPath,
  query: WriteQuery,
  body: defineOptionalBody({ name: Type.Optional(SheetName), ...WRITE_CONDITIONS }),
  answers: { 200: ANSWERS.sheet, ...REFUSALS },
  example: { request: { name: 'Archive' }, answer: { sheet: SHEET_EXAMPLE } },

  async run(call, { name: sentName }) {
    const name = sentName === undefined ? undefined : parseSheetName(sentName);
    if (isRefusal(name)) return name;
    const edit: Edit = name === undefined ? { kind: 'addSheet' } : { kind: 'addSheet', name };
    return commitWrite(call.context, toWriteRequest(call), () => ({
      edits: [edit],
      describe: (done) => ({
        body: { sheet: findSheetView(done.after, requireAddedSheet(done)) },
        notes: [toSheetNote('sheet.create')],
      }),
    }));
  },
});

/** Returns the id of the sheet that the only edit added. */
function requireAddedSheet({ outcomes: [outcome] }: BatchResult): number {
  if (outcome === undefined) throw new Error('an edit has no outcome');
  return outcome.sheet;
}
