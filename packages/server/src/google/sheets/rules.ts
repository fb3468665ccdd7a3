import {
  type Area,
  attachmentFormulas,
  canonicalFormula,
  type Edit,
  type NewAttachment,
  type Sheet,
  type Snapshot,
} from '@cellwire/engine';
import { mapStoredFormulas, storedFormulas } from '@cellwire/files';
import { attachmentsOf, type StoredObject } from './state.ts';

/** Stored objects whose conditions can contain formulas. The formulas belong to the attachment and follow its cells. */

type HeldRule = ReturnType<typeof attachmentsOf>[number];

/** The rules of one kind of a sheet, in order. Formulas are in the document's locale. */
export function rulesOf(snapshot: Snapshot, sheet: Sheet, kind: string): readonly StoredObject[] {
  return attachmentsOf(sheet, kind).map((held) => ruleOf(snapshot, held));
}

/**
 * A rule with its formulas as in the first cell of `areas`, by default its own. A formula that still means what was sent
 * is returned as it was sent.
 */
export function ruleOf(snapshot: Snapshot, held: HeldRule, areas: readonly Area[] = held.areas): StoredObject {
  const [key = '', json = '{}'] = held.texts;
  const value = JSON.parse(json) as StoredObject['value'];
  if (held.formulas.length === 0) return { key, value, areas };
  const { locale } = snapshot.settings;
  const formulas = attachmentFormulas(snapshot, held, locale, areas);
  const shown = mapStoredFormulas(value, (sent, i) => {
    const formula = formulas[i];
    if (formula === undefined) return sent;
    return canonicalFormula(snapshot, sent, locale, areas) === formula ? sent : formula;
  });
  return { key, value: shown, areas };
}

/** The attachment that stores a rule. */
export function ruleAttachment(key: string, areas: readonly Area[], value: object): NewAttachment {
  const formulas = storedFormulas(value);
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
