import type { Node } from '../formula/ast.ts';
import { FILE, getGrammar, type ParseNames, parse, print } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import type { LocaleId } from '../locale/index.ts';
import { type Attachment, attachmentOrigin } from '../sheet/attachment.ts';
import { type Layout, PLAIN_LAYOUT } from '../sheet/layout.ts';
import { findSheetByName, type Snapshot } from '../sheet/snapshot.ts';
import type { AttachmentData, LayoutData } from './workbook-data.ts';

export type PrintFormula = (node: Node, row: number, column: number) => string;

/** Parses the formulas of a layout. `names` must contain all sheets. */
export function parseLayout(data: LayoutData | undefined, names: ParseNames): Layout {
  if (data === undefined) return PLAIN_LAYOUT;
  return {
    ...data,
    attachments: (data.attachments ?? []).map((existingAttachmentData) =>
      parseAttachment(existingAttachmentData, names),
    ),
  };
}

/** Parses the formulas of an attachment. */
function parseAttachment({ kind, areas, formulas, texts }: AttachmentData, names: ParseNames): Attachment {
  const origin = attachmentOrigin(areas);
  return { kind, areas, texts, formulas: formulas.map((text) => parse(text, FILE, origin, names)) };
}

/** Converts a layout to plain data, with formulas as texts. */
export function toLayoutData(layout: Layout, print: PrintFormula): LayoutData {
  return { ...layout, attachments: layout.attachments.map((attachment) => toAttachmentData(attachment, print)) };
}

/** Converts an attachment to plain data, with formulas as texts. */
function toAttachmentData({ kind, areas, formulas, texts }: Attachment, print: PrintFormula): AttachmentData {
  const { row, column } = attachmentOrigin(areas);
  return { kind, areas, texts, formulas: formulas.map((node) => print(node, row, column)) };
}

/**
 * Returns the formulas of an attachment with `=` in the grammar of a locale, relative to the first row and column of
 * `areas`; by default these are its own areas.
 */
export function attachmentFormulas(
  snapshot: Snapshot,
  { areas: ownAreas, formulas }: Pick<Attachment, 'areas' | 'formulas'>,
  locale: LocaleId | null,
  areas: readonly Area[] = ownAreas,
): readonly string[] {
  const origin = attachmentOrigin(areas);
  return formulas.map((node) => print(node, getGrammar(locale), origin, createSheetNames(snapshot)));
}

/**
 * Parses a formula text in one locale and prints it in another. The text is relative to `areas`, as in
 * `attachmentFormulas`.
 */
export function canonicalFormula(
  snapshot: Snapshot,
  text: string,
  areas: readonly Area[],
  from: LocaleId | null,
  to: LocaleId | null = from,
): string {
  const origin = attachmentOrigin(areas);
  const sheetId = (name: string) => findSheetByName(snapshot.sheets, name)?.id ?? -1;
  return print(
    parse(text, getGrammar(from), origin, { findSheetId: sheetId }),
    getGrammar(to),
    origin,
    createSheetNames(snapshot),
  );
}

/** The names of a snapshot's sheets for the printer. */
function createSheetNames(snapshot: Snapshot) {
  return { getSheetName: (id: number) => snapshot.sheetById(id)?.name ?? null };
}
