import type { Needs } from '../../access/gate.ts';
import { protectSheet, readProtection } from '../../service/document/protect.ts';
import { isRefusal } from '../../service/refusal.ts';
import { ANSWERS, REFUSALS } from '../answers.ts';
import { type Api, type App, accessOf } from '../api.ts';
import { ProtectionBody } from '../document-schemas.ts';
import { sendRefusal } from '../errors.ts';
import { actionOf, idempotencyHook, sendReply } from '../idempotency-hook.ts';
import { SheetPath } from '../schemas.ts';

const READS: Needs = { scope: 'sheets.read' };
const OWNS: Needs = { scope: 'documents.write', owner: true };
const PROTECTION = '/documents/:document/sheets/:sheet/protection';
const TAGS = ['Sheets'];

/** Who may see and edit a sheet. */
export function protectionRoutes(app: App, api: Api): void {
  app.get(
    PROTECTION,
    {
      config: { needs: READS },
      schema: {
        operationId: 'getProtection',
        summary: 'Say who may see and edit a sheet',
        tags: TAGS,
        params: SheetPath,
        response: { 200: ANSWERS.protection, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const protection = await readProtection(api.context, accessOf(request), request.params.sheet);
      return isRefusal(protection) ? sendRefusal(reply, protection) : reply.send({ protection });
    },
  );
  app.put(
    PROTECTION,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'protectSheet',
        summary: 'Hide a sheet’s values or lock it, in place of its protection before',
        tags: TAGS,
        params: SheetPath,
        body: ProtectionBody,
        response: { 200: ANSWERS.protection, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { hideValues = false, lock = false, allow = [] } = request.body;
      const wanted = { hideValues, lock, allow: allow.map(String) };
      const action = actionOf(api, request);
      return sendReply(api, request, reply, await protectSheet(api.context, action, request.params.sheet, wanted));
    },
  );
  app.delete(
    PROTECTION,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'unprotectSheet',
        summary: 'End the protection of a sheet',
        tags: TAGS,
        params: SheetPath,
        response: { 200: ANSWERS.protection, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const action = actionOf(api, request);
      return sendReply(api, request, reply, await protectSheet(api.context, action, request.params.sheet, null));
    },
  );
}

function keyedRoute(api: Api) {
  return { config: { needs: OWNS, keyed: true }, preValidation: idempotencyHook(api) };
}
