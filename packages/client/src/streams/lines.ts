/** Splits the parts of a body into its lines, without the line ends. A last line without an end is left out. */
export async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[], void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
}
