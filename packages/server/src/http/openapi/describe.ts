import type { Operation, OperationExample } from '../../operations/operation.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import { type DescriptionPart, nameSchemas } from './named-schemas.ts';

const JSON_TYPE = 'application/json';

interface MediaContent extends DescriptionPart {
  readonly schema?: DescriptionPart;
}

interface BodyContent {
  readonly content?: Readonly<Record<string, MediaContent>>;
}

interface DescribedOperation extends DescriptionPart {
  readonly operationId?: string;
  readonly requestBody?: DescriptionPart & BodyContent;
  readonly responses?: Readonly<Record<string, DescriptionPart & BodyContent>>;
}

const BY_ID: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((operation) => [operation.id, operation]));

/** The OpenAPI description with named schemas, and a description and an example for every operation. */
export function describeOperations(description: DescriptionPart): DescriptionPart {
  const paths = Object.entries(description['paths'] as Record<string, Record<string, DescribedOperation>>);
  const withBodies = paths.map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, addBodyTitles(operation)])),
  ]);
  const namedDescription = nameSchemas(Object.fromEntries(withBodies));
  const examples = Object.entries(namedDescription.paths as Record<string, Record<string, DescribedOperation>>).map(
    ([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, addTexts(operation)])),
    ],
  );
  const components = { ...(description['components'] as DescriptionPart), schemas: namedDescription.schemas };
  return { ...description, components, paths: Object.fromEntries(examples) };
}

/** Adds titles to the JSON bodies of an operation. Generators of clients use them as type names. */
function addBodyTitles(operation: DescribedOperation): DescribedOperation {
  const { operationId = '', requestBody, responses = {} } = operation;
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const answer = responses['200'];
  return {
    ...operation,
    ...(requestBody && { requestBody: addTitle(requestBody, `${name}Request`) }),
    responses: { ...responses, ...(answer && { 200: addTitle(answer, `${name}Response`) }) },
  };
}

function addTitle<T extends BodyContent>(part: T, title: string): T {
  const media = part.content?.[JSON_TYPE];
  if (media?.schema === undefined || 'title' in media.schema) return part;
  const content = { ...part.content, [JSON_TYPE]: { ...media, schema: { title, ...media.schema } } };
  return { ...part, content };
}

/** Adds the description and the examples of its definition to an operation. */
function addTexts(operation: DescribedOperation): DescribedOperation {
  const definition = BY_ID.get(operation.operationId ?? '');
  if (definition === undefined) return operation;
  const { description, example } = definition;
  const { requestBody, responses = {} } = operation;
  const shown = responses['200'];
  return {
    ...operation,
    description,
    ...(requestBody && { requestBody: addExamples(requestBody, createRequestExamples(example)) }),
    responses: { ...responses, ...(shown && { 200: addExamples(shown, createAnswerExamples(example)) }) },
  };
}

/** The example of the request's body, by media type. */
function createRequestExamples({ request }: OperationExample): DescriptionPart {
  return request === undefined ? {} : { [JSON_TYPE]: request };
}

/** The example of the answer, by media type. */
function createAnswerExamples({ answer, texts = {} }: OperationExample): DescriptionPart {
  return { ...texts, ...(answer === undefined ? {} : { [JSON_TYPE]: answer }) };
}

/** Adds an example to each media type that has one. */
function addExamples<T extends BodyContent>(part: T, examples: DescriptionPart): T {
  const content = Object.entries(part.content ?? {}).map(([type, media]) => [
    type,
    type in examples ? { ...media, example: examples[type] } : media,
  ]);
  return part.content === undefined ? part : { ...part, content: Object.fromEntries(content) };
}
