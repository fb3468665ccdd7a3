import { createReadStream } from 'node:fs';
import { Type } from 'typebox';
import { MAX_SECRET_LENGTH, MAX_TRANSFERRED_DOCUMENTS } from '../../limits/console.ts';
import { MAX_EMAIL_LENGTH } from '../../limits/http.ts';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { defineBody, defineQuery } from '../../operations/schemas/requests.ts';
import {
  acceptInvitation,
  inviteUser,
  listInvitations,
  previewInvitation,
  withdrawInvitation,
} from '../../service/accounts/invitations.ts';
import { changeMember, eraseMember, exportMember } from '../../service/accounts/manage-members.ts';
import { listMembers, resetMemberPassword } from '../../service/accounts/members.ts';
import { transferDocuments } from '../../service/accounts/transfer.ts';
import { changeOwnWorkspace } from '../../service/accounts/workspace.ts';
import { listWorkspaceDocuments } from '../../service/accounts/workspace-documents.ts';
import { INVITATION_NOT_FOUND, isRefusal, USER_NOT_FOUND } from '../../service/refusal.ts';
import { type Api, type App, requireCaller } from '../api.ts';
import { sendOutcome, sendRefusal } from '../errors.ts';
import type { ConsoleGuard } from './console-guard.ts';
import {
  IdPath,
  parseNumericId,
  SentPassword,
  SIGNED_IN,
  sendSession,
  toActor,
  toSessionOrigin,
} from './session-routes.ts';

const config = { needs: SIGNED_IN };
const Secret = Type.String({ maxLength: MAX_SECRET_LENGTH });
const MemberBody = defineBody({
  disabled: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String({ maxLength: MAX_SENT_NAME_LENGTH })),
  email: Type.Optional(Type.String({ maxLength: MAX_EMAIL_LENGTH })),
});
const DocumentsQuery = defineQuery({ cursor: Type.Optional(Type.String({ maxLength: 36 })) });
const EraseBody = defineBody({
  to: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]),
});
const TransferBody = defineBody({
  to: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  documents: Type.Optional(Type.Array(Type.String({ maxLength: 36 }), { maxItems: MAX_TRANSFERRED_DOCUMENTS })),
});
const WorkspaceBody = defineBody({
  locale: Type.Optional(Type.Union([Type.String({ maxLength: 16 }), Type.Null()])),
  name: Type.Optional(Type.String({ maxLength: MAX_SENT_NAME_LENGTH })),
});
const InviteBody = defineBody({ email: Type.String({ maxLength: MAX_EMAIL_LENGTH }) });
const LookBody = defineBody({ invitation: Secret });
const AcceptBody = defineBody({
  invitation: Secret,
  name: Type.String({ maxLength: MAX_SENT_NAME_LENGTH }),
  password: SentPassword,
});

/** A workspace, its users and invitations. */
export function addUserRoutes(app: App, api: Api, guard: ConsoleGuard): void {
  addMemberRoutes(app, api);
  addInvitationRoutes(app, api);
  addJoinRoutes(app, api, guard);
}

