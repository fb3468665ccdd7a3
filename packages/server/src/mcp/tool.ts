import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { INPUT_LOCALES } from '../access/input-locale.ts';
import type { Operation } from '../operations/operation.ts';
import { type StructuredContent, ToolError, toToolFailure, toToolResult, unwrapOrThrow } from './results.ts';
import { checkSchema, findJsonSchema, type McpSession } from './session.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A tool as a file defines it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  /** For a model: purpose, cost, result, one example. */
  readonly description: string;
  readonly kind: 'read' | 'append' | 'destroy';
  readonly input: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly output: Readonly<Record<string, JsonSchema>>;
  readonly run: (session: McpSession, args: ToolArguments) => Promise<StructuredContent>;
}

export const STRING: JsonSchema = { type: 'string' };
export const INTEGER: JsonSchema = { type: 'integer' };
export const BOOLEAN: JsonSchema = { type: 'boolean' };
export const OBJECT: JsonSchema = { type: 'object' };
export const ANY: JsonSchema = {};
export const LIST: JsonSchema = { type: 'array' };
const INTEGER_OR_NULL: JsonSchema = { type: ['integer', 'null'] };

/** A copy of the schema with the description. */
export function addDescription(schema: object, description: string): JsonSchema {
  return { ...schema, description };
}

/** The schema of a member of an operation's JSON body, without its examples. Without a description it keeps the operation's. */
export function describeBodyMember({ id, body }: Operation, name: string, description?: string): JsonSchema {
  const schema = findJsonSchema(body)?.properties?.[name] as JsonSchema | undefined;
  if (schema === undefined) throw new Error(`the body of ${id} has no member ${name}`);
  const { examples: _examples, ...member } = schema;
  return description === undefined ? member : addDescription(member, description);
}

export const DOCUMENT = addDescription(STRING, 'Id or exact title of the document.');
export const SHEET = addDescription(STRING, 'Name of a sheet.');
export const INPUT_LOCALE = addDescription(
  { type: 'string', enum: [...INPUT_LOCALES] },
  'Locale in which texts and formulas are written, such as en-US for =SUM(1.5,2). By default the service’s grammar.',
);
export const OFFSET = addDescription({ type: 'integer', minimum: 0 }, 'Entries to skip; 0 by default.');
export function createLimitSchema(maximum: number): JsonSchema {
  return addDescription(
    { type: 'integer', minimum: 1 },
    `${maximum} by default and at most; a higher number is capped.`,
  );
}

/** Members of the results of tools that return pages. */
export const PAGED = { total: INTEGER, truncated: BOOLEAN, nextOffset: INTEGER_OR_NULL };

/** The tool as `tools/list` shows it to every client. */
export function toTool({ name, title, description, kind, input, required, output }: ToolDefinition): Tool {
  const isRead = kind === 'read';
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties: input, required: [...required], additionalProperties: false },
    outputSchema: { type: 'object', properties: output },
    annotations: {
      title,
      readOnlyHint: isRead,
      ...(isRead ? {} : { destructiveHint: kind === 'destroy' }),
      idempotentHint: isRead,
      openWorldHint: false,
    },
  } as Tool;
}

/** Calls a tool. A refusal becomes a result with `isError`. */
export async function callTool(
  tool: ToolDefinition,
  session: McpSession,
  args: ToolArguments,
): Promise<CallToolResult> {
  try {
    unwrapOrThrow(checkSchema(getInputSchema(tool), args));
    return toToolResult(await tool.run(session, args));
  } catch (error) {
    if (error instanceof ToolError) return toToolFailure(error.message);
    throw error;
  }
}

const inputSchemas = new WeakMap<ToolDefinition, object>();

/** The input schema of a tool, always as the same object, because it is the cache key of the compiled schema. */
function getInputSchema(tool: ToolDefinition): object {
  const schema = inputSchemas.get(tool) ?? toTool(tool).inputSchema;
  inputSchemas.set(tool, schema);
  return schema;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The id of the document that the arguments name by id or title. */
export async function resolveDocumentId(session: McpSession, args: ToolArguments): Promise<string> {
  const text = String(args['document'] ?? '');
  if (UUID.test(text)) return text.toLowerCase();
  const found = (await Array.fromAsync(session.readDocuments({ title: text }))).flat();
  const [only, ...others] = found;
  if (only === undefined) {
    throw new ToolError(
      `Document not found. No document is called ${JSON.stringify(text.slice(0, 200))}. Call list_documents to find it.`,
    );
  }
  if (others.length > 0) {
    const ids = found.slice(0, 20).map(({ id }) => id);
    throw new ToolError(`Several documents have this title. Call again with one of these ids: ${ids.join(', ')}.`);
  }
  return only.id;
}

/** The argument `limit`, at most `maximum`. */
export function readLimitArgument(args: ToolArguments, maximum: number): number {
  const limit = args['limit'];
  return typeof limit === 'number' ? Math.min(limit, maximum) : maximum;
}

/** The argument `offset`; 0 if it is absent. */
export function readOffsetArgument(args: ToolArguments): number {
  const offset = args['offset'];
  return typeof offset === 'number' ? offset : 0;
}

/** The members whose value is not undefined. */
export function dropUndefined(args: Readonly<Record<string, unknown>>): ToolArguments {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}
