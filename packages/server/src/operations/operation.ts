import type { MaybePromise } from '@cellwire/event-loop';
import type { Static, TSchema } from 'typebox';
import type { AccessRequirements } from '../access/gate.ts';
import type { Refusal } from '../service/refusal.ts';
import type { OperationAnswer } from './answer.ts';
import type { Call } from './call.ts';

/**
 * The effect of an operation on a document.
 *
 * | effect | `Idempotency-Key` | `ifRevision`, `expect`, `If-Match`, `dryRun` |
 * | --- | --- | --- |
 * | `read` | no | no |
 * | `write`: changes cells in a new revision, through `commitWrite` | yes | yes |
 * | `change`: changes other properties of a document than its cells | if `isKeyed` | no |
 */
type OperationEffect = 'read' | 'write' | 'change';

/** HTTP method and path of an operation, below the API's prefix. Members of `params` are in braces in the path. */
interface HttpAddress {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
}

/** Kinds of bodies besides JSON: NDJSON records, or a file. */
type OtherBody = 'lines' | 'file';

/** Example in the API's description. */
export interface OperationExample {
  /** A JSON body. */
  readonly request?: unknown;
  /** The example of a JSON answer to the request. */
  readonly answer?: unknown;
  /** Answers with other content types. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** An operation of the API. Adapters convert its input and answer and contain no other logic. */
export interface Operation {
  /** The `operationId` in the API's description. It never changes, because clients depend on it. */
  readonly id: string;
  readonly effect: OperationEffect;
  readonly http: HttpAddress;
  readonly requires: AccessRequirements;
  /** The group of the API's reference. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly example: OperationExample;
  /** Whether an `Idempotency-Key` is honoured. */
  readonly isKeyed: boolean;
  /** Whether the operation deletes the document of the call, so that a replay finds none. */
  readonly endsDocument: boolean;
  readonly params: TSchema | null;
  readonly query: TSchema | null;
  readonly body: TSchema | object | null;
  readonly accepts: OtherBody | null;
  /** Maximum bytes of a JSON body; null: the general limit. */
  readonly maxBodyBytes: number | null;
  /** Schemas of answers by status. */
  readonly answers: Readonly<Record<number, unknown>>;
  readonly run: (call: Call, input: object) => MaybePromise<OperationAnswer | Refusal>;
}

/** The input of an operation: the members of its path, query and body in one object. */
export type InputOf<Params, Query, Body> = StaticOf<Params> & StaticOf<Query> & StaticOf<Body>;
type StaticOf<Schema> = [Schema] extends [never]
  ? unknown
  : Schema extends TSchema
    ? NonNullable<Static<Schema>>
    : unknown;

interface OperationDefinition<Params, Query, Body> {
  readonly id: string;
  readonly http: HttpAddress;
  readonly requires: AccessRequirements;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly example?: OperationExample;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly accepts?: OtherBody;
  readonly maxBodyBytes?: number;
  readonly answers: Readonly<Record<number, unknown>>;
  readonly run: (call: Call, input: InputOf<Params, Query, Body>) => MaybePromise<OperationAnswer | Refusal>;
}

interface ChangeDefinition<Params, Query, Body> extends OperationDefinition<Params, Query, Body> {
  readonly isKeyed: boolean;
  readonly endsDocument?: boolean;
}

/** Defines an operation that changes nothing. */
export function defineRead<
  Params extends TSchema = never,
  Query extends TSchema = never,
  Body extends TSchema | object = never,
>(definition: OperationDefinition<Params, Query, Body>): Operation {
  return createOperation('read', false, definition);
}

/** Defines an operation that changes cells: `run` ends in `commitWrite` or `prepareAndWrite`. */
export function defineWrite<
  Params extends TSchema = never,
  Query extends TSchema = never,
  Body extends TSchema | object = never,
>(definition: OperationDefinition<Params, Query, Body>): Operation {
  return createOperation('write', true, definition);
}

/** Defines an operation that creates a document or changes properties other than cells. */
export function defineChange<
  Params extends TSchema = never,
  Query extends TSchema = never,
  Body extends TSchema | object = never,
>({ isKeyed, endsDocument = false, ...definition }: ChangeDefinition<Params, Query, Body>): Operation {
  return { ...createOperation('change', isKeyed, definition), endsDocument };
}

/** An operation with defaults for what its definition leaves out. `isKeyed`: it honours a key. */
function createOperation<Params, Query, Body>(
  effect: OperationEffect,
  isKeyed: boolean,
  definition: OperationDefinition<Params, Query, Body>,
): Operation {
  const { example = {}, params = null, query = null, body = null, accepts = null, maxBodyBytes = null } = definition;
  const { id, http, tag, summary, description, answers, run } = definition;
  const requires = effect === 'change' ? { bypassesConsent: true, ...definition.requires } : definition.requires;
  return {
    ...{ id, effect, http, requires, tag, summary, description, example, isKeyed, accepts, maxBodyBytes, answers },
    endsDocument: false,
    params: params as TSchema | null,
    query: query as TSchema | null,
    body: body as TSchema | null,
    // Adapters check the input against the schemas above before they run an operation.
    run: run as Operation['run'],
  };
}
