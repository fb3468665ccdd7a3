import { Type } from 'typebox';
import { keepActionReply, withAccessRetry } from '../../service/access-retry.ts';
import { buildAuditStatements } from '../../service/history/audit-log.ts';
import { findUser } from '../../service/operator/find-user.ts';
import { isRefusal } from '../../service/refusal.ts';
import { tryChangeSharing } from '../../service/sharing/change-sharing.ts';
import { createAlreadyOwnerRefusal, createRoleChange, GIVEN_ROLES } from '../../service/sharing/share.ts';
import { toDocumentAction } from '../call.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineBody, defineChoice } from '../schemas/requests.ts';
import { User } from '../schemas/users.ts';

const Shared = Type.Object({
  shared: Type.Object({
    user: Type.Integer({ description: 'The user’s id.' }),
    role: Type.Unsafe<string>({ type: 'string', enum: ['edit', 'comment', 'view', 'none'] }),
  }),
});

export const shareDocument = defineChange({
  id: 'shareDocument',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/share' },
  requires: { scope: 'documents.write', owner: true },
  tag: 'Documents',
  summary: 'Give a user a role in a document, change the role, or end the access',
  description: 'Applies from the next request on, in every process. Only for the owner.',
  params: DocumentPath,
  body: defineBody({ user: User, role: defineChoice(GIVEN_ROLES, '`none` ends the user’s access.') }),
  answers: { 200: Shared, ...REFUSALS },
  example: {
    request: { user: 'ben@example.com', role: 'edit' },
    answer: { shared: { user: 7, role: 'edit' } },
  },

  async run(call, { user: given, role }) {
    const { context } = call;
    const action = toDocumentAction(call);
    const userText = String(given);
    const user = await findUser(context, userText);
    if (isRefusal(user)) return user;
    return withAccessRetry(context, action, async (access) => {
      const { documentId, caller, epoch } = access;
      // Only the owner passes the access check of this operation.
      if (user.id === caller.userId) return createAlreadyOwnerRefusal(userText);
      const at = context.clock();
      const answer = { shared: { user: user.id, role } };
      const extraStatements = [
        ...buildAuditStatements(access, [{ action: 'document.share', range: '', cells: 0 }], at),
        ...keepActionReply(context, action.keyed, answer, at),
      ];
      const change = { ...createRoleChange(documentId, user.id, role), extraStatements };
      const refusal = await tryChangeSharing(context, documentId, change, epoch);
      return refusal ?? { kind: 'done', body: answer };
    });
  },
});
