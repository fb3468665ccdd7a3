import {
  type Area,
  attachmentFormulas,
  canonicalFormula,
  type Edit,
  type NewAttachment,
  type Sheet,
  type Snapshot,
} from '@cellwire/engine';
import { listStoredFormulas, mapStoredFormulas } from '@cellwire/files';
import { FILE_KINDS, listFileValidations, toFormatRules, toValidationRule } from './file-rules.ts';
import { KINDS, listAttachments, type StoredObject } from './state.ts';

/** Stored objects whose conditions can contain formulas. The formulas belong to the attachment and follow its cells. */

type StoredRule = ReturnType<typeof listAttachments>[number];

/** The rules of one kind of a sheet, in order. Formulas are in the document's locale. */
export function readStoredRules(snapshot: Snapshot, sheet: Sheet, kind: string): readonly StoredObject[] {
  return listAttachments(sheet, kind).map((attachment) => readStoredRule(snapshot, attachment));
}

/**
 * A rule with its formulas as in the first cell of `areas`, by default its own. A formula that still means what was sent
 * is returned as it was sent.
 */
export function readStoredRule(
  snapshot: Snapshot,
  storedRule: StoredRule,
  areas: readonly Area[] = storedRule.areas,
): StoredObject {
  const [key = '', json = '{}'] = storedRule.texts;
  const value = JSON.parse(json) as StoredObject['value'];
  if (storedRule.formulas.length === 0) return { key, value, areas };
  const { locale } = snapshot.settings;
  const formulas = attachmentFormulas(snapshot, storedRule, locale, areas);
  const shown = mapStoredFormulas(value, (sent, i) => {
    const formula = formulas[i];
    if (formula === undefined) return sent;
    return canonicalFormula(snapshot, sent, areas, locale) === formula ? sent : formula;
  });
  return { key, value: shown, areas };
}

/** The validation rules of a sheet, including rules of its imported file. */
export function readValidationRules(snapshot: Snapshot, sheet: Sheet): readonly StoredObject[] {
  const stored = readStoredRules(snapshot, sheet, KINDS.validation);
  const ofFile = listFileValidations(sheet).flatMap((attachment) => {
    const value = toValidationRule(snapshot, attachment);
    return value === null ? [] : [{ key: '', value: value as StoredObject['value'], areas: attachment.areas }];
  });
  return [...ofFile, ...stored];
}

/** The conditional formats of a sheet in order: first rules of its imported file that Google supports, then the others. */
export function readFormatRules(snapshot: Snapshot, sheet: Sheet): readonly StoredObject[] {
  const ofFile = listAttachments(sheet, FILE_KINDS.conditionalFormat).flatMap((attachment) =>
    (toFormatRules(snapshot, attachment) ?? []).map((rule) => ({ ...rule, key: '', areas: attachment.areas })),
  );
  ofFile.sort((a, b) => a.priority - b.priority);
  return [
    ...ofFile.map(({ key, value, areas }) => ({ key, value, areas })),
    ...readStoredRules(snapshot, sheet, KINDS.conditionalFormat),
  ];
}

/** The edits that replace the conditional formats of a sheet. Rules of its file that Google does not have stay. */
export function replaceFormatRules(
  snapshot: Snapshot,
  sheet: Sheet,
  rules: readonly Pick<StoredObject, 'areas' | 'value'>[],
): readonly Edit[] {
  const attachments = rules.map(({ areas, value }) => toRuleAttachment('', areas, value));
  const stored = replaceRules(snapshot, sheet.id, KINDS.conditionalFormat, null, attachments);
  const ofFile = listAttachments(sheet, FILE_KINDS.conditionalFormat);
  if (ofFile.length === 0) return [stored];
  const kept = ofFile.filter((attachment) => toFormatRules(snapshot, attachment) === null);
  const others = kept.map((attachment) => toPartialAttachment(snapshot, attachment, attachment.areas));
  return [replaceRules(snapshot, sheet.id, FILE_KINDS.conditionalFormat, null, others), stored];
}

/** A stored rule for a part of its cells. Its formulas mean the same for them as before. */
function toPartialAttachment(snapshot: Snapshot, storedRule: StoredRule, areas: readonly Area[]): NewAttachment {
  const { locale } = snapshot.settings;
  return { areas, texts: storedRule.texts, formulas: attachmentFormulas(snapshot, storedRule, locale, areas) };
}

/** The attachment that stores a rule. */
export function toRuleAttachment(key: string, areas: readonly Area[], value: object): NewAttachment {
  const formulas = listStoredFormulas(value);
  return { areas, texts: [key, JSON.stringify(value)], ...(formulas.length > 0 && { formulas }) };
}

/** The edit that replaces all rules of one kind with a key; null: with any key. */
export function replaceRules(
  { settings: { locale } }: Snapshot,
  sheet: number,
  attachment: string,
  key: string | null,
  attachments: readonly NewAttachment[],
): Edit {
  return { kind: 'attach', sheet, attachment, key, within: null, attachments, locale };
}
