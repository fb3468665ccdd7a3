import type { Needs } from '../../access/gate.ts';
import { listNames, listTables } from '../../service/document/names.ts';
import { isRefusal } from '../../service/refusal.ts';
import { documentTag } from '../../service/tags.ts';
import { ANSWERS, REFUSALS } from '../answers.ts';
import { type Api, type App, accessOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { DocumentPath } from '../schemas.ts';
import { sendTagged } from '../tagged.ts';

const READS: Needs = { scope: 'sheets.read' };
const TAGS = ['Structure'];

/** What formulas call by a name. */
export function nameRoutes(app: App, api: Api): void {
  app.get(
    '/documents/:document/names',
    {
      config: { needs: READS },
      schema: {
        operationId: 'listNames',
        summary: 'List the defined names of a document',
        tags: TAGS,
        params: DocumentPath,
        response: { 200: ANSWERS.names, 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const listed = await listNames(api.context, accessOf(request));
      if (isRefusal(listed)) return sendRefusal(reply, listed);
      const body = { names: listed.list };
      return sendTagged(request, reply, documentTag(listed.head, JSON.stringify(body)), () => body);
    },
  );
  app.get(
    '/documents/:document/tables',
    {
      config: { needs: READS },
      schema: {
        operationId: 'listTables',
        summary: 'List the tables of a document with their columns',
        tags: TAGS,
        params: DocumentPath,
        response: { 200: ANSWERS.tables, 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const listed = await listTables(api.context, accessOf(request));
      if (isRefusal(listed)) return sendRefusal(reply, listed);
      const body = { tables: listed.list };
      return sendTagged(request, reply, documentTag(listed.head, JSON.stringify(body)), () => body);
    },
  );
}
