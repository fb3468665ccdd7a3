import { AttemptFailed, createConnectionFailure } from '../http/failure.ts';

/** Parses a line of JSON. A malformed line counts as a broken connection. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new AttemptFailed(createConnectionFailure(error));
  }
}

/** Yields the complete lines of each part of a body, without line ends. An incomplete last line is dropped. */
export async function* readLineGroups(parts: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[], void> {
  const decoder = new TextDecoder();
  let partialLine = '';
  for await (const part of parts) {
    const lines = (partialLine + decoder.decode(part, { stream: true })).split('\n');
    partialLine = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
}
