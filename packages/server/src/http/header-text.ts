/** Header fields as alternating names and values, a form that `node:http` accepts if no header is set individually. */
export type HeaderFields = readonly string[];

/** Characters that would end a field or the head (RFC 9110 §5.5). */
const LINE_BREAK = /[\r\n\0]/;

/**
 * Header fields as text, a line for each. Throws if a value contains a line break, because the rest could become another
 * field or answer.
 */
export function formatHeaderFields(fields: HeaderFields): string {
  let text = '';
  for (let i = 0; i < fields.length; i += 2) {
    const value = fields[i + 1] as string;
    if (LINE_BREAK.test(value)) throw new Error('A response header contains a line break');
    text += `${fields[i]}: ${value}\r\n`;
  }
  return text;
}
