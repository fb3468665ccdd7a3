import { DEFAULT_AUDIT_PAGE, MAX_AUDIT_PAGE } from '../../limits/limits.ts';
import { getUsage, userinfo } from '../../service/account.ts';
import { getAudit } from '../../service/audit-log.ts';
import { ANSWERS, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { accessOf, callerOf } from '../api.ts';
import { AuditQuery, DocumentPath } from '../schemas.ts';

/** The change log, the token and the agent quota. */
export function accountRoutes(app: App, api: Api): void {
  getAuditRoute(app, api);
  getUserinfoRoute(app);
  getUsageRoute(app, api);
}

function getAuditRoute(app: App, api: Api): void {
  app.get(
    '/documents/:document/audit',
    {
      config: { needs: { scope: 'sheets.read', feature: 'sheetOperations' } },
      schema: {
        operationId: 'getAudit',
        summary: 'List changes made through the API and integrations, newest first',
        tags: ['Audit'],
        params: DocumentPath,
        querystring: AuditQuery,
        response: { 200: ANSWERS.audit, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { offset = 0, limit = DEFAULT_AUDIT_PAGE } = request.query;
      const page = { offset, limit: Math.min(limit, MAX_AUDIT_PAGE) };
      return reply.send({ audit: await getAudit(api.context, accessOf(request), page) });
    },
  );
}

function getUserinfoRoute(app: App): void {
  app.get(
    '/userinfo',
    {
      config: { needs: { scope: null } },
      schema: {
        operationId: 'getUserinfo',
        summary: 'Show the scopes of the token',
        tags: ['Token and quota'],
        response: { 200: ANSWERS.userinfo, 401: REFUSALS[401], 429: REFUSALS[429] },
      },
    },
    async (request, reply) => reply.send(userinfo(callerOf(request))),
  );
}

function getUsageRoute(app: App, api: Api): void {
  app.get(
    '/usage',
    {
      config: { needs: { scope: null, free: true } },
      schema: {
        operationId: 'getUsage',
        summary: 'Show the quota of AI agents; asking does not use it up',
        tags: ['Token and quota'],
        response: { 200: ANSWERS.usage, 401: REFUSALS[401], 429: REFUSALS[429] },
      },
    },
    async (request, reply) => reply.send(await getUsage(api.context, callerOf(request))),
  );
}
