import { Type } from 'typebox';
import { DEFAULT_LOG_PAGE, MAX_LOG_PAGE } from '../../limits/console.ts';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { count, DocumentPath, Offset, query } from '../../operations/schemas/requests.ts';
import { accountLog } from '../../service/accounts/log.ts';
import { usageOf } from '../../service/accounts/usage.ts';
import { documentLog } from '../../service/history/document-log.ts';
import { invalidRequest, isRefusal } from '../../service/refusal.ts';
import { type Api, type App, accessOf, callerOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { idOf, SIGNED_IN } from './session-routes.ts';

const config = { needs: SIGNED_IN };
const Filter = Type.Optional(Type.String({ maxLength: MAX_SENT_NAME_LENGTH }));
const Page = { offset: Type.Optional(Offset), limit: Type.Optional(count(1, '50 by default, capped at 200.')) };
const AccountLogQuery = query({ ...Page, user: Filter });
const DocumentLogQuery = query({
  ...Page,
  origin: Filter,
  action: Filter,
  user: Filter,
  token: Filter,
  since: Filter,
  until: Filter,
});

/** Audit log and usage. */
export function logRoutes(app: App, { context }: Api): void {
  app.get('/usage', { config }, async (request, reply) =>
    reply.send({ usage: await usageOf(context, callerOf(request)) }),
  );

  app.get('/log', { config, schema: { querystring: AccountLogQuery } }, async (request, reply) => {
    const { user: given } = request.query;
    const user = given === undefined ? undefined : idOf(given);
    if (user === null) return sendRefusal(reply, invalidRequest('user', 'user must be the number of a user'));
    return reply.send({ log: await accountLog(context, callerOf(request), pageOf(request.query), user) });
  });

  app.get(
    '/documents/:document/log',
    {
      config: { needs: { scope: 'sheets.read', feature: 'sheetOperations' } },
      schema: { params: DocumentPath, querystring: DocumentLogQuery },
    },
    async (request, reply) => {
      const { origin, action, token, since, until, user: given } = request.query;
      const user = given === undefined ? undefined : idOf(given);
      if (user === null) return sendRefusal(reply, invalidRequest('user', 'user must be the number of a user'));
      const filter = { origin, action, token, since, until, user };
      const log = await documentLog(context, accessOf(request), { ...filter, ...pageOf(request.query) });
      return isRefusal(log) ? sendRefusal(reply, log) : reply.send({ log });
    },
  );
}

function pageOf({ offset = 0, limit = DEFAULT_LOG_PAGE }: { readonly offset?: number; readonly limit?: number }) {
  return { offset, limit: Math.min(limit, MAX_LOG_PAGE) };
}
