import type { Readable } from 'node:stream';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { MAX_XML_DEPTH } from './limits.ts';
import { type FileRefusal, isRefusal, refuse } from './refusal.ts';

export type Attributes = Readonly<Record<string, string>>;

/** Takes the events of one XML part. Element names come without their prefix. */
export interface XmlHandler {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** May come in several pieces. */
  text?(text: string): void;
  /** Set by a handler that found something it must refuse; the rest of the part is not read. */
  readonly problem?: string | null;
}

/** Feeds a part to a handler, piece by piece. `onBytes` is told the size of each piece. */
export async function readXml(
  part: string,
  source: Readable | FileRefusal,
  handler: XmlHandler,
  onBytes?: (bytes: number) => void,
): Promise<FileRefusal | null> {
  if (isRefusal(source)) return source;
  const parser = new Events(handler);
  let decoder: TextDecoder | null = null;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      decoder ??= decoderFor(chunk);
      parser.write(decoder.decode(chunk, { stream: true }));
      if (handler.problem) return refuse(handler.problem);
      onBytes?.(chunk.length);
    }
    parser.end(decoder?.decode() ?? '');
  } catch (error) {
    return refuse(`The file is damaged: its part ${part} cannot be read (${(error as Error).message}).`);
  } finally {
    source.destroy();
  }
  return handler.problem ? refuse(handler.problem) : null;
}

/** XML parts of a package are UTF-8 or, marked by their first bytes, UTF-16. Bytes that are neither are an error. */
function decoderFor(first: Buffer): TextDecoder {
  const [a, b] = first;
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le', { fatal: true });
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be', { fatal: true });
  return new TextDecoder('utf-8', { fatal: true });
}

/** Throws on what is not well-formed, on what is nested so deeply that remembering it takes the memory, and on document types: no workbook has one, and its entities can be a bomb. */
class Events {
  private readonly parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false });
  private depth = 0;

  constructor(handler: XmlHandler) {
    this.parser.on('doctype', () => {
      throw new Error('it declares a document type');
    });
    this.parser.on('opentag', (tag: SaxesTagPlain) => {
      if (++this.depth > MAX_XML_DEPTH) throw new Error(`its elements are nested more than ${MAX_XML_DEPTH} deep`);
      handler.open(localName(tag.name), tag.attributes);
    });
    this.parser.on('closetag', (tag: SaxesTagPlain) => {
      this.depth--;
      handler.close(localName(tag.name));
    });
    if (handler.text) {
      const text = handler.text.bind(handler);
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
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

/** The value of an attribute in a namespace, whatever its prefix: `id` finds `r:id`. */
export function prefixed(attributes: Attributes, name: string): string | undefined {
  const suffix = `:${name}`;
  for (const key in attributes) {
    if (key.endsWith(suffix)) return attributes[key];
  }
  return undefined;
}

/** A truth value as XML writes it. */
export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true' || text === 'on';
}