function addMemberRoutes(app: App, { context }: Api): void {
  app.get('/users', { config }, async (request, reply) =>
    reply.send({ users: await listMembers(context, requireCaller(request)) }),
  );

  app.patch('/users/:id', { config, schema: { params: IdPath, body: MemberBody } }, async (request, reply) => {
    const id = parseNumericId(request.params.id);
    if (id === null) return sendRefusal(reply, USER_NOT_FOUND);
    const change = { ...request.body, id, by: toActor(request) };
    return sendOutcome(reply, await changeMember(context, requireCaller(request), change), 'user');
  });

  app.post('/users/:id/erase', { config, schema: { params: IdPath, body: EraseBody } }, async (request, reply) => {
    const id = parseNumericId(request.params.id);
    const erasure = { to: request.body.to, by: toActor(request) };
    const documents =
      id === null ? USER_NOT_FOUND : await eraseMember(context, requireCaller(request), { ...erasure, id });
    return sendOutcome(reply, documents, 'documents');
  });

  app.get('/users/:id/export', { config, schema: { params: IdPath } }, async (request, reply) => {
    const id = parseNumericId(request.params.id);
    if (id === null) return sendRefusal(reply, USER_NOT_FOUND);
    const file = await app.files.createTransientPath(reply);
    const refusal = await exportMember(context, requireCaller(request), { id, by: toActor(request), file });
    if (refusal !== null) return sendRefusal(reply, refusal);
    reply.header('content-disposition', `attachment; filename="user-${id}.zip"`);
    return reply.type('application/zip').send(createReadStream(file));
  });

  app.post('/users/:id/password', { config, schema: { params: IdPath } }, async (request, reply) => {
    const id = parseNumericId(request.params.id);
    const by = toActor(request);
    const reset = id === null ? USER_NOT_FOUND : await resetMemberPassword(context, requireCaller(request), { id, by });
    return sendOutcome(reply, reset);
  });

  app.patch('/workspace', { config, schema: { body: WorkspaceBody } }, async (request, reply) => {
    const { locale, name } = request.body;
    const change = { name, locale, by: toActor(request) };
    const refusal = await changeOwnWorkspace(context, requireCaller(request), change);
    return sendOutcome(reply, refusal ?? { success: true });
  });

  app.get('/workspace/documents', { config, schema: { querystring: DocumentsQuery } }, async (request, reply) => {
    const listed = await listWorkspaceDocuments(context, requireCaller(request), request.query.cursor ?? '');
    return sendOutcome(reply, listed);
  });

  const schema = { params: IdPath, body: TransferBody };
  app.post('/users/:id/transfer', { config, schema }, async (request, reply) => {
    const from = parseNumericId(request.params.id);
    const { to, documents } = request.body;
    const transfer = { to, documents, by: toActor(request) };
    const done =
      from === null ? USER_NOT_FOUND : await transferDocuments(context, requireCaller(request), { ...transfer, from });
    return sendOutcome(reply, done);
  });
}

function addInvitationRoutes(app: App, { context }: Api): void {
  app.get('/invitations', { config }, async (request, reply) => {
    const invitations = await listInvitations(context, requireCaller(request));
    return sendOutcome(reply, invitations, 'invitations');
  });

  app.post('/invitations', { config, schema: { body: InviteBody } }, async (request, reply) => {
    const invited = await inviteUser(context, requireCaller(request), {
      email: request.body.email,
      by: toActor(request),
    });
    if (isRefusal(invited)) return sendRefusal(reply, invited);
    const { secret, ...invitation } = invited;
    // The secret follows the `#`: browsers do not send it to servers, so it appears in no log.
    const base = context.config.publicUrl ?? request.headers.origin ?? '';
    return reply.send({ invitation: { ...invitation, link: `${base}/invite#${secret}` } });
  });

  app.delete('/invitations/:id', { config, schema: { params: IdPath } }, async (request, reply) => {
    const id = parseNumericId(request.params.id);
    const by = toActor(request);
    const refusal =
      id === null ? INVITATION_NOT_FOUND : await withdrawInvitation(context, requireCaller(request), { id, by });
    return sendOutcome(reply, refusal ?? { success: true });
  });
}

/** Routes for the holder of an invitation, who has no account yet. */
function addJoinRoutes(app: App, api: Api, guard: ConsoleGuard): void {
  app.post('/invitations/look', { schema: { body: LookBody } }, async (request, reply) => {
    const invitation = await previewInvitation(api.context, request.body.invitation);
    return sendOutcome(reply, invitation, 'invitation');
  });

  app.post('/invitations/accept', { schema: { body: AcceptBody } }, async (request, reply) => {
    const { invitation: secret, name, password } = request.body;
    const acceptance = { secret, name, password, from: toSessionOrigin(request) };
    return sendSession(api, guard, reply, await acceptInvitation(api.context, acceptance));
  });
}
