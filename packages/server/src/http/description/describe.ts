import { DOCUMENT_WORDS } from './documents.ts';
import { HISTORY_WORDS } from './history.ts';
import { type Json, withNamedTypes } from './named-types.ts';
import { RECORD_WORDS } from './records.ts';
import { VALUE_WORDS } from './values.ts';
import { WEBHOOK_WORDS } from './webhooks.ts';
import type { OperationWords } from './words.ts';

const WORDS: Readonly<Record<string, OperationWords>> = {
  ...DOCUMENT_WORDS,
  ...VALUE_WORDS,
  ...RECORD_WORDS,
  ...WEBHOOK_WORDS,
  ...HISTORY_WORDS,
};

const JSON_TYPE = 'application/json';

interface Content {
  readonly content?: Readonly<Record<string, Json>>;
}

interface Operation extends Json {
  readonly operationId?: string;
  readonly requestBody?: Json & Content;
  readonly responses?: Readonly<Record<string, Json & Content>>;
}

/** The description with its types named, and every operation described and shown by an example. */
export function described(description: Json): Json {
  const { paths, schemas } = withNamedTypes(description['paths'] as Json);
  const entries = Object.entries(paths as Record<string, Record<string, Operation>>).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withWords(operation)])),
  ]);
  const components = { ...(description['components'] as Json), schemas };
  return { ...description, components, paths: Object.fromEntries(entries) };
}

function withWords(operation: Operation): Operation {
  const words = WORDS[operation.operationId ?? ''];
  if (words === undefined) return operation;
  const { description, request, answer, texts = {} } = words;
  const answers = { ...texts, ...(answer === undefined ? {} : { [JSON_TYPE]: answer }) };
  const { requestBody, responses = {} } = operation;
  const shown = responses['200'];
  return {
    ...operation,
    description,
    ...(requestBody && {
      requestBody: withExamples(requestBody, request === undefined ? {} : { [JSON_TYPE]: request }),
    }),
    responses: { ...responses, ...(shown && { 200: withExamples(shown, answers) }) },
  };
}

function withExamples<T extends Content>(part: T, examples: Readonly<Record<string, unknown>>): T {
  const content = Object.entries(part.content ?? {}).map(([type, media]) => [
    type,
    type in examples ? { ...media, example: examples[type] } : media,
  ]);
  return part.content === undefined ? part : { ...part, content: Object.fromEntries(content) };
}
