import type { LocaleId, Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { INPUT_LOCALES, type InputLocale } from '../../access/input-locale.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';

/** Parses the name of an input locale; null: not specified. */
export function parseInputLocale(name: string | undefined): InputLocale | Refusal | null {
  if (name === undefined) return null;
  const found = INPUT_LOCALES.find((one) => one === name);
  return found ?? invalidRequest('inputLocale', `inputLocale must be one of ${INPUT_LOCALES.join(', ')}`);
}

/** The input locale of a request: its own, else its token's, else the document's; null: the API's grammar. */
export function resolveInputLocale(
  requested: InputLocale | null,
  { caller, inputLocale }: DocumentAccess,
  { settings }: Snapshot,
): LocaleId | null {
  const chosen = requested ?? caller.inputLocale ?? inputLocale;
  return chosen === 'document' ? settings.locale : chosen;
}
