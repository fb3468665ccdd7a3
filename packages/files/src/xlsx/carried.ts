import { text } from 'node:stream/consumers';
import type { Parts } from '../archive/zip-reader.ts';
import { MAX_THEME_LENGTH } from '../limits/limits.ts';
import type { LeftOut } from '../outcome/left-out.ts';
import { isRefusal } from '../outcome/refusal.ts';
import type { ListedNames } from './defined-names.ts';
import { linksIn } from './parts/links.ts';
import type { Relationship } from './relationships.ts';
import { transitional } from './strict.ts';
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

/** A sheet that holds no cells, such as a chart. */
export interface OtherSheet {
  readonly name: string;
  readonly hidden: boolean;
  /** Its place among all sheets, from 0. */
  readonly place: number;
  /** It is shown first. */
  readonly isActive?: true;
  readonly link: Relationship;
}

/** What a workbook has beside its sheets of cells. */
export interface CarriedBook {
  /** Whole elements of its part, by name. */
  readonly elements: Readonly<Record<string, string>>;
  /** Attributes of others, as text, by the element's name; absent in what earlier versions stored. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Its own names that are more than a formula, likewise. */
  readonly names?: ListedNames;
  /** What its part leads to, and the package. */
  readonly links: readonly Relationship[];
  readonly packageLinks: readonly Relationship[];
  readonly sheets: readonly OtherSheet[];
  /** The program that the file says it comes from; absent: it says none, or earlier versions stored this. */
  readonly application?: string;
}

const BOOK = 'xlsx/workbook';
const PLAIN_BOOK: CarriedBook = { elements: {}, links: [], packageLinks: [], sheets: [] };

export function carriedBook(book: CarriedBook): Carried {
  const isPlain = Object.values(book).every((held) => Object.keys(held).length === 0);
  return isPlain ? {} : { [BOOK]: JSON.stringify(book) };
}

export function bookOf(carried: Carried | undefined): CarriedBook {
  const held = carried?.[BOOK];
  return held === undefined ? PLAIN_BOOK : (JSON.parse(held) as CarriedBook);
}

/** How many other workbooks the formulas of an export can name: by their place in this list, from 1. */
export function externalBooks(carried: Carried): number {
  return linksIn(bookOf(carried).elements['externalReferences'] ?? '').length;
}

export function themeOf(carried: Carried | undefined): string | undefined {
  return carried?.[THEME];
}

/** A fill by a picture, which no cell has; it is the theme's own part. */
const PICTURE_FILL = /<(\w+:)?blipFill\b[\s\S]{0,2000}?<\/\1blipFill>/g;
const PLAIN_FILL = '<$1solidFill><$1schemeClr val="phClr"/></$1solidFill>';
/** An attribute that names another part. */
const LEADS_ON = /\s\w+:(?:embed|link|id)="[^"]/;

/**
 * The text of a theme that was found to be well-formed, without its pictures; undefined where there is none, or one that
 * cannot be carried: it is very long, written in UTF-16, or has parts of its own beside pictures.
 */
export async function readTheme(parts: Parts, name: string | undefined, leftOut: LeftOut): Promise<string | undefined> {
  if (name === undefined || !parts.has(name)) return undefined;
  const isShort = parts.size(name) <= MAX_THEME_LENGTH;
  const source = isShort ? await parts.read(name) : null;
  const theme = source === null || isRefusal(source) ? '' : await text(source);
  const plain = theme.replace(PICTURE_FILL, PLAIN_FILL);
  if (plain.trimStart().startsWith('<') && !LEADS_ON.test(plain)) {
    leftOut.add('pictures', theme.match(PICTURE_FILL)?.length ?? 0);
    return transitional(plain).replace(/^\s*<\?xml[^>]*>\s*/, '');
  }
  leftOut.add('themes');
  return undefined;
}
