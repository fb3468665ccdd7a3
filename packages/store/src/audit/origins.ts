import { type Expression, sql as raw } from 'kysely';

/**
 * Origin of edits made in the console. The API's log omits them, and they have no `api_number`. A literal, because the
 * databases then use the partial index of token names.
 */
export const BROWSER_ORIGIN = raw.lit('browser');

/**
 * Stored origin of operations on whole documents by the command line. It is shown as `operator`. The API's log omits
 * these entries, because its totals count operations by programs.
 */
export const COMMAND_ORIGIN = 'command';

export const UNLISTED_ORIGINS: readonly string[] = ['browser', COMMAND_ORIGIN];

/**
 * Whether the API lists entries of an origin. Literals, because the databases then use the partial index of unnumbered
 * entries.
 */
export function isListedOrigin(origin: Expression<string>) {
  return raw<boolean>`${origin} not in (${raw.join(UNLISTED_ORIGINS.map((one) => raw.lit(one)))})`;
}

/** The origin that is shown for a stored one. */
export function toShownOrigin(origin: string): string {
  return origin === COMMAND_ORIGIN ? 'operator' : origin;
}

/** All stored origins that are shown as `shown`. */
export function listStoredOrigins(shownOriginText: string): readonly string[] {
  return shownOriginText === 'operator' ? [shownOriginText, COMMAND_ORIGIN] : [shownOriginText];
}
