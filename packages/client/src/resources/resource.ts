import { type QueryParameters, splitOptions } from '../http/options.ts';
import type { CallRequest, Transport } from '../http/transport.ts';
import type { ProposeOptions } from './types.ts';

/** Sends the calls of one resource. */
export class Resource {
  protected readonly transport: Transport;
  protected readonly path: string;

  constructor(transport: Transport, path: string) {
    this.transport = transport;
    this.path = path;
  }

  /** Sends a GET with the options of the API in the query. */
  protected getJson<T>(path: string, options: object): Promise<T> {
    return this.sendInQuery('GET', path, options);
  }

  /** Sends a request with the options of the API in the query. */
  protected sendInQuery<T>(method: string, path: string, options: object): Promise<T> {
    const [call, query] = splitOptions(options);
    return this.transport.requestJson(this.createRequest(method, path, { query }), call);
  }

  /** Sends a request with `members` and the options of the API in the body. */
  protected sendInBody<T>(method: string, path: string, members: object, options: object): Promise<T> {
    const [call, api] = splitOptions(options);
    return this.transport.requestJson(this.createRequest(method, path, { body: { ...api, ...members } }), call);
  }

  /** Sends a write that may become a proposal: `propose`, `title` and `note` in the query, other options in the body. */
  protected sendWrite<T>(method: string, path: string, members: object, options: object): Promise<T> {
    const [call, api] = splitOptions(options);
    return this.transport.requestJson(this.createWriteRequest(method, path, { ...api, ...members }), call);
  }

  protected createWriteRequest(method: string, path: string, members: ProposeOptions & QueryParameters): CallRequest {
    const { propose, title, note, ...body } = members;
    return this.createRequest(method, path, { query: { propose, title, note }, body });
  }

  protected createRequest(
    method: string,
    path: string,
    content: { readonly query?: QueryParameters; readonly body?: unknown } = {},
  ): CallRequest {
    return { method, path: this.path + path, ...content };
  }
}
