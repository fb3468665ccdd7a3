import { runInSlices } from '@cellwire/event-loop';
import type { TSchema } from 'typebox';
import Schema from 'typebox/schema';
import type { Access, DocumentAccess } from '../access/access.ts';
import type { Caller } from '../access/callers.ts';
import type { Gate } from '../access/gate.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import type { AnswerContent, JsonPart, OperationAnswer } from '../operations/answer.ts';
import type { Call } from '../operations/call.ts';
import { type CallConditions, NO_CONDITIONS } from '../operations/conditions.ts';
import { listDocuments } from '../operations/documents/list-documents.ts';
import type { Operation } from '../operations/operation.ts';
import type { ServiceContext } from '../service/context.ts';
import { type DocumentSearch, type DocumentView, readDocumentsInBatches } from '../service/document/list-documents.ts';
import { describeUnknownField, invalidRequest, isRefusal, type Refusal } from '../service/refusal.ts';
import { unwrapOrThrow } from './results.ts';

export interface McpParts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
}

interface SessionOptions {
  readonly caller: Caller;
  /** Aborted when the client cancels the request or its connection ends. */
  readonly signal: AbortSignal;
  /** Identifies the caller again, with the present rights. */
  readonly identify: () => Promise<Caller | AccessRefusal>;
  /** The API's address of a document, with the origin that the caller used. */
  readonly formatDocumentUrl: (document: string) => string;
}

/** An operation's JSON answer, and the revision that it created. */
export interface OperationResult {
  readonly body: Readonly<Record<string, unknown>>;
  readonly revision: number | null;
  readonly isProposal: boolean;
  /** The operation answered with the reply that another node kept. */
  readonly isReplay: boolean;
}

/** One request of an agent. Runs operations with the agent's rights. */
export class McpSession {
  readonly context: ServiceContext;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  private readonly parts: McpParts;
  private readonly options: SessionOptions;
  private hidden: ReadonlySet<number> = new Set();

  constructor(parts: McpParts, options: SessionOptions) {
    this.parts = parts;
    this.options = options;
    this.context = parts.context;
    this.caller = options.caller;
    this.signal = options.signal;
  }

  /** Ids of sheets with hidden values in the document that was opened last. */
  get hiddenSheets(): ReadonlySet<number> {
    return this.hidden;
  }

  /** Access to a document for an operation; throws a `ToolError` if it is refused. */
  async openDocument(operation: Pick<Operation, 'requires'>, document: string): Promise<DocumentAccess> {
    const access = unwrapOrThrow(await this.parts.gate.authorize(this.caller, document, operation.requires));
    if (access === null) throw new Error('an operation without a document was opened');
    return access;
  }

  /** Runs an operation; a refusal is returned, not thrown. */
  async runOperation(
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    conditions: Partial<CallConditions> = {},
  ): Promise<OperationResult | Refusal> {
    const { document } = input;
    const id = typeof document === 'string' ? document : null;
    const opened = await this.parts.gate.authorize(this.caller, id, operation.requires);
    if (isRefusal(opened)) return opened;
    this.hidden = opened?.hiddenSheets ?? this.hidden;
    const wrong = checkBody(operation, input);
    if (wrong !== null) return wrong;
    const call = this.createCall(opened, operation, { ...NO_CONDITIONS, signal: this.signal, ...conditions });
    const answer = await operation.run(call, input);
    return isRefusal(answer) ? answer : toOperationResult(answer);
  }

  /** The JSON that an operation answers; throws a `ToolError` if it is refused. */
  async readJson(operation: Operation, input: Readonly<Record<string, unknown>>): Promise<OperationResult['body']> {
    return unwrapOrThrow(await this.runOperation(operation, input)).body;
  }

  /** Documents that the agent may open, in batches, the last changed first; throws a `ToolError` if it is refused. */
  async *readDocuments(search: DocumentSearch = {}): AsyncGenerator<readonly DocumentView[]> {
    unwrapOrThrow(await this.parts.gate.authorize(this.caller, null, listDocuments.requires));
    yield* readDocumentsInBatches(this.context, this.caller, search);
  }

  /** The call of an operation on behalf of the agent; without a document for operations that have none. */
  private createCall(document: DocumentAccess | null, { requires }: Operation, conditions: CallConditions): Call {
    const { context, access, gate } = this.parts;
    const { caller, signal, options } = this;
    return {
      ...{ context, access, caller, conditions },
      get document(): DocumentAccess {
        if (document === null) throw new Error('the operation has no document');
        return document;
      },
      ...{ inputBytes: 0, ifNoneMatch: null, lastEventId: null, form: 'json' as const, query: {} },
      ...{ lines: null, file: null, renewCaller: options.identify },
      renewDocument: async () => {
        const renewed = await options.identify();
        if (isRefusal(renewed)) return renewed;
        const found = await gate.authorize(renewed, document?.documentId ?? null, requires);
        if (found === null) throw new Error('the operation has no document');
        return found;
      },
      runLongWork: (begin) => runInSlices(begin()),
      createAbortSignal: () => signal,
      createTemporaryFile: () => {
        throw new Error('an agent gets no file');
      },
      formatDocumentUrl: options.formatDocumentUrl,
    };
  }
}

