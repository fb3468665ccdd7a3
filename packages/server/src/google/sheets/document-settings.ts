import { LOCALE_IDS, type LocaleId } from '@cellwire/engine';
import { createInvalidProblem } from '../problem.ts';

/** The service's locale for Google's locale name. Throws if it is not supported. */
export function parseLocaleName(name: string): LocaleId {
  const tag = name.replace('_', '-');
  const found = LOCALE_IDS.find((id) => id === tag) ?? LOCALE_IDS.find((id) => id.startsWith(`${tag}-`));
  if (found === undefined) throw createInvalidProblem(`Unsupported locale: ${name.slice(0, 50)}`);
  return found;
}

/** An IANA time zone name. Throws if it is unknown. */
export function parseTimeZone(name: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    throw createInvalidProblem(`Invalid time zone: ${name.slice(0, 50)}`);
  }
}
