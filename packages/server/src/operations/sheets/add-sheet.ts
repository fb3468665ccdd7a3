import type { Edit } from '@cellwire/engine';
import { Type } from 'typebox';
import type { BatchResult } from '../../documents/types.ts';
import { isRefusal } from '../../service/refusal.ts';
import { sheetName } from '../../service/structure/sheets.ts';
import { write } from '../../service/write.ts';
import { writeOf } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, optionalBody, SheetName, WRITE_CONDITIONS, WriteQuery } from '../schemas/requests.ts';
import { sheetNote, viewOfSheet } from './edited-sheets.ts';
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
  body: optionalBody({ name: Type.Optional(SheetName), ...WRITE_CONDITIONS }),
  answers: { 200: ANSWERS.sheet, ...REFUSALS },
  example: { request: { name: 'Archive' }, answer: { sheet: SHEET_EXAMPLE } },

  async run(call, { name: sentName }) {
    const name = sentName === undefined ? undefined : sheetName(sentName);
    if (isRefusal(name)) return name;
    const edit: Edit = name === undefined ? { kind: 'addSheet' } : { kind: 'addSheet', name };
    return write(call.context, writeOf(call), () => ({
      edits: [edit],
      describe: (done) => ({
        body: { sheet: viewOfSheet(done.after, addedSheet(done)) },
        notes: [sheetNote('sheet.create')],
      }),
    }));
  },
});

/** Returns the id of the sheet that the only edit added. */
function addedSheet({ outcomes: [outcome] }: BatchResult): number {
  if (outcome === undefined) throw new Error('an edit has no outcome');
  return outcome.sheet;
}
