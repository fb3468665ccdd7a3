import { Type } from 'typebox';
import { MAX_TAB_LENGTH } from '../../limits/console.ts';
import { MAX_EMAIL_LENGTH } from '../../limits/http.ts';
import { MAX_RANGE_LENGTH } from '../../limits/requests.ts';
import { body, choice, DocumentPath } from '../../operations/schemas/requests.ts';
import { inviteToDocument, listInvitationsTo, withdrawInvitationTo } from '../../service/accounts/invitations.ts';
import { exchangePresence } from '../../service/presence/exchange-presence.ts';
import { isRefusal } from '../../service/refusal.ts';
import { listShares } from '../../service/sharing/list-shares.ts';
import { GIVEN_ROLES, roleOfAnyone, shareWithAnyone } from '../../service/sharing/share.ts';
import { type Api, type App, accessOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { actionOf, sendReply } from '../idempotency-hook.ts';
import { actorOf, IdPath, idOf } from './session-routes.ts';

const PresenceBody = body({
  tab: Type.String({ minLength: 1, maxLength: MAX_TAB_LENGTH }),
  range: Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: MAX_RANGE_LENGTH }),
  revision: Type.Optional(Type.Integer({ minimum: 0 })),
});

const InvitationBody = body({
  email: Type.String({ maxLength: MAX_EMAIL_LENGTH }),
  role: Type.Union([Type.Literal('edit'), Type.Literal('comment'), Type.Literal('view')]),
});

const AnyoneBody = body({ role: choice(GIVEN_ROLES, '`none` ends it.') });

/** People with access to a document. */
export function documentPeopleRoutes(app: App, api: Api): void {
  const { context } = api;
  app.get(
    '/documents/:document/shares',
    { config: { needs: { scope: 'sheets.read', owner: true } }, schema: { params: DocumentPath } },
    async (request, reply) => {
      const [shares, invitations, anyone] = await Promise.all([
        listShares(context, accessOf(request)),
        listInvitationsTo(context, accessOf(request)),
        roleOfAnyone(context, accessOf(request)),
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
      sendReply(api, request, reply, await shareWithAnyone(context, actionOf(api, request), request.body.role)),
  );

  app.post(
    '/documents/:document/invitations',
    {
      config: { needs: { scope: 'sheets.read', owner: true } },
      schema: { params: DocumentPath, body: InvitationBody },
    },
    async (request, reply) => {
      const base = context.config.publicUrl ?? request.headers.origin ?? '';
      const wish = { ...request.body, by: actorOf(request), link: (secret: string) => `${base}/invite#${secret}` };
      return sendReply(api, request, reply, await inviteToDocument(context, actionOf(api, request), wish));
    },
  );

  app.delete(
    '/documents/:document/invitations/:id',
    {
      config: { needs: { scope: 'sheets.read', owner: true } },
      schema: { params: Type.Intersect([DocumentPath, IdPath]) },
    },
    async (request, reply) => {
      const id = idOf(request.params.id);
      const withdrawal = { id: id ?? 0, by: actorOf(request) };
      const refusal = await withdrawInvitationTo(context, accessOf(request), withdrawal);
      return refusal === null ? reply.send({ success: true }) : sendRefusal(reply, refusal);
    },
  );

  app.put(
    '/documents/:document/presence',
    { config: { needs: { scope: 'sheets.read' } }, schema: { params: DocumentPath, body: PresenceBody } },
    async (request, reply) => {
      const present = await exchangePresence(context, accessOf(request), request.body);
      return isRefusal(present) ? sendRefusal(reply, present) : reply.send({ present });
    },
  );
}
