import { readLineGroups } from './lines.ts';

/** A server-sent event (HTML standard, section 9.2). */
interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** Reads the events of a stream. An incomplete last event is dropped. */
export async function* readEvents(parts: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  let name = 'message';
  let data: string[] = [];
  for await (const lines of readLineGroups(parts)) {
    for (const rawLine of lines) {
      const line = rawLine.replace(/\r$/, '');
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (line === '') {
        if (data.length > 0) yield { name, data: data.join('\n') };
        name = 'message';
        data = [];
      } else if (field === 'event') name = value;
      else if (field === 'data') data.push(value);
    }
  }
}
