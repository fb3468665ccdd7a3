/** What the description says of an operation beside its types. */
export interface OperationWords {
  readonly description: string;
  /** A JSON body that it takes. */
  readonly request?: unknown;
  /** A JSON answer that it gives. */
  readonly answer?: unknown;
  /** Answers of other content types. */
  readonly texts?: Readonly<Record<string, string>>;
}

export type Words = Readonly<Record<string, OperationWords>>;
