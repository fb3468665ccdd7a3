import type { Node } from '../formula/ast.ts';
import { FILE, type ParseNames, parse } from '../formula/index.ts';
import { type Attachment, attachmentOrigin } from '../sheet/attachment.ts';
import { type Layout, PLAIN_LAYOUT } from '../sheet/layout.ts';
import type { AttachmentData, LayoutData } from './data.ts';

type PrintFormula = (node: Node, row: number, column: number) => string;

/** Parses the formulas of a layout. `names` must know all sheets. */
export function parseLayout(data: LayoutData | undefined, names: ParseNames): Layout {
  if (data === undefined) return PLAIN_LAYOUT;
  return { ...data, attachments: (data.attachments ?? []).map((held) => parseAttachment(held, names)) };
}

function parseAttachment({ kind, areas, formulas, texts }: AttachmentData, names: ParseNames): Attachment {
  const origin = attachmentOrigin(areas);
  return { kind, areas, texts, formulas: formulas.map((text) => parse(text, FILE, origin, names)) };
}

export function layoutData(layout: Layout, print: PrintFormula): LayoutData {
  return { ...layout, attachments: layout.attachments.map((held) => attachmentData(held, print)) };
}

function attachmentData({ kind, areas, formulas, texts }: Attachment, print: PrintFormula): AttachmentData {
  const { row, column } = attachmentOrigin(areas);
  return { kind, areas, texts, formulas: formulas.map((node) => print(node, row, column)) };
}
