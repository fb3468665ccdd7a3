import { Type } from 'typebox';
import { MAX_ALLOWED_USERS } from '../../limits/http.ts';
import { protectSheet as changeProtection } from '../../service/sharing/protect.ts';
import { toDocumentAction } from '../call.ts';
import { defineChange } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { defineBody, SheetPath } from '../schemas/requests.ts';
import { User } from '../schemas/users.ts';
import { PROTECTION_EXAMPLE } from './examples.ts';
import { PROTECTION_REQUIREMENTS } from './requirements.ts';

const ProtectionBody = defineBody({
  hideValues: Type.Optional(Type.Boolean({ description: 'Only the owner and `allow` see the sheet’s values.' })),
  lock: Type.Optional(Type.Boolean({ description: 'Only the owner and `allow` may edit, rename and delete it.' })),
  allow: Type.Optional(
    Type.Array(User, { maxItems: MAX_ALLOWED_USERS, description: 'Users with access; none by default.' }),
  ),
});

export const protectSheet = defineChange({
  isKeyed: true,
  id: 'protectSheet',
  http: { method: 'PUT', path: '/documents/{document}/sheets/{sheet}/protection' },
  requires: PROTECTION_REQUIREMENTS,
  tag: 'Sheets',
  summary: 'Hide a sheet’s values or lock it; replaces its protection',
  description:
    'Replaces the protection of the sheet. Formulas that read cells which their authors may no longer see are recalculated immediately. Only for the owner.',
  params: SheetPath,
  body: ProtectionBody,
  answers: { 200: ANSWERS.protection, ...REFUSALS },
  example: {
    request: { hideValues: true, lock: true, allow: ['ben@example.com'] },
    answer: { protection: PROTECTION_EXAMPLE },
  },

  run: (call, { sheet, hideValues = false, lock = false, allow = [] }) =>
    changeProtection(call.context, toDocumentAction(call), sheet, { hideValues, lock, allow: allow.map(String) }),
});
