import { Type } from 'typebox';
import { MAX_TAB_LENGTH } from '../../limits/console.ts';
import { MAX_EMAIL_LENGTH } from '../../limits/http.ts';
import { MAX_RANGE_LENGTH } from '../../limits/requests.ts';
import { DocumentPath, defineBody, defineChoice } from '../../operations/schemas/requests.ts';
import { inviteToDocument, listInvitationsTo, withdrawInvitationTo } from '../../service/accounts/invitations.ts';
import { exchangePresence } from '../../service/presence/exchange-presence.ts';
import { listShares } from '../../service/sharing/list-shares.ts';
import { GIVEN_ROLES, readAnyoneRole, shareWithAnyone } from '../../service/sharing/share.ts';
import { type Api, type App, requireDocumentAccess } from '../api.ts';
import { createDocumentAction } from '../call-conditions.ts';
import { sendOutcome } from '../errors.ts';
import { sendReply } from '../write-reply.ts';
import { IdPath, parseNumericId, toActor } from './session-routes.ts';

const PresenceBody = defineBody({
  tab: Type.String({ minLength: 1, maxLength: MAX_TAB_LENGTH }),
  range: Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: MAX_RANGE_LENGTH }),
  revision: Type.Optional(Type.Integer({ minimum: 0 })),
});

const InvitationBody = defineBody({
  email: Type.String({ maxLength: MAX_EMAIL_LENGTH }),
  role: Type.Union([Type.Literal('edit'), Type.Literal('comment'), Type.Literal('view')]),
});

const AnyoneBody = defineBody({ role: defineChoice(GIVEN_ROLES, '`none` ends it.') });

/** Adds routes for people with access to a document. */
export function addPeopleRoutes(app: App, api: Api): void {
  const { context } = api;
  app.get(
    '/documents/:document/shares',
    { config: { needs: { scope: 'sheets.read', owner: true } }, schema: { params: DocumentPath } },
    async (request, reply) => {
      const [shares, invitations, anyone] = await Promise.all([
        listShares(context, requireDocumentAccess(request)),
        listInvitationsTo(context, requireDocumentAccess(request)),
        readAnyoneRole(context, requireDocumentAccess(request)),
      ]);
      return reply.send({ shares, invitations, anyone });
    },
  );

  app.put(
    '/documents/:document/anyone',
    {
      config: { needs: { scope: 'documents.write', owner: true } },
      schema: { params: DocumentPath, body: AnyoneBody },
    },
    async (request, reply) =>
      sendReply(
        api,
        request,
        reply,
        await shareWithAnyone(context, createDocumentAction(api, request), request.body.role),
      ),
  );

  app.post(
    '/documents/:document/invitations',
    {
      config: { needs: { scope: 'sheets.read', owner: true } },
      schema: { params: DocumentPath, body: InvitationBody },
    },
    async (request, reply) => {
      const base = context.config.publicUrl ?? request.headers.origin ?? '';
      const wish = { ...request.body, by: toActor(request), link: (secret: string) => `${base}/invite#${secret}` };
      return sendReply(api, request, reply, await inviteToDocument(context, createDocumentAction(api, request), wish));
    },
  );

  app.delete(
    '/documents/:document/invitations/:id',
    {
      config: { needs: { scope: 'sheets.read', owner: true } },
      schema: { params: Type.Intersect([DocumentPath, IdPath]) },
    },
    async (request, reply) => {
      const id = parseNumericId(request.params.id);
      const withdrawal = { id: id ?? 0, by: toActor(request) };
      const refusal = await withdrawInvitationTo(context, requireDocumentAccess(request), withdrawal);
      return sendOutcome(reply, refusal ?? { success: true });
    },
  );

  app.put(
    '/documents/:document/presence',
    { config: { needs: { scope: 'sheets.read' } }, schema: { params: DocumentPath, body: PresenceBody } },
    async (request, reply) => {
      const present = await exchangePresence(context, requireDocumentAccess(request), request.body);
      return sendOutcome(reply, present, 'present');
    },
  );
}
