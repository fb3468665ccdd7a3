import { areaText } from '@cellwire/engine';
import { sheetFinder, withSheet } from '../../service/ranges.ts';
import { isRefusal } from '../../service/refusal.ts';
import { write } from '../../service/write.ts';
import { writeOf } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { body, DocumentPath, RangeText, WRITE_CONDITIONS, WriteQuery } from '../schemas/requests.ts';
import { editable, firstOutcome, placeOf } from './blocks.ts';
import { WRITES_VALUES } from './input-options.ts';

export const clearValues = defineWrite({
  id: 'clearValues',
  http: { method: 'POST', path: '/documents/{document}/values/clear' },
  requires: WRITES_VALUES,
  tag: 'Values',
  summary: 'Clear the filled cells of a range',
  description: 'Removes values and formulas; formats stay. `cells` counts those that were filled.',
  params: DocumentPath,
  query: WriteQuery,
  body: body({ range: RangeText, ...WRITE_CONDITIONS }),
  answers: { 200: ANSWERS.cleared, ...REFUSALS },
  example: { request: { range: 'Orders!J:J' }, answer: { updated: { sheet: 'Orders', cells: 2 } } },

  run: (call, { range }) =>
    write(call.context, writeOf(call), (head, access) => {
      const target = editable(sheetFinder(head.sheets), access, range, () => true);
      if (isRefusal(target)) return target;
      const { sheet, area } = target;
      return {
        target: placeOf(target),
        edits: [{ kind: 'clear', sheet: sheet.id, area }],
        describe: (done) => {
          const { cells } = firstOutcome(done);
          return {
            body: { updated: { sheet: sheet.name, cells } },
            notes: [{ action: 'clear', range: withSheet(sheet.name, areaText(area)), cells }],
          };
        },
      };
    }),
});
