import { Type } from 'typebox';
import { MAX_SECRET_LENGTH, MAX_TRANSFERRED_DOCUMENTS } from '../../limits/console.ts';
import { MAX_EMAIL_LENGTH } from '../../limits/http.ts';
import { MAX_SENT_NAME_LENGTH } from '../../limits/limits.ts';
import { body } from '../../operations/schemas/requests.ts';
import {
  acceptInvitation,
  invite,
  listInvitations,
  lookAtInvitation,
  withdrawInvitation,
} from '../../service/accounts/invitations.ts';
import { listMembers, resetMemberPassword, setMemberDisabled } from '../../service/accounts/members.ts';
import { transferDocuments } from '../../service/accounts/transfer.ts';
import { changeWorkspaceLocale } from '../../service/accounts/workspace.ts';
import { INVITATION_NOT_FOUND, isRefusal, USER_NOT_FOUND } from '../../service/refusal.ts';
import type { Api, App } from '../api.ts';
import { callerOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import type { ConsoleDoor } from './door.ts';
import { actorOf, IdPath, idOf, originOf, SentPassword, SIGNED_IN, sendSession } from './session-routes.ts';

const config = { needs: SIGNED_IN };
const Secret = Type.String({ maxLength: MAX_SECRET_LENGTH });
const DisableBody = body({ disabled: Type.Boolean() });
const TransferBody = body({
  to: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  documents: Type.Optional(Type.Array(Type.String({ maxLength: 36 }), { maxItems: MAX_TRANSFERRED_DOCUMENTS })),
});
const WorkspaceBody = body({ locale: Type.Union([Type.String({ maxLength: 16 }), Type.Null()]) });
const InviteBody = body({ email: Type.String({ maxLength: MAX_EMAIL_LENGTH }) });
const LookBody = body({ invitation: Secret });
const AcceptBody = body({
  invitation: Secret,
  name: Type.String({ maxLength: MAX_SENT_NAME_LENGTH }),
  password: SentPassword,
});

/** A workspace, its users, and who is invited into it. */
export function userRoutes(app: App, api: Api, door: ConsoleDoor): void {
  memberRoutes(app, api);
  invitationRoutes(app, api);
  joinRoutes(app, api, door);
}

function memberRoutes(app: App, { context }: Api): void {
  app.get('/users', { config }, async (request, reply) =>
    reply.send({ users: await listMembers(context, callerOf(request)) }),
  );

  app.patch('/users/:id', { config, schema: { params: IdPath, body: DisableBody } }, async (request, reply) => {
    const id = idOf(request.params.id);
    const change = { disabled: request.body.disabled, by: actorOf(request) };
    const user = id === null ? USER_NOT_FOUND : await setMemberDisabled(context, callerOf(request), { ...change, id });
    return isRefusal(user) ? sendRefusal(reply, user) : reply.send({ user });
  });

  app.post('/users/:id/password', { config, schema: { params: IdPath } }, async (request, reply) => {
    const id = idOf(request.params.id);
    const by = actorOf(request);
    const reset = id === null ? USER_NOT_FOUND : await resetMemberPassword(context, callerOf(request), { id, by });
    return isRefusal(reset) ? sendRefusal(reply, reset) : reply.send(reset);
  });

  app.patch('/workspace', { config, schema: { body: WorkspaceBody } }, async (request, reply) => {
    const change = { locale: request.body.locale, by: actorOf(request) };
    const refusal = await changeWorkspaceLocale(context, callerOf(request), change);
    return refusal === null ? reply.send({ success: true }) : sendRefusal(reply, refusal);
  });

  const schema = { params: IdPath, body: TransferBody };
  app.post('/users/:id/transfer', { config, schema }, async (request, reply) => {
    const from = idOf(request.params.id);
    const { to, documents } = request.body;
    const wanted = { to, documents, by: actorOf(request) };
    const done =
      from === null ? USER_NOT_FOUND : await transferDocuments(context, callerOf(request), { ...wanted, from });
    return isRefusal(done) ? sendRefusal(reply, done) : reply.send(done);
  });
}

function invitationRoutes(app: App, { context }: Api): void {
  app.get('/invitations', { config }, async (request, reply) => {
    const invitations = await listInvitations(context, callerOf(request));
    return isRefusal(invitations) ? sendRefusal(reply, invitations) : reply.send({ invitations });
  });

  app.post('/invitations', { config, schema: { body: InviteBody } }, async (request, reply) => {
    const invited = await invite(context, callerOf(request), { email: request.body.email, by: actorOf(request) });
    if (isRefusal(invited)) return sendRefusal(reply, invited);
    const { secret, ...invitation } = invited;
    // Behind the mark it is sent to no server, and stands in no log.
    const base = context.config.publicUrl ?? request.headers.origin ?? '';
    return reply.send({ invitation: { ...invitation, link: `${base}/invite#${secret}` } });
  });

  app.delete('/invitations/:id', { config, schema: { params: IdPath } }, async (request, reply) => {
    const id = idOf(request.params.id);
    const by = actorOf(request);
    const refusal =
      id === null ? INVITATION_NOT_FOUND : await withdrawInvitation(context, callerOf(request), { id, by });
    return refusal === null ? reply.send({ success: true }) : sendRefusal(reply, refusal);
  });
}

/** For whoever holds an invitation, who is nobody here yet. */
function joinRoutes(app: App, api: Api, door: ConsoleDoor): void {
  app.post('/invitations/look', { schema: { body: LookBody } }, async (request, reply) => {
    const invitation = await lookAtInvitation(api.context, request.body.invitation);
    return isRefusal(invitation) ? sendRefusal(reply, invitation) : reply.send({ invitation });
  });

  app.post('/invitations/accept', { schema: { body: AcceptBody } }, async (request, reply) => {
    const { invitation: secret, name, password } = request.body;
    const acceptance = { secret, name, password, from: originOf(request) };
    return sendSession(api, door, reply, await acceptInvitation(api.context, acceptance));
  });
}
