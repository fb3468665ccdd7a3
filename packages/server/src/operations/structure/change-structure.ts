import { Type } from 'typebox';
import { MAX_MEMBERS, MAX_OPERATIONS } from '../../limits/requests.ts';
import { rebaseOperations } from '../../service/rebase/requests.ts';
import { writeRebased } from '../../service/rebase/write-rebased.ts';
import { listWrittenRanges } from '../../service/rebase/written-cells.ts';
import { changeStructure as runStructure } from '../../service/structure/change-structure.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { Count, DRY_RUN, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineBody, InputLocaleChoice, WRITE_CONDITIONS, WriteQuery } from '../schemas/requests.ts';

const StructureBody = defineBody({
  operations: Type.Unsafe<unknown>({
    type: 'array',
    minItems: 1,
    maxItems: MAX_OPERATIONS,
    items: { type: 'object', maxProperties: MAX_MEMBERS },
    description:
      'Operations, each an object with one key; see the documentation. Rows count from 1; columns are letters.',
  }),
  inputLocale: Type.Optional(InputLocaleChoice),
  ...WRITE_CONDITIONS,
});

const Structure = Type.Object({
  structure: Type.Object({
    revisionId: Type.String(),
    operations: Type.Array(Type.Object({ cells: Count }), {
      description: 'Number of cells that each operation wrote.',
    }),
  }),
  ...DRY_RUN,
});

export const changeStructure = defineWrite({
  id: 'changeStructure',
  http: { method: 'POST', path: '/documents/{document}/structure' },
  requires: { scope: 'sheets.write', feature: 'sheetOperations', writes: true },
  tag: 'Structure',
  summary: 'Change the structure of a document: rows, columns, cells, sheets, names and tables',
  description:
    'Performs a list of operations in order, all or none, in one revision. Rows count from 1, columns are letters; references are updated. `?dryRun=true` shows what would change.',
  params: DocumentPath,
  query: WriteQuery,
  body: StructureBody,
  answers: { 200: Structure, ...REFUSALS },
  example: {
    request: { operations: [{ insertRows: { sheet: 'Orders', before: 3, count: 2 } }] },
    answer: { structure: { revisionId: '42', operations: [{ cells: 0 }] } },
  },

  run: (call, { operations, inputLocale = null }) =>
    writeRebased<unknown>(call.context, toWriteRequest(call), {
      base: call.conditions.base,
      sent: operations,
      inputLocale,
      rebase: (sent, setting) => (Array.isArray(sent) ? rebaseOperations(sent, setting) : sent),
      ranges: (sent) => (Array.isArray(sent) ? listWrittenRanges(sent) : []),
      write: (request, sent) => runStructure(call.context, request, sent, inputLocale),
    }),
});
