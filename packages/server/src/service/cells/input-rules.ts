import { randomUUID } from 'node:crypto';
import { areaText, contains, type Edit, findSheetByName, parseArea, type Snapshot } from '@cellwire/engine';
import { type InputRule, readInputRule, SHOWN_RULES } from '@cellwire/files';
import type { DocumentAccess } from '../../access/access.ts';
import type { ReadBlock } from '../../documents/preview.ts';
import { MAX_LISTED_VALUES } from '../../limits/display.ts';
import type { ServiceContext } from '../context.ts';
import { openTable } from '../open-table.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { INVALID_RANGE, isRefusal, type Refusal, SHEET_NOT_FOUND, VALUES_HIDDEN } from '../refusal.ts';
import { toAuthor } from '../write.ts';
import { listAttachments, readsHiddenSheet, toAttachmentData, toConditionLocale } from './format-rules.ts';

/** What the validation rule of a cell says about an input. */
interface InputVerdict {
  /** `accept`: the input is valid, or the rule does not check it. */
  readonly verdict: 'accept' | 'warn' | 'refuse';
  /** The rule's own text for wrong input; empty for none. */
  readonly message: string;
}

/** A cell with its validation rule. The rule's formulas are relative to the cell. */
interface RuledCell {
  readonly snapshot: Snapshot;
  readonly sheet: SnapshotSheet;
  readonly row: number;
  readonly column: number;
  readonly rule: InputRule | null;
}

/** The distinct values that the validation rule of a cell lists; empty if it lists none. */
export async function readListedValues(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  cell: string,
): Promise<readonly (string | number | boolean)[] | Refusal> {
  const found = await openRuledCell(context, access, name, cell);
  if (isRefusal(found)) return found;
  const list = found.rule?.list ?? null;
  if (list === null || readsHiddenSheet(found.snapshot, access, list)) return [];
  const block = await calculateFormula(context, access, found.sheet.id, [], `TOCOL(${list},1)`);
  const values = (block?.cells ?? []).flatMap(([value]) =>
    value === null || value === undefined || typeof value === 'object' ? [] : [value],
  );
  return [...new Set(values)];
}

/** Checks an input against the validation rule of its cell. Nothing is written. */
export async function checkInput(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  { cell, input }: { readonly cell: string; readonly input: string | number | boolean | null },
): Promise<InputVerdict | Refusal> {
  const found = await openRuledCell(context, access, name, cell);
  if (isRefusal(found)) return found;
  const { snapshot, sheet, row, column, rule } = found;
  const accepted = { verdict: 'accept', message: '' } as const;
  if (rule === null || rule.test === null || rule.onWrong === 'accept' || input === null || input === '')
    return accepted;
  if (readsHiddenSheet(snapshot, access, rule.test)) return accepted;
  const { locale } = snapshot.settings;
  const entered: Edit = { kind: 'setValues', sheet: sheet.id, row, column, values: [[input]], mode: 'user', locale };
  const block = await calculateFormula(context, access, sheet.id, [entered], `IFERROR(IF(${rule.test},1,0),0)`);
  const result = block?.cells[0]?.[0];
  return result === 0 ? { verdict: rule.onWrong, message: rule.message } : accepted;
}

/**
 * Calculates a formula on a temporary sheet in place of the sheet with the id `standsFor`, after edits that are not
 * kept. Null if the document does not exist or the calculation is refused.
 */
async function calculateFormula(
  context: ServiceContext,
  access: DocumentAccess,
  standsFor: number,
  edits: readonly Edit[],
  formula: string,
): Promise<ReadBlock | null> {
  const document = await context.documents.open(access.documentId, access.caller.userId);
  if (document === null) return null;
  const outcome = await document.write<never, ReadBlock | null>(
    ({ nextSheetId: sheet }) => ({
      kind: 'trial',
      edits: [
        ...edits,
        { kind: 'addSheet', name: randomUUID(), standsFor },
        { kind: 'setValues', sheet, row: 0, column: 0, values: [[`=${formula}`]], mode: 'user', locale: 'en-US' },
      ],
      author: toAuthor(access.caller),
      read: { sheet, top: 0, maxCells: MAX_LISTED_VALUES, maxCharacters: MAX_LIST_CHARACTERS },
      show: ({ block }) => block,
    }),
    { user: access.caller.userId, bytes: 0 },
  );
  return outcome.kind === 'declined' ? outcome.reason : null;
}

/** Maximum UTF-16 units of all values of a list. */
const MAX_LIST_CHARACTERS = 100_000;

/**
 * A cell with its sheet and its input rule, which is null if it has none; refused if the caller may not see the cell.
 */
async function openRuledCell(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  cell: string,
): Promise<RuledCell | Refusal> {
  const area = parseArea(cell);
  if (area === null) return INVALID_RANGE;
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const sheet = findSheetByName(snapshot.sheets, name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  if (access.hiddenSheets.has(sheet.id)) return VALUES_HIDDEN;
  const { top: row, left: column } = area;
  const at = { top: row, left: column, bottom: row, right: column };
  const attachment = listAttachments(sheet, SHOWN_RULES.validations).findLast(({ areas }) =>
    areas.some((one) => contains(one, row, column)),
  );
  const rule =
    attachment === undefined
      ? null
      : readInputRule(toAttachmentData(snapshot, attachment, [at]), areaText(at), toConditionLocale(snapshot));
  return { snapshot, sheet, row, column, rule };
}
