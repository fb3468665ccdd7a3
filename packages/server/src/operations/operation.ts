import type { MaybePromise } from '@cellwire/event-loop';
import type { Static, TSchema } from 'typebox';
import type { AccessRequirements } from '../access/gate.ts';
import type { Refusal } from '../service/refusal.ts';
import type { OperationAnswer } from './answer.ts';
import type { Call } from './call.ts';

/**
 * What running an operation does to a document.
 *
 * | effect | `Idempotency-Key` | `ifRevision`, `expect`, `If-Match`, `dryRun` |
 * | --- | --- | --- |
 * | `read` | no | no |
 * | `write`: changes cells in a new revision, through `runWrite` | yes | yes |
 * | `change`: changes what belongs to a document beside its cells | if `isKeyed` | no |
 */
type Effect = 'read' | 'write' | 'change';

/** How HTTP addresses an operation. Members of `params` stand in braces in the path, below the prefix of the API. */
interface HttpAddress {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
}

/** Content types beside JSON that a body may have: lines of records, or a file. */
type OtherBody = 'lines' | 'file';

/** What the API's description shows. */
export interface OperationExample {
  /** A JSON body. */
  readonly request?: unknown;
  /** The JSON answer to it. */
  readonly answer?: unknown;
  /** Answers of other content types. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** An operation as every adapter sees it. An adapter maps input and answer, and decides nothing. */
export interface Operation {
  /** The `operationId` of the API's description, which clients build on: it never changes. */
  readonly id: string;
  readonly effect: Effect;
  readonly http: HttpAddress;
  readonly requires: AccessRequirements;
  /** The group of the API's reference. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly example: OperationExample;
  /** Whether an `Idempotency-Key` is honoured. */
  readonly isKeyed: boolean;
  /** The document of the call is gone afterwards: a repetition finds none. */
  readonly endsDocument: boolean;
  readonly params: TSchema | null;
  readonly query: TSchema | null;
  readonly body: TSchema | object | null;
  readonly accepts: OtherBody | null;
  /** Most bytes of a JSON body; null: the limit of all bodies. */
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

interface Definition<Params, Query, Body> {
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

interface ChangeDefinition<Params, Query, Body> extends Definition<Params, Query, Body> {
  readonly isKeyed: boolean;
  readonly endsDocument?: boolean;
}

/** Defines an operation that changes nothing. */
export function defineRead<
  Params extends TSchema = never,
  Query extends TSchema = never,
  Body extends TSchema | object = never,
>(definition: Definition<Params, Query, Body>): Operation {
  return operationOf('read', false, definition);
}

/** Defines an operation that changes cells: `run` ends in `runWrite`. */
export function defineWrite<
  Params extends TSchema = never,
  Query extends TSchema = never,
  Body extends TSchema | object = never,
>(definition: Definition<Params, Query, Body>): Operation {
  return operationOf('write', true, definition);
}

/** Defines an operation that changes what belongs to a document beside its cells, or makes a document. */
export function defineChange<
  Params extends TSchema = never,
  Query extends TSchema = never,
  Body extends TSchema | object = never,
>({ isKeyed, endsDocument = false, ...definition }: ChangeDefinition<Params, Query, Body>): Operation {
  return { ...operationOf('change', isKeyed, definition), endsDocument };
}

function operationOf<Params, Query, Body>(
  effect: Effect,
  isKeyed: boolean,
  definition: Definition<Params, Query, Body>,
): Operation {
  const { example = {}, params = null, query = null, body = null, accepts = null, maxBodyBytes = null } = definition;
  const { id, http, requires, tag, summary, description, answers, run } = definition;
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
