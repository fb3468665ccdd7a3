import { type Grammar, getGrammar, print } from '../../formula/index.ts';
import { EMPTY, FORMULA, SPILLED } from '../../sheet/cell-kind.ts';
import type { Sheet } from '../../sheet/snapshot.ts';
import { foldCase } from '../../value/fold.ts';
import type { Batch } from '../batch.ts';
import { checkLength } from '../check.ts';
import { enterInput } from '../enter-input.ts';
import { clipToFilled } from '../entered-cells.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

/** Replaces literal texts in cells. A cell whose text becomes empty is cleared. Counts the cells that changed. */
export function replaceTexts(batch: Batch, edit: EditOfKind<'replace'>): EditResult {
  const { sheet: id, area, formulas, locale = null } = edit;
  const within = clipToFilled(batch, edit);
  if (within === null) return { sheet: id, area, cells: 0 };
  const sheet = batch.draft.requireSheet(id);
  const grammar = getGrammar(locale);
  const replace = createReplacer(edit);
  let cells = 0;
  for (let column = within.left; column <= within.right; column++) {
    for (let row = within.top; row <= within.bottom; row++) {
      batch.meter.pass(1);
      const text = readSearchedText(batch, sheet, { row, column }, formulas, grammar);
      const next = text === null ? null : replace(text);
      if (next === null || next === text) continue;
      const isText = typeof sheet.value(row, column) === 'string' && (sheet.kind(row, column) & FORMULA) === 0;
      const refusal = batch.refusal ?? checkLength(next, !isText && next.startsWith('='), batch.textLimits);
      if (refusal !== null) return refusal;
      enterInput(batch, id, row, column, next, { mode: isText ? 'raw' : 'user', locale });
      cells++;
    }
  }
  return { sheet: id, area, cells };
}

/** The text that is searched: a text, a number, or a formula's text if `formulas`; null for other cells. */
function readSearchedText(
  { draft }: Batch,
  sheet: Sheet,
  { row, column }: { readonly row: number; readonly column: number },
  formulas: boolean,
  grammar: Grammar,
): string | null {
  const kind = sheet.kind(row, column);
  if (kind === EMPTY || (kind & SPILLED) !== 0) return null;
  if ((kind & FORMULA) !== 0) {
    const run = formulas ? sheet.run(row, column) : undefined;
    const names = { sheetName: (id: number) => draft.sheet(id)?.name ?? null };
    return run ? print(run.template.node, grammar, { row, column }, names) : null;
  }
  const value = sheet.value(row, column);
  if (typeof value === 'number') return String(value).replace('.', grammar.decimal);
  return typeof value === 'string' ? value : null;
}

type TextReplacement = Pick<EditOfKind<'replace'>, 'find' | 'with' | 'matchCase' | 'entireCell'>;

/** Returns a text with its replacements; the same text if it has none. */
function createReplacer({ find, with: replacement, matchCase, entireCell }: TextReplacement): (text: string) => string {
  if (entireCell) {
    const folded = foldCase(find);
    return (text) => ((matchCase ? text === find : foldCase(text) === folded) ? replacement : text);
  }
  if (matchCase) return (text) => text.replaceAll(find, () => replacement);
  const pattern = new RegExp(find.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu');
  return (text) => text.replace(pattern, () => replacement);
}