type SchemaChecker = ReturnType<typeof Schema.Compile>;
const checkers = new WeakMap<object, SchemaChecker>();

/** Checks the members of an input that belong to the operation's body; null: they are valid. */
function checkBody({ body }: Operation, input: Readonly<Record<string, unknown>>): Refusal | null {
  const schema = findJsonSchema(body);
  if (schema === null) return null;
  const names = Object.keys(schema.properties ?? {});
  const sent = Object.fromEntries(names.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]));
  return checkSchema(schema, sent);
}

interface JsonObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The schema of an operation's JSON body; null: it has none. */
export function findJsonSchema(body: Operation['body']): (JsonObjectSchema & object) | null {
  if (body === null) return null;
  const contents = (body as { readonly content?: Readonly<Record<string, { readonly schema: TSchema }>> }).content;
  return contents === undefined ? body : (contents['application/json']?.schema ?? null);
}

/** Checks data against a schema; null: it is valid. */
export function checkSchema(schema: object, data: unknown): Refusal | null {
  const checker = checkers.get(schema) ?? Schema.Compile(schema as TSchema);
  checkers.set(schema, checker);
  const [fits, errors] = checker.Errors(data);
  if (fits) return null;
  return toSchemaRefusal(errors as readonly SchemaError[], Object.keys((schema as JsonObjectSchema).properties ?? {}));
}

/** An error of the schema checker. */
interface SchemaError {
  readonly keyword: string;
  /** JSON pointer of the value. */
  readonly instancePath: string;
  readonly message: string;
  readonly params: {
    readonly requiredProperties?: readonly string[];
    readonly allowedValues?: readonly unknown[];
    readonly type?: string | readonly string[];
  };
}

/** The API's message for the first error. Unknown members come first, because they may be misspelt required ones. */
function toSchemaRefusal(errors: readonly SchemaError[], knownNames: readonly string[]): Refusal {
  const unknown = errors.find(({ keyword }) => keyword === 'boolean');
  const first = unknown ?? errors[0];
  const path = (first?.instancePath ?? '').split('/').slice(1);
  if (unknown !== undefined) {
    return invalidRequest(path.join('.'), describeUnknownField(path.at(-1) ?? '', path.length === 1 ? knownNames : []));
  }
  const { requiredProperties, allowedValues, type } = first?.params ?? {};
  const [missing] = requiredProperties ?? [];
  const field = [...path, ...(missing === undefined ? [] : [missing])].join('.') || 'arguments';
  if (missing !== undefined) return invalidRequest(field, `${field} is required`);
  if (allowedValues) return invalidRequest(field, `${field} must be one of ${allowedValues.join(', ')}`);
  if (Array.isArray(type)) return invalidRequest(field, `${field} must be ${type.join(' or ')}`);
  return invalidRequest(field, `${field} ${first?.message ?? 'is not valid'}`);
}

/** The parsed JSON of an operation's answer. `revision` is null if the operation committed no revision. */
async function toOperationResult(answer: OperationAnswer): Promise<OperationResult> {
  if (answer.kind === 'reply') {
    const body = JSON.parse(answer.body) as OperationResult['body'];
    return { body, revision: answer.revision, isProposal: answer.isProposal ?? false, isReplay: answer.replayed };
  }
  if (answer.kind === 'file' || answer.kind === 'events') throw new Error('an agent gets JSON');
  const content = answer.kind === 'tagged' ? unwrapOrThrow(await answer.content()) : answer;
  return { body: parseContentBody(content), revision: null, isProposal: false, isReplay: false };
}

/** Parses the content of an answer (text, bytes or pieces). Throws for NDJSON. */
function parseContentBody(content: AnswerContent): OperationResult['body'] {
  switch (content.kind) {
    case 'json':
      return content.body as OperationResult['body'];
    case 'parts':
      return JSON.parse(content.parts.map(decodePart).join('')) as OperationResult['body'];
    case 'pieces':
      return JSON.parse([...content.pieces].join('')) as OperationResult['body'];
    default:
      throw new Error('an agent gets no lines');
  }
}

function decodePart(part: JsonPart): string {
  return typeof part === 'string' ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString();
}
