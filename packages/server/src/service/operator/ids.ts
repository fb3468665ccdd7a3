/** Normalizes an id that was typed or pasted: lower case, without surrounding blanks. */
export function normalizeTypedId(text: string): string {
  return text.trim().toLowerCase();
}
