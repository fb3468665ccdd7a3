import { type Attributes, readXml, type XmlHandler } from '../../archive/xml.ts';
import type { Parts } from '../../archive/zip-reader.ts';
import type { FileRefusal } from '../../outcome/refusal.ts';

const PART = '[Content_Types].xml';
/** Type of parts without a declared type. */
const UNKNOWN = 'application/octet-stream';

/** Content types of parts, by name or extension. */
export class ContentTypes implements XmlHandler {
  private readonly byName = new Map<string, string>();
  private readonly byEnding = new Map<string, string>();

  open(name: string, { PartName, Extension, ContentType }: Attributes): void {
    if (ContentType === undefined) return;
    if (name === 'Override' && PartName !== undefined) this.byName.set(keyOf(PartName), ContentType);
    else if (name === 'Default' && Extension !== undefined) this.byEnding.set(Extension.toLowerCase(), ContentType);
  }

  close(): void {}

  typeOf(part: string): string {
    const key = keyOf(part);
    return this.byName.get(key) ?? this.byEnding.get(key.slice(key.lastIndexOf('.') + 1)) ?? UNKNOWN;
  }
}

export async function readContentTypes(parts: Parts): Promise<ContentTypes | FileRefusal> {
  const types = new ContentTypes();
  if (!parts.has(PART)) return types;
  return (await readXml(PART, await parts.read(PART), types)) ?? types;
}

function keyOf(part: string): string {
  return part.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
}
