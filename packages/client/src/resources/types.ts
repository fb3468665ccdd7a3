import type { Operations, Proposal } from '../generated/api.ts';
import type { CallOptions } from '../http/options.ts';

type OperationId = keyof Operations;
/** The answer of an operation. A write that became a proposal has `proposal` in place of its other members. */
export type Answer<Id extends OperationId> = Operations[Id]['answer'] &
  IfProposable<Id, { readonly proposal?: Proposal }>;

type IfProposable<Id extends OperationId, T> = 'propose' extends keyof Operations[Id]['query'] ? T : unknown;

/** Options of a write that make it wait for consent: sent in the query. */
export interface ProposeOptions {
  /** Applies nothing and answers a proposal. The writes of a token that only proposes do so without this option. */
  readonly propose?: boolean | undefined;
  /** At most 200 characters. */
  readonly title?: string | undefined;
  /** At most 2,000 characters. */
  readonly note?: string | undefined;
}

type Body<Id extends OperationId> = NonNullable<Operations[Id]['body']>;

/** The body of an operation without the members that are arguments of their own, with the options of a call. */
export type BodyOptions<Id extends OperationId, Given extends PropertyKey = never> = Omit<Body<Id>, Given> &
  IfProposable<Id, ProposeOptions> &
  CallOptions;

/** Text parameters that are booleans. */
type ParameterValue<T> = T extends 'true' | 'false' ? boolean | T : T;

/** The query of an operation with the options of a call. */
export type QueryOptions<Id extends OperationId, Given extends PropertyKey = never> = Omit<
  { readonly [Name in keyof Operations[Id]['query']]: ParameterValue<Operations[Id]['query'][Name]> },
  Given
> &
  CallOptions;

/** A value of a cell; null is an empty one. */
export type Value = string | number | boolean | null;

/** A value to write: a date is written as its ISO text, `{ value, as }` says the type, null leaves the cell as it is. */
export type Input = Value | Date | object;

export type Matrix = readonly (readonly Input[])[];
