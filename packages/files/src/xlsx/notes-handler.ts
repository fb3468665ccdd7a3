import type { AttachmentData } from '@cellwire/engine';
import type { PackageParts } from '../archive/package-parts.ts';
import { findAttribute, readXml, type XmlAttributes, type XmlHandler } from '../archive/xml.ts';
import { MAX_ATTACHMENT_LENGTH } from '../limits/limits.ts';
import type { LeftOut } from '../outcome/left-out.ts';
import { type FileRefusal, isRefusal } from '../outcome/refusal.ts';
import type { AttachmentList } from './attachment-list.ts';
import { parseAreaList } from './attachments-handler.ts';
import type { Relationship } from './relationships.ts';
import { unescapeText } from './text.ts';
import { XmlCopy } from './xml-copy.ts';

/** Kind of attachments with notes. Texts: the author, the `text` element, the shape, the unique id. */
export const NOTE = 'note';

/** Adds the notes of a sheet to its attachments, each with the shape that shows it. */
export async function readNotes(
  parts: PackageParts,
  relationships: readonly Relationship[],
  list: AttachmentList,
  leftOut: LeftOut,
): Promise<FileRefusal | null> {
  const listTargets = (kind: string) =>
    relationships.filter((one) => one.kind === kind && !one.isExternal && parts.has(one.target));
  const shapes = new ShapesHandler();
  for (const { target } of listTargets('vmlDrawing')) {
    const source = await parts.read(target);
    if (isRefusal(source)) return source;
    // Some programs write malformed shapes. Notes then get default shapes.
    await readXml(target, source, shapes);
  }
  for (const { target } of listTargets('comments')) {
    const notes = new NotesHandler(shapes.notes, list, leftOut);
    const refusal = await readXml(target, await parts.read(target), notes);
    if (refusal) return refusal;
  }
  return null;
}

/** Reads `xl/commentsN.xml`: the notes of a sheet. */
class NotesHandler implements XmlHandler {
  private readonly shapes: ReadonlyMap<string, string>;
  private readonly list: AttachmentList;
  private readonly leftOut: LeftOut;
  private readonly authors: string[] = [];
  private author: string | null = null;
  private note: XmlAttributes | null = null;
  private copy: XmlCopy | null = null;
  private body: XmlCopy | null = null;

  constructor(shapes: ReadonlyMap<string, string>, list: AttachmentList, leftOut: LeftOut) {
    this.shapes = shapes;
    this.list = list;
    this.leftOut = leftOut;
  }

  openElement(name: string, attributes: XmlAttributes): void {
    if (this.copy !== null) this.copy.openElement(name, attributes);
    else if (name === 'author') this.author = '';
    else if (name === 'comment') {
      this.note = attributes;
      this.body = null;
    } else if (name === 'text' && this.note !== null) {
      this.copy = new XmlCopy(MAX_ATTACHMENT_LENGTH, { prefixes: ['xml'], blanks: true });
      this.copy.openElement(name, attributes);
    }
  }

  addText(text: string): void {
    if (this.copy !== null) this.copy.addCharacters(text);
    else if (this.author !== null) this.author += text;
  }

  closeElement(name: string): void {
    if (this.copy !== null) {
      if (!this.copy.closeElement(name)) return;
      this.body = this.copy;
      this.copy = null;
    } else if (name === 'author') {
      this.authors.push(unescapeText(this.author ?? ''));
      this.author = null;
    } else if (name === 'comment' && this.note !== null) {
      if (!this.keepNote(this.note)) this.leftOut.addItem('notes');
      this.note = null;
    }
  }

  /** Adds a note to the attachments. Returns false if it is invalid, too long, or beyond the limits. */
  private keepNote(note: XmlAttributes): boolean {
    const areas = parseAreaList(note['ref'] ?? '');
    const [cell] = areas ?? [];
    if (!areas || cell === undefined || this.body === null || this.body.isTooLong) return false;
    const author = this.authors[Number(note['authorId'] ?? 0)] ?? '';
    const shape = this.shapes.get(`${cell.top}:${cell.left}`) ?? '';
    const attachment: AttachmentData = {
      kind: NOTE,
      areas: [cell],
      formulas: [],
      texts: [author, this.body.text, shape, findAttribute(note, 'uid') ?? ''],
    };
    return this.list.addAttachment(attachment);
  }
}

/** Reads `xl/drawings/vmlDrawingN.vml`: the shapes of notes, by cell (`row:column`, zero-based). */
class ShapesHandler implements XmlHandler {
  readonly notes = new Map<string, string>();
  private depth = 0;
  private copy: XmlCopy | null = null;
  private isNote = false;
  private place: { row: string; column: string } = { row: '', column: '' };
  private target: 'row' | 'column' | null = null;

  openElement(name: string, attributes: XmlAttributes): void {
    this.depth++;
    if (this.depth === 2 && name === 'v:shape') {
      this.copy = new XmlCopy(MAX_ATTACHMENT_LENGTH, {
        extensions: true,
        prefixes: ['o', 'v', 'x'],
        blanks: true,
      });
      this.isNote = false;
      this.place = { row: '', column: '' };
    }
    this.copy?.openElement(name, attributes);
    if (name === 'x:ClientData') this.isNote = attributes['ObjectType'] === 'Note';
    this.target = name === 'x:Row' ? 'row' : name === 'x:Column' ? 'column' : null;
  }

  addText(text: string): void {
    this.copy?.addCharacters(text);
    if (this.target !== null) this.place[this.target] += text.trim();
  }

  closeElement(name: string): void {
    this.depth--;
    this.target = null;
    if (this.copy?.closeElement(name) !== true) return;
    const { isTooLong, text } = this.copy;
    this.copy = null;
    // A picture in the shape would need a separate part.
    const isKept = this.isNote && !isTooLong && !text.includes(' o:relid=');
    if (isKept) this.notes.set(`${Number(this.place.row)}:${Number(this.place.column)}`, text);
  }
}
