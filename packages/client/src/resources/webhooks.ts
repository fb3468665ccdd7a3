import type { Delivery, Webhook } from '../generated/api.ts';
import { joinPath } from '../http/address.ts';
import { Items, readByOffset } from '../streams/items.ts';
import { Resource } from './resource.ts';
import type { Answer, BodyOptions, QueryOptions } from './types.ts';

const DELIVERIES_A_PAGE = 200;

type HttpWebhookOptions = BodyOptions<'createWebhook'> & { readonly channel?: 'http' };
type HttpWebhookAnswer = Answer<'createWebhook'> & { readonly secret: string };

/** The subscriptions of a document. */
export class Webhooks extends Resource {
  async list(options: QueryOptions<'listWebhooks'> = {}): Promise<readonly Webhook[]> {
    return (await this.getJson<Answer<'listWebhooks'>>('', options)).webhooks;
  }

  /**
   * Subscribes to the changes of the document. A subscription of the channel `http` has a signing secret. It is only in
   * this response, and in the response to a repetition with the same `idempotencyKey`. A subscription of the channel
   * `messenger` has no secret.
   */
  create(options: HttpWebhookOptions): Promise<HttpWebhookAnswer>;
  create(options: BodyOptions<'createWebhook'>): Promise<Answer<'createWebhook'>>;
  create(options: BodyOptions<'createWebhook'>): Promise<Answer<'createWebhook'>> {
    return this.sendInBody('POST', '', {}, options);
  }

  delete(webhook: number, options: QueryOptions<'deleteWebhook'> = {}): Promise<Answer<'deleteWebhook'>> {
    return this.sendInQuery('DELETE', joinPath(webhook), options);
  }

  change(webhook: number, options: BodyOptions<'changeWebhook'>): Promise<Answer<'changeWebhook'>> {
    return this.sendInBody('PATCH', joinPath(webhook), {}, options);
  }

  /** Replaces the signing secret. Until `overlapEndsAt`, deliveries also have a signature made with the old secret. */
  rotate(webhook: number, options: BodyOptions<'rotateWebhookSecret'> = {}): Promise<Answer<'rotateWebhookSecret'>> {
    return this.sendInBody('POST', `${joinPath(webhook)}/secret`, {}, options);
  }

  /** Sends a notification without cells. */
  test(webhook: number, options: QueryOptions<'testWebhook'> = {}): Promise<Answer<'testWebhook'>> {
    return this.sendInQuery('POST', `${joinPath(webhook)}/test`, options);
  }

  /** Lists the deliveries of a subscription, the newest first, or one page with `offset` or `limit`. */
  deliveries(webhook: number, options: QueryOptions<'listDeliveries'> = {}): Items<Delivery> {
    const { offset, limit } = options;
    const page = async (query: object) =>
      (await this.getJson<Answer<'listDeliveries'>>(`${joinPath(webhook)}/deliveries`, { ...options, ...query }))
        .deliveries;
    if (offset === undefined && limit === undefined) {
      const next = (from: number) => page({ offset: from, limit: DELIVERIES_A_PAGE });
      return new Items(() => readByOffset(next, ({ deliveryId }) => deliveryId, options));
    }
    return new Items(async function* () {
      yield* (await page({})).entries;
    });
  }

  /** Sends a delivery again with the same id. */
  redeliver(webhook: number, delivery: string, options: QueryOptions<'redeliver'> = {}): Promise<Answer<'redeliver'>> {
    return this.sendInQuery('POST', `${joinPath(webhook)}/deliveries${joinPath(delivery)}/redeliver`, options);
  }
}
