import { text } from 'node:stream/consumers';
import type { LeftOut } from '../left-out.ts';
import { MAX_THEME_LENGTH } from '../limits.ts';
import { isRefusal } from '../refusal.ts';
import type { Parts } from '../zip-reader.ts';
import { relationshipsPart } from './relationships.ts';
import { PLAIN_STYLE_SHEET, type StyleSheet } from './style-record.ts';

/** What a document carries from an `.xlsx` file to its export; see `WorkbookData.carried`. */
type Carried = Readonly<Record<string, string>>;

const STYLE_SHEET = 'xlsx/styles';
const THEME = 'xlsx/theme';

const PLAIN = JSON.stringify(PLAIN_STYLE_SHEET);

export function carriedStyles(sheet: StyleSheet, theme: string | undefined): Carried {
  const styles = JSON.stringify(sheet);
  return {
    ...(styles !== PLAIN && { [STYLE_SHEET]: styles }),
    ...(theme !== undefined && { [THEME]: theme }),
  };
}

export function styleSheetOf(carried: Carried | undefined): StyleSheet {
  const held = carried?.[STYLE_SHEET];
  return held === undefined ? PLAIN_STYLE_SHEET : (JSON.parse(held) as StyleSheet);
}

export function themeOf(carried: Carried | undefined): string | undefined {
  return carried?.[THEME];
}

/**
 * The text of a theme that was found to be well-formed; undefined where there is none, or one that cannot be carried:
 * it is very long, written in UTF-16, or has pictures of its own.
 */
export async function readTheme(parts: Parts, name: string | undefined, leftOut: LeftOut): Promise<string | undefined> {
  if (name === undefined || !parts.has(name)) return undefined;
  const isShort = parts.size(name) <= MAX_THEME_LENGTH;
  const source = isShort && !parts.has(relationshipsPart(name)) ? await parts.read(name) : null;
  const theme = source === null || isRefusal(source) ? '' : await text(source);
  if (theme.trimStart().startsWith('<')) return theme.replace(/^\s*<\?xml[^>]*>\s*/, '');
  leftOut.add('themes');
  return undefined;
}
