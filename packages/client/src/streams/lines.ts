/** Splits the parts of a body into its lines, without the line ends. A last line without an end is left out. */
export async function* readLineGroups(parts: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[], void> {
  const decoder = new TextDecoder();
  let partialLine = '';
  for await (const part of parts) {
    const lines = (partialLine + decoder.decode(part, { stream: true })).split('\n');
    partialLine = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
}
