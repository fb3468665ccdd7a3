import type { LocaleId, Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { INPUT_LOCALES, type InputLocale } from '../../access/input-locale.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';

/** An input locale by its name; null: none is named. */
export function inputLocaleNamed(given: string | undefined): InputLocale | Refusal | null {
  if (given === undefined) return null;
  const found = INPUT_LOCALES.find((one) => one === given);
  return found ?? invalidRequest('inputLocale', `inputLocale must be one of ${INPUT_LOCALES.join(', ')}`);
}

/** What holds for a request: what it says itself, then its token's, then the document's; null: the API's own grammar. */
export function inputLocaleOf(
  sent: InputLocale | null,
  { caller, inputLocale }: DocumentAccess,
  { settings }: Snapshot,
): LocaleId | null {
  const chosen = sent ?? caller.inputLocale ?? inputLocale;
  return chosen === 'document' ? settings.locale : chosen;
}
