const TEXT = /<t\b[^>]*>([^<]*)<\/t>/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The text in the XML element of a note. */
export function noteText(xml: string): string {
  return [...xml.matchAll(TEXT)].map(([, part = '']) => unescapeNote(part)).join('');
}

function unescapeNote(text: string): string {
  return unescapeXml(
    text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
}

/** Text with its entities and character references resolved. */
export function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number(decimal));
    },
  );
}
