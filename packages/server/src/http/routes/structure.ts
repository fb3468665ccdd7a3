import type { Needs } from '../../access/gate.ts';
import { ANSWERS, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { idempotencyHook, sendReply } from '../idempotency-hook.ts';
import { structureRebased } from '../rebased-writes.ts';
import { DocumentPath, StructureBody, WriteQuery } from '../schemas.ts';

const CHANGES: Needs = { scope: 'sheets.write', feature: 'sheetOperations', writes: true };

export function structureRoutes(app: App, api: Api): void {
  app.post(
    '/documents/:document/structure',
    {
      config: { needs: CHANGES, keyed: true },
      preValidation: idempotencyHook(api),
      schema: {
        operationId: 'changeStructure',
        summary: 'Restructure a document: rows, columns, cells, sheets, names and tables, all or none',
        tags: ['Structure'],
        params: DocumentPath,
        querystring: WriteQuery,
        body: StructureBody,
        response: { 200: ANSWERS.structure, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { operations, inputLocale = null } = request.body;
      const outcome = await structureRebased(api, request, operations, inputLocale);
      return sendReply(api, request, reply, outcome);
    },
  );
}
