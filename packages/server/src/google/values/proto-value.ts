import { isRequestObject } from '../json.ts';

/** Characters of a refused value in an error. */
const MAX_SHOWN_VALUE = 2_000;

/** The beginning of a `google.protobuf.Value` in the text format of protocol buffers, which Google's errors contain. */
export function formatProtoValue(value: unknown): string {
  let text = '';
  for (const line of listProtoLines(value, '')) {
    text += `${line}\n`;
    if (text.length > MAX_SHOWN_VALUE) break;
  }
  return text.slice(0, MAX_SHOWN_VALUE);
}

/** The lines of a JSON value in the text form of protocol buffers, which Google's error messages contain. */
function* listProtoLines(value: unknown, indent: string): Generator<string> {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    yield `${indent}list_value {`;
    for (const element of value as unknown[]) {
      yield `${inner}values {`;
      yield* listProtoLines(element, `${inner}  `);
      yield `${inner}}`;
    }
    yield `${indent}}`;
  } else if (isRequestObject(value)) {
    yield `${indent}struct_value {`;
    for (const [key, member] of Object.entries(value)) {
      yield `${inner}fields {`;
      yield `${inner}  key: ${JSON.stringify(key)}`;
      yield `${inner}  value {`;
      yield* listProtoLines(member, `${inner}    `);
      yield `${inner}  }`;
      yield `${inner}}`;
    }
    yield `${indent}}`;
  } else yield `${indent}${formatProtoScalar(value)}`;
}

function formatProtoScalar(value: unknown): string {
  if (typeof value === 'string') return `string_value: ${JSON.stringify(value)}`;
  if (typeof value === 'boolean') return `bool_value: ${value}`;
  if (value === null) return 'null_value: NULL_VALUE';
  return `number_value: ${Number.isInteger(value) ? `${String(value)}.0` : String(value)}`;
}
