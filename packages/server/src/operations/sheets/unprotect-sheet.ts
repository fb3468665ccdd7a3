import { protectSheet as changeProtection } from '../../service/sharing/protect.ts';
import { toDocumentAction } from '../call.ts';
import { defineChange } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { SheetPath } from '../schemas/requests.ts';
import { PROTECTION_REQUIREMENTS } from './requirements.ts';

export const unprotectSheet = defineChange({
  isKeyed: true,
  id: 'unprotectSheet',
  http: { method: 'DELETE', path: '/documents/{document}/sheets/{sheet}/protection' },
  requires: PROTECTION_REQUIREMENTS,
  tag: 'Sheets',
  summary: 'Remove the protection of a sheet',
  description: 'All users with access see the values again, and may edit the sheet if their role allows it.',
  params: SheetPath,
  answers: { 200: ANSWERS.protection, ...REFUSALS },
  example: { answer: { protection: { sheet: 'Salaries', hideValues: false, lock: false, allow: [] } } },

  run: (call, { sheet }) => changeProtection(call.context, toDocumentAction(call), sheet, null),
});
