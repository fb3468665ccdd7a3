const TEXT = /<t\b[^>]*>([^<]*)<\/t>/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Returns the text of a note from its XML element. */
export function parseNoteText(xml: string): string {
  return [...xml.matchAll(TEXT)].map(([, part = '']) => unescapeNote(part)).join('');
}

/** The text without XML escapes and without escapes such as `_x000D_`. */
function unescapeNote(text: string): string {
  return unescapeXml(
    text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
}

/** Replaces entities and character references by their characters. */
export function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number(decimal));
    },
  );
}
