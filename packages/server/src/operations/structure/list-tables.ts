import type { Snapshot } from '@cellwire/engine';
import { Type } from 'typebox';
import type { DocumentAccess } from '../../access/access.ts';
import { toTableView } from '../../service/document/names.ts';
import { openReading } from '../../service/open-table.ts';
import { isRefusal } from '../../service/refusal.ts';
import { formatDocumentTag } from '../../service/tags.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';

const Tables = Type.Object({
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      range: Type.String({ description: 'Range of the table, with its header row.' }),
      columns: Type.Array(Type.String(), {
        description: 'Names of the columns; empty if the values of the sheet are hidden from the caller.',
      }),
    }),
  ),
});

export const listTables = defineRead({
  id: 'listTables',
  http: { method: 'GET', path: '/documents/{document}/tables' },
  requires: { scope: 'sheets.read' },
  tag: 'Structure',
  summary: 'List the tables of a document with their columns',
  description: 'Tables can be used in structured references and for records. Columns of hidden sheets are left out.',
  params: DocumentPath,
  answers: { 200: Tables, 304: ANSWERS.unchanged, ...REFUSALS },
  example: { answer: { tables: [{ name: 'Orders', range: 'Orders!A1:H40', columns: ['Number', 'Status'] }] } },

  async run({ context, document }) {
    const reading = await openReading(context, document);
    if (isRefusal(reading)) return reading;
    const body = { tables: listVisibleTables(document, reading.snapshot) };
    return {
      kind: 'tagged',
      tag: formatDocumentTag(reading.head, JSON.stringify(body)),
      content: () => toJsonContent(body),
    };
  },
});

/** Column names are values of the sheet, so they are left out if its values are hidden from the caller. */
function listVisibleTables({ hiddenSheets }: DocumentAccess, snapshot: Snapshot) {
  return snapshot.tables.map((table) => ({
    ...toTableView(snapshot, table),
    columns: hiddenSheets.has(table.sheet) ? [] : table.columns,
  }));
}
