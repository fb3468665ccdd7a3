import type { PackageParts } from '../archive/package-parts.ts';
import { readXml, type XmlHandler } from '../archive/xml.ts';
import { MAX_APPLICATION_LENGTH } from '../limits/limits.ts';
import { escapeAttributeValue } from './xml-copy.ts';

export const APPLICATION_PART = 'docProps/app.xml';

/** Reads `docProps/app.xml`: the name of the program that wrote the file. */
class ApplicationHandler implements XmlHandler {
  application = '';
  private isInside = false;

  openElement(name: string): void {
    this.isInside = name === 'Application';
  }

  addText(text: string): void {
    if (this.isInside) this.application = (this.application + text).slice(0, MAX_APPLICATION_LENGTH);
  }

  closeElement(): void {
    this.isInside = false;
  }
}

/** Returns the name of the program that wrote a package; empty if unknown. */
export async function readApplication(parts: PackageParts, name: string | undefined): Promise<string> {
  if (name === undefined || !parts.has(name)) return '';
  const handler = new ApplicationHandler();
  const refusal = await readXml(name, await parts.read(name), handler);
  return refusal === null ? handler.application : '';
}

/**
 * Writes the name of the program that wrote the imported file. LibreOffice uses row heights only from programs that it
 * knows, and otherwise computes its own.
 */
export function formatApplicationXml(application: string): string {
  const namespace = 'http://schemas.openxmlformats.org/officeDocument/2006/extended-properties';
  return `<Properties xmlns="${namespace}"><Application>${escapeAttributeValue(application)}</Application></Properties>`;
}
