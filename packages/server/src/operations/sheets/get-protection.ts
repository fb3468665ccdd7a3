import { isRefusal } from '../../service/refusal.ts';
import { readProtection } from '../../service/sharing/protect.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { SheetPath } from '../schemas/requests.ts';
import { PROTECTION_EXAMPLE } from './examples.ts';

export const getProtection = defineRead({
  id: 'getProtection',
  http: { method: 'GET', path: '/documents/{document}/sheets/{sheet}/protection' },
  requires: { scope: 'sheets.read' },
  tag: 'Sheets',
  summary: 'Read who may see and edit a sheet',
  description:
    'Available to every user who may open the document. Users other than the owner see only their own id in `allow`.',
  params: SheetPath,
  answers: { 200: ANSWERS.protection, ...REFUSALS },
  example: { answer: { protection: PROTECTION_EXAMPLE } },

  async run({ context, document }, { sheet }) {
    const protection = await readProtection(context, document, sheet);
    return isRefusal(protection) ? protection : toJsonContent({ protection });
  },
});
