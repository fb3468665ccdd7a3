import { readXml, type XmlHandler } from '../archive/xml.ts';
import type { Parts } from '../archive/zip-reader.ts';
import { MAX_APPLICATION_LENGTH } from '../limits/limits.ts';
import { attributeText } from './xml-copy.ts';

export const APPLICATION_PART = 'docProps/app.xml';

/** `docProps/app.xml`: the program's name. */
class ApplicationHandler implements XmlHandler {
  application = '';
  private isInside = false;

  open(name: string): void {
    this.isInside = name === 'Application';
  }

  text(text: string): void {
    if (this.isInside) this.application = (this.application + text).slice(0, MAX_APPLICATION_LENGTH);
  }

  close(): void {
    this.isInside = false;
  }
}

/** The program that a package says it comes from; empty where it says none that can be read. */
export async function readApplication(parts: Parts, name: string | undefined): Promise<string> {
  if (name === undefined || !parts.has(name)) return '';
  const handler = new ApplicationHandler();
  const refusal = await readXml(name, await parts.read(name), handler);
  return refusal === null ? handler.application : '';
}

/**
 * LibreOffice takes the heights of rows as they are only from programs that it knows, and makes its own else: the layout
 * is that program's.
 */
export function applicationXml(application: string): string {
  const namespace = 'http://schemas.openxmlformats.org/officeDocument/2006/extended-properties';
  return `<Properties xmlns="${namespace}"><Application>${attributeText(application)}</Application></Properties>`;
}
