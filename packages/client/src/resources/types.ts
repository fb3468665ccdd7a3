import type { Operations, Proposal } from '../generated/api.ts';
import type { CallOptions } from '../http/options.ts';

type OperationId = keyof Operations;
/** The response of an operation. A write that became a proposal has `proposal` instead of its other members. */
export type Answer<Id extends OperationId> = Operations[Id]['answer'] &
  IfProposable<Id, { readonly proposal?: Proposal }>;

type IfProposable<Id extends OperationId, T> = 'propose' extends keyof Operations[Id]['query'] ? T : unknown;

/** Options that turn a write into a proposal. They are sent in the query. */
export interface ProposeOptions {
  /**
   * Creates a proposal instead of writing. If the token may only propose, writes become proposals even without this
   * option.
   */
  readonly propose?: boolean | undefined;
  /** Title of the proposal, at most 200 characters. */
  readonly title?: string | undefined;
  /** Note for the person who decides, at most 2,000 characters. */
  readonly note?: string | undefined;
}

type Body<Id extends OperationId> = NonNullable<Operations[Id]['body']>;

/** Options of an operation: the members of its body that are not separate arguments, and the options of a call. */
export type BodyOptions<Id extends OperationId, Given extends PropertyKey = never> = Omit<Body<Id>, Given> &
  IfProposable<Id, ProposeOptions> &
  CallOptions;

/** Accepts booleans for the texts `true` and `false`. */
type ParameterValue<T> = T extends 'true' | 'false' ? boolean | T : T;

/** Options of an operation: its query, and the options of a call. */
export type QueryOptions<Id extends OperationId, Given extends PropertyKey = never> = Omit<
  { readonly [Name in keyof Operations[Id]['query']]: ParameterValue<Operations[Id]['query'][Name]> },
  Given
> &
  CallOptions;

/** The value of a cell; null for an empty cell. */
export type Value = string | number | boolean | null;

/** A value to write. Dates are sent as ISO texts, `{ value, as }` sets the type, and null leaves the cell unchanged. */
export type Input = Value | Date | object;

export type Matrix = readonly (readonly Input[])[];
