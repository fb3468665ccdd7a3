import { MAX_JSON_DEPTH } from '../../limits/google.ts';
import { createInvalidProblem } from '../problem.ts';

const JSON_CONTENT = /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i;

interface ParsedBody {
  readonly body: unknown;
  readonly file: { readonly type: string; readonly bytes: Buffer } | null;
  readonly bodyBytes: number;
}

/** Parses the body of a request: JSON, unless its content type says otherwise. */
export function readBody(bytes: Buffer, type = ''): ParsedBody {
  const bodyBytes = bytes.length;
  if (bytes.length === 0) return { body: {}, file: null, bodyBytes };
  const isJson = type === '' || JSON_CONTENT.test(type) || type.startsWith('text/plain');
  if (!isJson) return { body: null, file: { type, bytes }, bodyBytes };
  return { body: parseJson(bytes), file: null, bodyBytes };
}

function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createInvalidProblem('Invalid JSON payload received. Unexpected token.');
  }
  // A shorter text has fewer brackets.
  if (text.length > MAX_JSON_DEPTH && measureDepth(text) > MAX_JSON_DEPTH)
    throw createInvalidProblem('Message too deep. Max recursion depth reached for the request.');
  return value;
}

/** Maximum nesting depth of brackets outside of strings. */
function measureDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isText) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
  }
  return deepest;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
