const STRICT = 'http://purl.oclc.org/ooxml/';
const NAMESPACE = /http:\/\/purl\.oclc\.org\/ooxml\/(\w+)\/(\w+)/g;

/**
 * Text in which the namespaces and relationships of the strict form of the standard (ISO/IEC 29500-1) are called as in the
 * transitional one, which exports are in: programs do not look for the one within the other.
 */
export function transitional(text: string): string {
  return text.replace(NAMESPACE, 'http://schemas.openxmlformats.org/$1/2006/$2');
}

/** The same of an XML part in UTF-8. */
export function transitionalPart(content: Buffer): Buffer {
  return content.includes(STRICT) ? Buffer.from(transitional(content.toString())) : content;
}
