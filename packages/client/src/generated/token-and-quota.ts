// Generated from openapi.json by `npm run client:types`.

export interface GetUserinfoResponse {
  readonly scopes: readonly string[];
}

export interface GetUsageResponse {
  readonly unlimited: boolean;
  readonly window: 'minute' | 'month' | null;
  readonly limit: number | null;
  readonly used: number | null;
  readonly remaining: number | null;
  readonly resetInSeconds: number | null;
}

/** Query, body and answer of each operation. */
export interface TokenAndQuotaOperations {
  /** Show the scopes of the token. */
  readonly getUserinfo: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetUserinfoResponse;
  };
  /** Show the quota of AI agents. */
  readonly getUsage: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetUsageResponse;
  };
}
