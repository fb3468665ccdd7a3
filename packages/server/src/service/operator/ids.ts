/** An id that somebody typed or pasted, as it is stored: in small letters, without the blanks that stick to a copy. */
export function typedId(text: string): string {
  return text.trim().toLowerCase();
}
