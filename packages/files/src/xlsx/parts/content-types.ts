import type { PackageParts } from '../../archive/package-parts.ts';
import { readXml, type XmlAttributes, type XmlHandler } from '../../archive/xml.ts';
import type { FileRefusal } from '../../outcome/refusal.ts';

const PART = '[Content_Types].xml';
/** Type of parts without a declared type. */
const UNKNOWN_TYPE = 'application/octet-stream';

/** Content types of parts, by name or extension. */
export class ContentTypes implements XmlHandler {
  private readonly byName = new Map<string, string>();
  private readonly byEnding = new Map<string, string>();

  openElement(name: string, { PartName, Extension, ContentType }: XmlAttributes): void {
    if (ContentType === undefined) return;
    if (name === 'Override' && PartName !== undefined) this.byName.set(toPartKey(PartName), ContentType);
    else if (name === 'Default' && Extension !== undefined) this.byEnding.set(Extension.toLowerCase(), ContentType);
  }

  closeElement(): void {}

  findContentType(part: string): string {
    const key = toPartKey(part);
    return this.byName.get(key) ?? this.byEnding.get(key.slice(key.lastIndexOf('.') + 1)) ?? UNKNOWN_TYPE;
  }
}

export async function readContentTypes(parts: PackageParts): Promise<ContentTypes | FileRefusal> {
  const types = new ContentTypes();
  if (!parts.has(PART)) return types;
  return (await readXml(PART, await parts.read(PART), types)) ?? types;
}

function toPartKey(part: string): string {
  return part.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
}
