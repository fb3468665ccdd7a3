const STRICT = 'http://purl.oclc.org/ooxml/';
const NAMESPACE = /http:\/\/purl\.oclc\.org\/ooxml\/(\w+)\/(\w+)/g;

/**
 * Replaces the namespaces and relationship types of the strict form of the standard (ISO/IEC 29500-1) by the
 * transitional ones, which exports use. Programs do not accept a mixture of both.
 */
export function toTransitionalXml(text: string): string {
  return text.replace(NAMESPACE, 'http://schemas.openxmlformats.org/$1/2006/$2');
}

/** Converts an XML part in UTF-8 to the transitional namespaces of the standard. */
export function toTransitionalPart(content: Buffer): Buffer {
  return content.includes(STRICT) ? Buffer.from(toTransitionalXml(content.toString())) : content;
}
