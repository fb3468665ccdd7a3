import { jsonText } from '@cellwire/engine';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { MAX_RESULT_CHARACTERS } from '../limits/mcp.ts';
import { isFieldRefusal, isRefusal, type Refusal, toHttpAnswer } from '../service/refusal.ts';
import { shortenText } from './bounds.ts';

/** An error whose message tells a model what is wrong and what to do next. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

export type StructuredContent = Readonly<Record<string, unknown>>;

/** A result as structured content and as JSON text. */
export function toToolResult(content: StructuredContent): CallToolResult {
  // Agents write back the numbers that they read here; the API refuses long integers as plain digits.
  const text = jsonText(content);
  if (text.length > MAX_RESULT_CHARACTERS) return toToolFailure(TOO_LARGE);
  return { content: [{ type: 'text', text }], structuredContent: content };
}

const TOO_LARGE = 'Response too large. Ask for fewer rows or columns: a smaller range, a smaller limit, or a filter.';

/** A tool's result with `isError` and a text. */
export function toToolFailure(text: string): CallToolResult {
  return { content: [{ type: 'text', text: shortenText(text, MAX_RESULT_CHARACTERS) }], isError: true };
}

/** The value, or a `ToolError` if it is a refusal. */
export function unwrapOrThrow<T>(value: T | Refusal): T {
  if (isRefusal(value)) throw new ToolError(describeRefusal(value));
  return value as T;
}

/** Advice for common refusals. */
const NEXT_STEPS: Readonly<Partial<Record<Refusal['reason'], string>>> = {
  documentNotFound: 'Call list_documents to find the document.',
  noAccess: 'The document is not shared with this user; ask its owner.',
  outsideToken: 'This token is limited to other documents; call list_documents.',
  scopeMissing: 'The token lacks the scope for this; ask the person who made it.',
  planForbids: 'The plan of this workspace does not include this.',
  roleForbids: 'Ask the owner of the document for edit access.',
  sheetNotFound: 'Call describe_document to see the names of the sheets.',
  invalidRange: "Write ranges as Sheet!A1:C9; quote names with blanks: 'My sheet'!A1.",
  sheetFull: 'The rows do not fit below the last filled row; clear or delete rows at the end of the sheet.',
  sheetProtected: 'Ask the owner of the document to unlock the sheet.',
  valuesHidden: 'The values of this sheet are hidden from this user; do not try again.',
  preconditionFailed: 'The document has changed; read it again, then call again with its present revision.',
  revisionNotFound: 'Call history to see the revisions that are kept.',
  responseTooLarge: 'Ask for fewer rows or columns.',
  calculationLimit: 'The formulas take too long; change fewer cells at a time.',
  proposalLimit: 'A person has to decide the open proposals first; do not try again.',
  busy: 'Wait a few seconds, then call again.',
  confirmationUsed: 'Call the tool again without confirm for a new preview.',
};

/** The API's message with its details, and advice. */
export function describeRefusal(refusal: Refusal): string {
  const message = toHttpAnswer(refusal).message ?? 'Access denied';
  const parts = [/[.?!]$/.test(message) ? message : `${message}.`];
  if (isFieldRefusal(refusal) && !message.includes(refusal.field)) parts.push(`This is about ${refusal.field}.`);
  if (refusal.reason === 'rateLimited') parts.push(`Call again in ${refusal.retryAfter} seconds.`);
  if (refusal.reason === 'preconditionFailed') {
    parts.push(`The document is at revision ${refusal.revisionId}.`);
    const { conflicts = [], differences = [] } = refusal;
    if (conflicts.length > 0) parts.push(`Changed: ${conflicts.slice(0, 20).join(', ')}.`);
    for (const { cell, expected, actual } of differences.slice(0, 10)) {
      parts.push(`${cell} holds ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}.`);
    }
  }
  const next = isFieldRefusal(refusal) ? 'Correct the arguments, then call again.' : NEXT_STEPS[refusal.reason];
  return [...parts, ...(next === undefined ? [] : [next])].join(' ');
}
