// Generated from openapi.json by `npm run client:types`.

export interface Webhook {
  readonly id: number;
  readonly channel: 'http' | 'messenger';
  readonly events: readonly string[];
  readonly active: boolean;
  readonly createdAt: string;
  readonly url?: string;
  readonly token: string;
  readonly chatId?: string;
  /** Only changes of these cells are notified. */
  readonly range?: string;
  /** Columns that identify the records. */
  readonly key?: readonly string[];
}

export interface ListWebhooksResponse {
  readonly webhooks: readonly Webhook[];
}

export interface CreateWebhookRequest {
  /** `http` by default. */
  readonly channel?: 'http' | 'messenger';
  /** For channel `http`. */
  readonly url?: string;
  /** For channel `messenger`. */
  readonly botToken?: string;
  /** For channel `messenger`; the id of a group begins with `-`. */
  readonly chatId?: string;
  readonly events?: readonly ('document.updated' | 'proposal.opened' | 'proposal.decided')[];
  /** Limits changes to these cells, also after they have moved. */
  readonly range?: string;
  /** Columns of `range` that identify its records (in a query `key[]=…`). `records` then has the changed records. */
  readonly key?: readonly string[];
}

export interface CreateWebhookResponse {
  readonly webhook: Webhook;
  /** For channel `http`. Shown only once; a repetition with the same `Idempotency-Key` gets it again. */
  readonly secret?: string;
}

export interface DeleteWebhookResponse {
  readonly success: boolean;
}

export interface ChangeWebhookRequest {
  readonly active?: boolean;
  readonly url?: string;
  readonly events?: readonly ('document.updated' | 'proposal.opened' | 'proposal.decided')[];
}

export interface ChangeWebhookResponse {
  readonly webhook: Webhook;
}

export type RotateWebhookSecretRequest = {
  /** How long the old secret also signs: 86400 by default; 0 if it leaked. */
  readonly overlapSeconds?: number;
} | null;

export interface RotateWebhookSecretResponse {
  /** Shown only once. */
  readonly secret: string;
  readonly overlapEndsAt: string | null;
}

export interface Attempt {
  readonly attempt: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly outcome: 'delivered' | 'retry' | 'refused';
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the receiver’s response. */
  readonly response: string;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly webhook: number;
  readonly test: boolean;
  readonly state: 'waiting' | 'sending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';
  readonly source: string;
  readonly sourceToken: string | null;
  /** Id of the last request that it covers; sent as `X-Request-Id`. */
  readonly requestId: string | null;
  readonly revision: {
    readonly from: number;
    readonly to: number;
  };
  readonly cellCount: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly Attempt[];
}

export interface TestWebhookResponse {
  readonly delivery: Delivery;
}

export interface ListDeliveriesResponse {
  readonly deliveries: {
    readonly entries: readonly Delivery[];
    readonly total: number;
    readonly offset: number;
    readonly limit: number;
  };
}

export interface RedeliverResponse {
  readonly delivery: Delivery;
}

export interface RedeliverByIdResponse {
  readonly delivery: Delivery;
}

/** Query, body and answer of each operation. */
export interface WebhooksOperations {
  /** List the subscriptions of a document. */
  readonly listWebhooks: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: ListWebhooksResponse;
  };
  /** Subscribe to the changes of a document. */
  readonly createWebhook: {
    readonly query: unknown;
    readonly body: CreateWebhookRequest;
    readonly answer: CreateWebhookResponse;
  };
  /** Delete a subscription. */
  readonly deleteWebhook: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: DeleteWebhookResponse;
  };
  /** Change a subscription, or switch it off and on. */
  readonly changeWebhook: {
    readonly query: unknown;
    readonly body: ChangeWebhookRequest;
    readonly answer: ChangeWebhookResponse;
  };
  /** Replace the signing secret. */
  readonly rotateWebhookSecret: {
    readonly query: unknown;
    readonly body: RotateWebhookSecretRequest;
    readonly answer: RotateWebhookSecretResponse;
  };
  /** Send a test notification. */
  readonly testWebhook: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: TestWebhookResponse;
  };
  /** List the deliveries of a subscription, newest first. */
  readonly listDeliveries: {
    readonly query: {
      readonly state?: 'waiting' | 'sending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';
      readonly since?: string;
      readonly until?: string;
      readonly revision?: number;
      readonly offset?: number;
      readonly limit?: number;
    };
    readonly body: undefined;
    readonly answer: ListDeliveriesResponse;
  };
  /** Send a delivery again, under its own id. */
  readonly redeliver: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: RedeliverResponse;
  };
  /** Send a delivery again, by its id only. */
  readonly redeliverById: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: RedeliverByIdResponse;
  };
}
