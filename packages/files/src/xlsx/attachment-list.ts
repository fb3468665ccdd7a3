import type { AttachmentData } from '@cellwire/engine';
import {
  ATTACHMENT_AREA_CHARACTERS,
  ATTACHMENT_FORMULA_CHARACTERS,
  MAX_ATTACHMENT_CHARACTERS,
  MAX_ATTACHMENTS,
} from '../limits/limits.ts';

/** The attachments of cells of a sheet, within the limits. */
export class AttachmentList {
  readonly items: AttachmentData[] = [];
  private readonly spent: { attachmentCharacters: number };

  /** `spent` counts the characters of all sheets of the workbook. */
  constructor(spent: { attachmentCharacters: number }) {
    this.spent = spent;
  }

  /** Adds an attachment. Returns false if a limit is reached. */
  addAttachment(attachment: AttachmentData): boolean {
    const { areas, formulas, texts } = attachment;
    const formulaCharacters = formulas.reduce((sum, text) => sum + text.length, 0) * ATTACHMENT_FORMULA_CHARACTERS;
    let characters = formulaCharacters + areas.length * (ATTACHMENT_AREA_CHARACTERS + formulaCharacters);
    for (const text of texts) characters += text.length;
    const { spent } = this;
    if (this.items.length >= MAX_ATTACHMENTS) return false;
    if (spent.attachmentCharacters + characters > MAX_ATTACHMENT_CHARACTERS) return false;
    spent.attachmentCharacters += characters;
    this.items.push(attachment);
    return true;
  }
}
