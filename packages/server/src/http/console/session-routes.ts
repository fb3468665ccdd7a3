import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Caller } from '../../access/callers.ts';
import type { AccessRequirements } from '../../access/gate.ts';
import { MAX_SENT_PASSWORD_LENGTH } from '../../limits/console.ts';
import { MAX_EMAIL_LENGTH } from '../../limits/http.ts';
import { defineBody, definePathSegment } from '../../operations/schemas/requests.ts';
import type { Actor } from '../../service/accounts/actor.ts';
import { describeCaller } from '../../service/accounts/me.ts';
import { changePassword } from '../../service/accounts/password.ts';
import { endOneSession, listSessions, signOut, signOutEverywhere } from '../../service/accounts/sessions.ts';
import { type NewSession, type SessionOrigin, signIn } from '../../service/accounts/sign-in.ts';
import { isRefusal, type Refusal, SESSION_NOT_FOUND, UNAUTHENTICATED } from '../../service/refusal.ts';
import { type Api, type App, requireCaller } from '../api.ts';
import { sendOutcome, sendRefusal } from '../errors.ts';
import type { ConsoleGuard } from './console-guard.ts';

/** Any signed-in user; `ALSO_WITH_ONE_TIME_PASSWORD`: even if the user must change the password first. */
export const SIGNED_IN: AccessRequirements = { scope: null, usesNoQuota: true };
const ALSO_WITH_ONE_TIME_PASSWORD: AccessRequirements = { ...SIGNED_IN, allowsOneTimePassword: true };

export const SentPassword = Type.String({ maxLength: MAX_SENT_PASSWORD_LENGTH });
const SignInBody = defineBody({ email: Type.String({ maxLength: MAX_EMAIL_LENGTH }), password: SentPassword });
const PasswordBody = defineBody({ current: SentPassword, password: SentPassword });
export const IdPath = Type.Object({ id: definePathSegment('Number.') });

/** Adds routes for sign-in, sign-out, and the current user. */
export function addSessionRoutes(app: App, api: Api, guard: ConsoleGuard): void {
  app.post('/session', { schema: { body: SignInBody } }, async (request, reply) => {
    const { email, password } = request.body;
    const signing = { email, password, from: toSessionOrigin(request), devicePass: guard.readDevicePass(request) };
    return sendSession(api, guard, reply, await signIn(api.context, signing));
  });

  app.delete('/session', { config: { needs: ALSO_WITH_ONE_TIME_PASSWORD } }, async (request, reply) => {
    await signOut(api.context, requireCaller(request), toActor(request));
    guard.clearSessionCookie(reply);
    return reply.send({ success: true });
  });

  app.get('/me', { config: { needs: ALSO_WITH_ONE_TIME_PASSWORD } }, async (request, reply) => {
    const { userId, principal } = requireCaller(request);
    return sendCurrentUser(api, reply, { userId, sessionId: principal.id });
  });

  app.put(
    '/password',
    { config: { needs: ALSO_WITH_ONE_TIME_PASSWORD }, schema: { body: PasswordBody } },
    async (request, reply) => {
      const change = { ...request.body, from: toSessionOrigin(request) };
      return sendSession(api, guard, reply, await changePassword(api.context, requireCaller(request), change));
    },
  );

  app.get('/sessions', { config: { needs: SIGNED_IN } }, async (request, reply) =>
    reply.send({ sessions: await listSessions(api.context, requireCaller(request)) }),
  );

  app.delete('/sessions', { config: { needs: ALSO_WITH_ONE_TIME_PASSWORD } }, async (request, reply) => {
    await signOutEverywhere(api.context, requireCaller(request), toActor(request));
    guard.clearSessionCookie(reply);
    return reply.send({ success: true });
  });

  app.delete('/sessions/:id', { config: { needs: SIGNED_IN }, schema: { params: IdPath } }, async (request, reply) => {
    const id = parseNumericId(request.params.id);
    const refusal =
      id === null ? SESSION_NOT_FOUND : await endOneSession(api.context, requireCaller(request), id, toActor(request));
    return sendOutcome(reply, refusal ?? { success: true });
  });
}

/** Sends a new session. */
export async function sendSession(
  api: Api,
  guard: ConsoleGuard,
  reply: FastifyReply,
  session: NewSession | Refusal,
): Promise<FastifyReply> {
  if (isRefusal(session)) return sendRefusal(reply, session);
  guard.setSessionCookie(reply, session.secret);
  if (session.devicePass !== undefined) guard.setDeviceCookie(reply, session.devicePass);
  return sendCurrentUser(api, reply, session);
}

/** Answers with the signed-in user, or with 401 if the session has ended. */
async function sendCurrentUser(
  api: Api,
  reply: FastifyReply,
  session: Parameters<typeof describeCaller>[1],
): Promise<FastifyReply> {
  const me = await describeCaller(api.context, session);
  return me === null ? sendRefusal(reply, UNAUTHENTICATED) : reply.send({ me });
}

const ID = /^[0-9]{1,15}$/;

/** A numeric path parameter; null if it is not a number, so that the answer is 404. */
export function parseNumericId(text: string): number | null {
  return ID.test(text) ? Number(text) : null;
}

/** The address, browser and request id that are recorded with a session. */
export function toSessionOrigin({ id, ip, headers }: FastifyRequest): SessionOrigin {
  return { address: ip, agent: headers['user-agent'] ?? '', requestId: id };
}

/** The caller, in the form of the account log. */
export function toActor(request: FastifyRequest): Actor {
  const { userId, userName, principal }: Caller = requireCaller(request);
  return { origin: 'browser', userId, userName, address: request.ip, session: principal.id };
}
