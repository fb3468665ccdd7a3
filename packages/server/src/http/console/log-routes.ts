import { Type } from 'typebox';
import { DEFAULT_LOG_PAGE, MAX_LOG_PAGE } from '../../limits/console.ts';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { DocumentPath, defineCount, defineQuery, Offset } from '../../operations/schemas/requests.ts';
import { readAccountLog } from '../../service/accounts/log.ts';
import { readUsage } from '../../service/accounts/usage.ts';
import { readDocumentLog } from '../../service/history/document-log.ts';
import { invalidRequest } from '../../service/refusal.ts';
import { type Api, type App, requireCaller, requireDocumentAccess } from '../api.ts';
import { sendOutcome, sendRefusal } from '../errors.ts';
import { parseNumericId, SIGNED_IN } from './session-routes.ts';

const config = { needs: SIGNED_IN };
const Filter = Type.Optional(Type.String({ maxLength: MAX_SENT_NAME_LENGTH }));
const Page = { offset: Type.Optional(Offset), limit: Type.Optional(defineCount(1, '50 by default, capped at 200.')) };
const AccountLogQuery = defineQuery({ ...Page, user: Filter });
const DocumentLogQuery = defineQuery({
  ...Page,
  origin: Filter,
  action: Filter,
  user: Filter,
  token: Filter,
  since: Filter,
  until: Filter,
});

/** Audit log and usage. */
export function addLogRoutes(app: App, { context }: Api): void {
  app.get('/usage', { config }, async (request, reply) =>
    reply.send({ usage: await readUsage(context, requireCaller(request)) }),
  );

  app.get('/log', { config, schema: { querystring: AccountLogQuery } }, async (request, reply) => {
    const { user: given } = request.query;
    const user = given === undefined ? undefined : parseNumericId(given);
    if (user === null) return sendRefusal(reply, invalidRequest('user', 'user must be the number of a user'));
    return reply.send({ log: await readAccountLog(context, requireCaller(request), toLogPage(request.query), user) });
  });

  app.get(
    '/documents/:document/log',
    {
      config: { needs: { scope: 'sheets.read', feature: 'sheetOperations' } },
      schema: { params: DocumentPath, querystring: DocumentLogQuery },
    },
    async (request, reply) => {
      const { origin, action, token, since, until, user: given } = request.query;
      const user = given === undefined ? undefined : parseNumericId(given);
      if (user === null) return sendRefusal(reply, invalidRequest('user', 'user must be the number of a user'));
      const filter = { origin, action, token, since, until, user };
      const log = await readDocumentLog(context, requireDocumentAccess(request), {
        ...filter,
        ...toLogPage(request.query),
      });
      return sendOutcome(reply, log, 'log');
    },
  );
}

/** The offset and limit of a page, with the default limit and the greatest one applied. */
function toLogPage({ offset = 0, limit = DEFAULT_LOG_PAGE }: { readonly offset?: number; readonly limit?: number }) {
  return { offset, limit: Math.min(limit, MAX_LOG_PAGE) };
}
