import { type Expression, sql as raw } from 'kysely';

/**
 * Stored origin of operations on whole documents by the command line. It is shown as `operator`. The API's log omits
 * these entries, because its totals count operations by programs.
 */
export const COMMAND_ORIGIN = 'command';

/** Origins of entries that the API's log omits, and that have no `api_number`. `browser`: edits made in the console. */
export const UNLISTED_ORIGINS: readonly string[] = ['browser', COMMAND_ORIGIN];

/**
 * Condition: the API lists entries of this origin. Contains SQL literals, so that the databases use the partial index
 * of unnumbered entries.
 */
export function isListedOrigin(origin: Expression<string>) {
  return raw<boolean>`${origin} not in (${raw.join(UNLISTED_ORIGINS.map((one) => raw.lit(one)))})`;
}

/** Returns the origin that is shown for a stored origin. */
export function toShownOrigin(origin: string): string {
  return origin === COMMAND_ORIGIN ? 'operator' : origin;
}

/** Returns all stored origins that are shown as `shownOriginText`. */
export function listStoredOrigins(shownOriginText: string): readonly string[] {
  return shownOriginText === 'operator' ? [shownOriginText, COMMAND_ORIGIN] : [shownOriginText];
}
