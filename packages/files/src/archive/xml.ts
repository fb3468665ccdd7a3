import type { Readable } from 'node:stream';
import { TextMap } from '@cellwire/engine';
import { type SaxesAttributePlain, SaxesParser, type SaxesTagPlain } from 'saxes';
import { MAX_NAMESPACES, MAX_XML_DEPTH, MAX_XML_NAMES } from '../limits/limits.ts';
import { type FileRefusal, isRefusal, refuseFile } from '../outcome/refusal.ts';

export type XmlAttributes = Readonly<Record<string, string>>;

/**
 * Receives the events of one XML part. Elements in the namespace of the part's root have their local name; the file may
 * use any prefix and either of the two namespaces of the format. Elements of a known extension have the prefix of
 * `KNOWN_PREFIXES`, other elements the prefix `?`, so that an extension's `table` is never mistaken for the main one.
 * For an `mc:AlternateContent` element only the content of the first choice is reported, without the elements around
 * it. Attributes get the same prefixes; attributes of other namespaces keep the file's prefix.
 */
export interface XmlHandler {
  openElement(name: string, attributes: XmlAttributes): void;
  closeElement(name: string): void;
  /** A text may arrive in several pieces. */
  addText?(text: string): void;
  /** Set by a handler to refuse the file; the rest of the part is not read. */
  readonly problem?: string | null;
}

/** Reads a part and sends its events to a handler. `onBytes` receives the size of each chunk. */
export async function readXml(
  part: string,
  source: Readable | FileRefusal,
  handler: XmlHandler,
  onBytes?: (bytes: number) => void,
): Promise<FileRefusal | null> {
  if (isRefusal(source)) return source;
  const parser = new XmlEventReader(handler);
  let decoder: TextDecoder | null = null;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      decoder ??= createDecoder(chunk);
      parser.write(decoder.decode(chunk, { stream: true }));
      if (handler.problem) return refuseFile(handler.problem);
      onBytes?.(chunk.length);
    }
    parser.end(decoder?.decode() ?? '');
  } catch (error) {
    return refuseFile(`The file is damaged: its part ${part} cannot be read (${(error as Error).message}).`);
  } finally {
    source.destroy();
  }
  return handler.problem ? refuseFile(handler.problem) : null;
}

/**
 * Sends the events of a text to a handler. Returns whether the text is well-formed; if not, the handler has received
 * the events before the error.
 */
