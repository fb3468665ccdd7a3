// Generated from openapi.json by `npm run client:types`.

export interface AuditEntry {
  readonly id: number;
  readonly action: string;
  readonly origin: string;
  readonly userId: number;
  readonly userName: string;
  readonly token: string;
  /** Id of the request that caused the entry. */
  readonly requestId: string | null;
  readonly properties: {
    readonly range: string;
    readonly cells: number;
    /** For entries about a subscription: its number. */
    readonly webhook?: number;
    /** The address of the subscription; only its host for other users than its owners. */
    readonly address?: string;
  };
  readonly createdAt: string;
}

export interface GetAuditResponse {
  readonly audit: {
    readonly entries: readonly AuditEntry[];
    readonly total: number;
    readonly offset: number;
    readonly limit: number;
    readonly tokens: readonly string[];
  };
}

/** Query, body and answer of each operation. */
export interface AuditOperations {
  /** List changes made through the API and integrations, newest first. */
  readonly getAudit: {
    readonly query: {
      readonly offset?: number;
      readonly limit?: number;
    };
    readonly body: undefined;
    readonly answer: GetAuditResponse;
  };
}
