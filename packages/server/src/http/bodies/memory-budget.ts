import type { Socket } from 'node:net';
import type { HttpResponse } from '../http-exchange.ts';

/** Limits of a memory budget, in bytes. */
interface BudgetLimits {
  readonly all: number;
  readonly perUser: number;
  /** Buffers up to this size are always admitted; the rate limit bounds them. */
  readonly uncounted: number;
}

/** Bytes held by one or more exchanges. They count for the user of the first one. */
interface HeldBuffer {
  readonly user: number;
  readonly bytes: number;
  holders: number;
}

/**
 * Budget of memory that exchanges hold until they are complete: request bodies and answers. Shared buffers count once.
 * No user can take the share of others, and small buffers are always admitted.
 */
export class MemoryBudget {
  private readonly limits: BudgetLimits;
  private readonly held = new Map<object, HeldBuffer>();
  private readonly users = new Map<number, number>();
  private bytes = 0;

  constructor(limits: BudgetLimits) {
    this.limits = limits;
  }

  /** Admits bytes until `response` is complete or its connection closes. False if the budget is exhausted. */
  admitBytes(user: number, buffer: object, bytes: number, response: HttpResponse): boolean {
    if (bytes <= this.limits.uncounted) return true;
    const owner = this.held.get(buffer);
    if (owner === undefined && this.isFull(user, bytes)) return false;
    const heldBuffer = owner ?? this.addBuffer(user, buffer, bytes);
    heldBuffer.holders++;
    runAtResponseEnd(response, () => {
      heldBuffer.holders--;
      if (heldBuffer.holders === 0 && this.held.get(buffer) === heldBuffer) this.removeBuffer(buffer, heldBuffer);
    });
    return true;
  }

  /** Reserves memory for what a response may need, once per response. False if the budget is exhausted. */
  reserveBytes(user: number, bytes: number, response: HttpResponse): boolean {
    return this.held.has(response) || this.admitBytes(user, response, bytes, response);
  }

  /** Frees a response's reservation. What the response really holds is counted by `admitBytes`. */
  releaseReservation(response: HttpResponse): void {
    const heldBuffer = this.held.get(response);
    if (heldBuffer !== undefined) this.removeBuffer(response, heldBuffer);
  }

  private isFull(user: number, bytes: number): boolean {
    const own = this.users.get(user) ?? 0;
    return exceedsLimit(this.bytes, bytes, this.limits.all) || exceedsLimit(own, bytes, this.limits.perUser);
  }

  /** Counts a buffer against its user's budget. It has no holders yet. */
  private addBuffer(user: number, buffer: object, bytes: number): HeldBuffer {
    const heldBuffer = { user, bytes, holders: 0 };
    this.held.set(buffer, heldBuffer);
    this.countUserBytes(user, bytes);
    return heldBuffer;
  }

  private removeBuffer(buffer: object, { user, bytes }: HeldBuffer): void {
    this.held.delete(buffer);
    this.countUserBytes(user, -bytes);
  }

  private countUserBytes(user: number, bytes: number): void {
    this.bytes += bytes;
    const own = (this.users.get(user) ?? 0) + bytes;
    if (own === 0) this.users.delete(user);
    else this.users.set(user, own);
  }
}

/** True if the added bytes exceed the limit. A first buffer is always admitted, however large it is. */
function exceedsLimit(used: number, added: number, limit: number): boolean {
  return used > 0 && used + added > limit;
}

/** Callbacks for the end of a response or a connection. */
const END_CALLBACKS = new WeakMap<HttpResponse | Socket, Set<() => void>>();

/**
 * Runs the callback when the response is complete or its connection closes, also for a response queued behind others.
 */
function runAtResponseEnd(response: HttpResponse, onGone: () => void): void {
  const { socket } = response.req;
  const places = [getEndCallbacks(response), getEndCallbacks(socket)];
  const release = () => {
    for (const place of places) place.delete(release);
    onGone();
  };
  for (const place of places) place.add(release);
  if (socket.destroyed) release();
}

/** One listener per response or connection, however many buffers it holds. */
function getEndCallbacks(emitter: HttpResponse | Socket): Set<() => void> {
  const callbacks = END_CALLBACKS.get(emitter);
  if (callbacks !== undefined) return callbacks;
  const leaving = new Set<() => void>();
  END_CALLBACKS.set(emitter, leaving);
  const runAll = (): void => {
    for (const leave of leaving) leave();
  };
  emitter.once('close', runAll);
  return leaving;
}
