import { text } from 'node:stream/consumers';
import type { PackageParts } from '../archive/package-parts.ts';
import { MAX_THEME_LENGTH } from '../limits/limits.ts';
import type { LeftOut } from '../outcome/left-out.ts';
import { isRefusal } from '../outcome/refusal.ts';
import type { NameAttributes } from './defined-names.ts';
import { findRelationshipIds } from './parts/part-links.ts';
import type { Relationship } from './relationships.ts';
import { toTransitionalXml } from './strict.ts';
import { PLAIN_STYLE_SHEET, type StyleSheet } from './styles/style-record.ts';

/** Data of an `.xlsx` file that a document preserves for its export; see `WorkbookData.carried`. */
type PreservedData = Readonly<Record<string, string>>;

const STYLE_SHEET = 'xlsx/styles';
const THEME = 'xlsx/theme';

const PLAIN = JSON.stringify(PLAIN_STYLE_SHEET);

/** The styles and the theme of a file in the form in which the document keeps them. */
export function preserveStyles(sheet: StyleSheet, theme: string | undefined): PreservedData {
  const styles = JSON.stringify(sheet);
  return {
    ...(styles !== PLAIN && { [STYLE_SHEET]: styles }),
    ...(theme !== undefined && { [THEME]: theme }),
  };
}

export function readPreservedStyleSheet(carried: PreservedData | undefined): StyleSheet {
  const text = carried?.[STYLE_SHEET];
  return text === undefined ? PLAIN_STYLE_SHEET : (JSON.parse(text) as StyleSheet);
}

/** A sheet without cells, such as a chart. */
export interface OtherSheet {
  readonly name: string;
  readonly hidden: boolean;
  /** Position among all sheets, from 0. */
  readonly place: number;
  /** Present if the sheet is shown first. */
  readonly isActive?: true;
  readonly link: Relationship;
}

/** Data of a workbook other than its sheets with cells. */
export interface PreservedWorkbook {
  /** Preserved elements of the workbook part, by name. */
  readonly elements: Readonly<Record<string, string>>;
  /** Attributes of other elements, as text, by element name; absent in data of earlier versions. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Attributes of workbook-wide defined names; absent in data of earlier versions. */
  readonly names?: NameAttributes;
  /** Relationships of the workbook part, and of the package. */
  readonly links: readonly Relationship[];
  readonly packageLinks: readonly Relationship[];
  readonly sheets: readonly OtherSheet[];
  /** The program that wrote the file; absent if unknown, or in data of earlier versions. */
  readonly application?: string;
}

const BOOK = 'xlsx/workbook';
const PLAIN_BOOK: PreservedWorkbook = { elements: {}, links: [], packageLinks: [], sheets: [] };

export function preserveWorkbook(book: PreservedWorkbook): PreservedData {
  const isPlain = Object.values(book).every((part) => Object.keys(part).length === 0);
  return isPlain ? {} : { [BOOK]: JSON.stringify(book) };
}

export function readPreservedWorkbook(carried: PreservedData | undefined): PreservedWorkbook {
  const text = carried?.[BOOK];
  return text === undefined ? PLAIN_BOOK : (JSON.parse(text) as PreservedWorkbook);
}

/** Number of other workbooks that formulas of an export can reference, by position in this list, from 1. */
export function countExternalWorkbooks(carried: PreservedData): number {
  return findRelationshipIds(readPreservedWorkbook(carried).elements['externalReferences'] ?? '').length;
}

export function readPreservedTheme(carried: PreservedData | undefined): string | undefined {
  return carried?.[THEME];
}

/** Matches a picture fill in a theme, which references a separate part. Cells never use it. */
const PICTURE_FILL = /<(\w+:)?blipFill\b[\s\S]{0,2000}?<\/\1blipFill>/g;
const PLAIN_FILL = '<$1solidFill><$1schemeClr val="phClr"/></$1solidFill>';
/** Matches an attribute that references another part. */
const PART_REFERENCE = /\s\w+:(?:embed|link|id)="[^"]/;

/**
 * Reads a well-formed theme without its pictures. Undefined if there is none, or if it cannot be preserved because it
 * is too long, is in UTF-16, or references parts other than pictures.
 */
export async function readTheme(
  parts: PackageParts,
  name: string | undefined,
  leftOut: LeftOut,
): Promise<string | undefined> {
  if (name === undefined || !parts.has(name)) return undefined;
  const isShort = parts.size(name) <= MAX_THEME_LENGTH;
  const source = isShort ? await parts.read(name) : null;
  const theme = source === null || isRefusal(source) ? '' : await text(source);
  const plain = theme.replace(PICTURE_FILL, PLAIN_FILL);
  if (plain.trimStart().startsWith('<') && !PART_REFERENCE.test(plain)) {
    leftOut.addItem('pictures', theme.match(PICTURE_FILL)?.length ?? 0);
    return toTransitionalXml(plain).replace(/^\s*<\?xml[^>]*>\s*/, '');
  }
  leftOut.addItem('themes');
  return undefined;
}
