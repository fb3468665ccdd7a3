import { fits } from '../../service/inputs.ts';
import { sheetFinder } from '../../service/ranges.ts';
import { isRefusal } from '../../service/refusal.ts';
import { write } from '../../service/write.ts';
import { writeOf } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { cellsBody, INPUT_OPTIONS, Matrix, RangePath, WriteQuery } from '../schemas/requests.ts';
import { editable, enteringOf, noteOf, oneMatrix, onlyWritten, placeOf, settingAt } from './blocks.ts';
import { WRITTEN_EXAMPLE } from './examples.ts';
import { inputOptions, WRITES_VALUES } from './input-options.ts';

/** The size of the range is ignored: the shape of `values` decides which cells are written (contract, write rule 1). */
export const putValues = defineWrite({
  id: 'putValues',
  http: { method: 'PUT', path: '/documents/{document}/values/{range}' },
  requires: WRITES_VALUES,
  tag: 'Values',
  summary: 'Write a block of values from a cell on',
  description:
    'Writes a matrix from the range’s top left cell on. `null` leaves a cell as it is, `""` clears it. Formulas that depend on it are calculated before the answer.',
  params: RangePath,
  query: WriteQuery,
  body: cellsBody({ values: Matrix, ...INPUT_OPTIONS }),
  answers: { 200: ANSWERS.written, ...REFUSALS },
  example: {
    request: { values: [['A-1013', '=C2*D2']] },
    answer: { updated: { sheet: 'Orders', ...WRITTEN_EXAMPLE } },
  },

  async run(call, { range, values, ...options }) {
    const input = inputOptions(options);
    const read = oneMatrix(call.context, values, input);
    const rows = read instanceof Promise ? await read : read;
    if (isRefusal(rows)) return rows;
    return write(call.context, writeOf(call), (head, access) => {
      const target = editable(sheetFinder(head.sheets), access, range, (area) => fits(area.top, area.left, rows));
      if (isRefusal(target)) return target;
      return {
        edits: [settingAt(target, rows, enteringOf(input, access, head.snapshot))],
        target: placeOf(target),
        describe: (done) => {
          const written = onlyWritten(done);
          return { body: { updated: written }, notes: [noteOf('update', written)] };
        },
      };
    });
  },
});