export function readXmlText(text: string, handler: XmlHandler): boolean {
  try {
    new XmlEventReader(handler).end(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the decoder of an XML part, which is UTF-8, or UTF-16 with a byte order mark. Other bytes are an error. */
function createDecoder(first: Buffer): TextDecoder {
  const [a, b] = first;
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le', { fatal: true });
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be', { fatal: true });
  // UTF-16 without a byte order mark: the first character is `<`.
  if (a === 0x3c && b === 0) return new TextDecoder('utf-16le', { fatal: true });
  if (a === 0 && b === 0x3c) return new TextDecoder('utf-16be', { fatal: true });
  return new TextDecoder('utf-8', { fatal: true });
}

/** Prefixes of the namespaces of extensions and drawings, as handlers use them. */
const KNOWN_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['http://schemas.microsoft.com/office/spreadsheetml/2009/9/main', 'x14'],
  ['http://schemas.microsoft.com/office/excel/2006/main', 'xm'],
  ['http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing', 'xdr'],
  ['http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing', 'xdr'],
  ['urn:schemas-microsoft-com:vml', 'v'],
  ['urn:schemas-microsoft-com:office:office', 'o'],
  ['urn:schemas-microsoft-com:office:excel', 'x'],
  ['http://schemas.openxmlformats.org/drawingml/2006/main', 'a'],
  ['http://purl.oclc.org/ooxml/drawingml/main', 'a'],
  ['http://schemas.openxmlformats.org/drawingml/2006/chart', 'c'],
  ['http://purl.oclc.org/ooxml/drawingml/chart', 'c'],
  ['http://schemas.microsoft.com/office/drawing/2014/chartex', 'cx'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
]);

/** The namespaces that are valid inside an element with namespace declarations. */
interface NamespaceScope {
  /** Namespaces by prefix; the default namespace has the empty prefix. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Prefixes that are reported to handlers, by the file's prefix if it is another one. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Names that are reported to handlers, by the name in the file. */
  readonly names: TextMap<string>;
}

/**
 * Converts the parser's events to calls of handlers. Throws if the XML is malformed, if its nesting or number of
 * namespaces would need too much memory, or if it declares a document type: no workbook has one, and its entities may
 * expand without limit.
 */
class XmlEventReader {
  private readonly parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false });
  private readonly handler: XmlHandler;
  private depth = 0;
  /** Namespace of the part's root. */
  private rootNamespace: string | undefined;
  private scope: NamespaceScope = { namespaces: new Map(), renamed: new Map(), names: new TextMap() };
  /** The outer scopes. `depth`: depth of the element at whose end the scope is valid again. */
  private readonly outer: (readonly [depth: number, scope: NamespaceScope])[] = [];
  /** Namespace declarations of the element that is being opened. */
  private declared: SaxesAttributePlain[] = [];
  /** Depth of the skipped alternative; 0 for none. */
  private fallback = 0;
  /** Depths of `mc:AlternateContent` elements of which one choice was read. */
  private readonly chosen = new Set<number>();

  constructor(handler: XmlHandler) {
    this.handler = handler;
    this.parser.on('doctype', () => {
      throw new Error('it declares a document type');
    });
    // The event of the parser is used because scanning the attributes of every element would take a third of the time.
    this.parser.on('attribute', (attribute) => {
      if (attribute.name.startsWith('xmlns')) this.declared.push(attribute);
    });
    this.parser.on('opentag', (tag: SaxesTagPlain) => this.openElement(tag.name, tag.attributes));
    this.parser.on('closetag', (tag: SaxesTagPlain) => this.closeElement(tag.name));
    if (handler.addText) {
      const text = (piece: string) => {
        if (this.fallback === 0) handler.addText?.(piece);
      };
      this.parser.on('text', text);
      this.parser.on('cdata', text);
    }
  }

  write(text: string): void {
    this.parser.write(text);
  }

  end(text: string): void {
    this.parser.write(text);
    this.parser.close();
  }

  private openElement(name: string, attributes: XmlAttributes): void {
    if (++this.depth > MAX_XML_DEPTH) throw new Error(`its elements are nested more than ${MAX_XML_DEPTH} deep`);
    if (this.declared.length > 0) this.addNamespaces();
    const handlerName = this.toHandlerName(name);
    if (this.fallback > 0) return;
    if (handlerName === 'mc:AlternateContent') this.chosen.delete(this.depth);
    else if (handlerName === 'mc:Choice' || handlerName === 'mc:Fallback')
      this.enterAlternative(handlerName === 'mc:Choice');
    else this.handler.openElement(handlerName, this.normalizePrefixes(attributes));
  }

  /**
   * Enters a child of `mc:AlternateContent`. The first choice is read; the other choices and the fallback are skipped.
   */
  private enterAlternative(isChoice: boolean): void {
    if (!isChoice || this.chosen.has(this.depth - 1)) this.fallback = this.depth;
    this.chosen.add(this.depth - 1);
  }

  private closeElement(name: string): void {
    if (this.fallback === this.depth) this.fallback = 0;
    else if (this.fallback === 0) {
      const handlerName = this.toHandlerName(name);
      if (handlerName !== 'mc:AlternateContent' && handlerName !== 'mc:Choice') this.handler.closeElement(handlerName);
    }
    const [depth, scope] = this.outer.at(-1) ?? [-1, this.scope];
    if (depth === this.depth) {
      this.scope = scope;
      this.outer.pop();
    }
    this.depth--;
  }

  private addNamespaces(): void {
    for (const { name, value } of this.declared) this.addNamespace(name, value);
    this.declared = [];
  }

  /** Adds a declaration (`xmlns` or `xmlns:prefix`) to the scope of the current element. */
  private addNamespace(key: string, namespace: string): void {
    if (key !== 'xmlns' && key[5] !== ':') return;
    const isFirst = this.outer.at(-1)?.[0] !== this.depth;
    if (isFirst) this.outer.push([this.depth, this.scope]);
    const namespaces = new Map(this.scope.namespaces).set(key.slice(6), namespace);
    if (namespaces.size > MAX_NAMESPACES) throw new Error(`it declares more than ${MAX_NAMESPACES} namespaces`);
    const prefixPairs = [...namespaces].map(([prefix, of]) => [prefix, KNOWN_PREFIXES.get(of) ?? prefix] as const);
    const renamed = new Map(prefixPairs.filter(([prefix, as]) => prefix !== '' && prefix !== as));
    this.scope = { namespaces, renamed, names: new TextMap() };
  }

  /** The attributes with the usual prefix of each known namespace. */
  private normalizePrefixes(attributes: XmlAttributes): XmlAttributes {
    const { renamed } = this.scope;
    if (renamed.size === 0) return attributes;
    const entries = Object.entries(attributes).map(([name, value]) => {
      const colon = name.indexOf(':');
      const prefix = renamed.get(name.slice(0, Math.max(colon, 0)));
      return [prefix === undefined ? name : prefix + name.slice(colon), value] as const;
    });
    return Object.fromEntries(entries);
  }

  /**
   * The name of an element without a prefix if it has the root's namespace, else with the usual prefix, or `?` for an
   * unknown namespace.
   */
  private toHandlerName(name: string): string {
    const cached = this.scope.names.get(name);
    if (cached !== undefined) return cached;
    const colon = name.indexOf(':');
    const namespace = this.scope.namespaces.get(name.slice(0, Math.max(colon, 0))) ?? '';
    const local = name.slice(colon + 1);
    this.rootNamespace ??= namespace;
    const handlerName = namespace === this.rootNamespace ? local : `${KNOWN_PREFIXES.get(namespace) ?? '?'}:${local}`;
    if (this.scope.names.size < MAX_XML_NAMES) this.scope.names.set(name, handlerName);
    return handlerName;
  }
}

/** The value of an attribute with any prefix: `id` finds `r:id`. */
export function findAttribute(attributes: XmlAttributes, name: string): string | undefined {
  const suffix = `:${name}`;
  for (const key in attributes) {
    if (key.endsWith(suffix)) return attributes[key];
  }
  return undefined;
}

/** Parses a boolean of XML. */
export function parseXmlBoolean(text: string | undefined): boolean {
  return text === '1' || text === 'true' || text === 'on';
}
