import type { DateSystem } from '../locale/date-system.ts';
import { composeText, foldName } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import type { ColumnTypes } from './cell-values.ts';
import { formatIsoDate, formatTime, type MomentKind, parseMoment, roundToMoment } from './dates.ts';

/** The columns of a key by index in the region, and the rules for comparing texts. */
export interface KeyColumns {
  readonly at: readonly number[];
  readonly types: ColumnTypes;
  readonly caseSensitive: boolean;
}

/** A part of a key, and the kind of moment that its number represents. */
export interface KeyValue {
  readonly scalar: Scalar;
  readonly moment: MomentKind | null;
}

/** Rules for comparing the key parts of one column. */
export interface PartRules {
  /** True if the request set a type for the column. A text is then never equal to a number or moment. */
  readonly isTyped: boolean;
  readonly caseSensitive: boolean;
  readonly system: DateSystem;
}

/**
 * Returns a text that is equal only for equal keys. Each text part contains its length, so that no content can imitate
 * another part.
 */
export function keyText(values: readonly KeyValue[], rules: readonly PartRules[]): string {
  let text = '';
  for (let i = 0; i < values.length; i++) {
    const part = formatKeyPart(values[i]!, rules[i]!);
    text = i === 0 ? part : `${text},${part}`;
  }
  return text;
}

/** Returns the rules for the columns of a key, in their order. */
export function createPartRules({ at, types, caseSensitive }: KeyColumns, system: DateSystem): readonly PartRules[] {
  return at.map((column) => ({ isTyped: types.has(column), caseSensitive, system }));
}

/**
 * Returns the text of a key part. If a text has the canonical form of a number or moment, it has the same key text as
 * that number or moment.
 */
function formatKeyPart({ scalar, moment }: KeyValue, rules: PartRules): string {
  if (typeof scalar === 'number') return moment === null ? `n${scalar + 0}` : `${moment}${roundToMoment(scalar)}`;
  if (typeof scalar !== 'string') return isError(scalar) ? `e${scalar.code}` : `${typeof scalar}${scalar}`;
  const other = rules.isTyped ? null : findAlternativeSpelling({ scalar, moment: null }, rules.system);
  if (other === null) return formatTextPart(rules.caseSensitive ? composeText(scalar) : foldName(scalar));
  return formatKeyPart(other, rules);
}

/**
 * Returns the number or moment of a canonical text, or the canonical text of a number or moment; null if there is none.
 */
export function findAlternativeSpelling({ scalar, moment }: KeyValue, system: DateSystem): KeyValue | null {
  if (typeof scalar === 'number') {
    const text =
      moment === null ? String(scalar + 0) : moment === 'date' ? formatIsoDate(scalar, system) : formatTime(scalar);
    return text === null || text.includes('e') ? null : { scalar: text, moment: null };
  }
  if (typeof scalar !== 'string' || !MAY_SPELL_NUMBER.test(scalar)) return null;
  const number = Number(scalar);
  if (String(number) === scalar && !scalar.includes('e')) return { scalar: number, moment: null };
  const textMoment = parseMoment(scalar, system);
  if (textMoment === null) return null;
  const otherValue = { scalar: textMoment.serial, moment: textMoment.kind };
  return findAlternativeSpelling(otherValue, system)?.scalar === scalar ? otherValue : null;
}

const MAY_SPELL_NUMBER = /^-?\d/;

/** The key text of a text: its length and its characters. */
function formatTextPart(text: string): string {
  return `t${text.length}:${text}`;
}
