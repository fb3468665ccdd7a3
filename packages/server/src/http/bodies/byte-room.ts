import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What a room takes in, in bytes. */
interface RoomLimits {
  readonly all: number;
  readonly perUser: number;
  /** So many or fewer are always let in; the rate of requests bounds them. */
  readonly uncounted: number;
}

/** Bytes that one or more exchanges hold, and whose they count as: the first one's. */
interface Held {
  readonly user: number;
  readonly bytes: number;
  holders: number;
}

/**
 * Counts what exchanges hold in memory until they are done: bodies on their way in, answers on their way out. Bytes that
 * several share count once. Nobody can take the room of others, and few bytes always find some.
 */
export class ByteRoom {
  private readonly limits: RoomLimits;
  private readonly held = new Map<object, Held>();
  private readonly users = new Map<number, number>();
  private bytes = 0;

  constructor(limits: RoomLimits) {
    this.limits = limits;
  }

  /** Lets bytes in until `response` is done with or its connection is gone; false where there is no room. */
  enter(user: number, buffer: object, bytes: number, response: ServerResponse): boolean {
    if (bytes <= this.limits.uncounted) return true;
    const known = this.held.get(buffer);
    if (known === undefined && this.isFull(user, bytes)) return false;
    const held = known ?? this.add(user, buffer, bytes);
    held.holders++;
    whenGone(response, () => {
      held.holders--;
      if (held.holders === 0 && this.held.get(buffer) === held) this.remove(buffer, held);
    });
    return true;
  }

  /** Keeps room for what a response may come to hold, once for each; false where there is none. */
  reserve(user: number, bytes: number, response: ServerResponse): boolean {
    return this.held.has(response) || this.enter(user, response, bytes, response);
  }

  /** Gives back what was reserved for a response: what it really holds enters instead. */
  settle(response: ServerResponse): void {
    const held = this.held.get(response);
    if (held !== undefined) this.remove(response, held);
  }

  private isFull(user: number, bytes: number): boolean {
    const own = this.users.get(user) ?? 0;
    return isOver(this.bytes, bytes, this.limits.all) || isOver(own, bytes, this.limits.perUser);
  }

  private add(user: number, buffer: object, bytes: number): Held {
    const held = { user, bytes, holders: 0 };
    this.held.set(buffer, held);
    this.count(user, bytes);
    return held;
  }

  private remove(buffer: object, { user, bytes }: Held): void {
    this.held.delete(buffer);
    this.count(user, -bytes);
  }

  private count(user: number, bytes: number): void {
    this.bytes += bytes;
    const own = (this.users.get(user) ?? 0) + bytes;
    if (own === 0) this.users.delete(user);
    else this.users.set(user, own);
  }
}

/** One may always come, however long it may be. */
function isOver(held: number, more: number, limit: number): boolean {
  return held > 0 && held + more > limit;
}

/** What is to be done when a response, or a connection, is gone. */
const LEAVING = new WeakMap<ServerResponse | Socket, Set<() => void>>();

/** A response that waits behind others is not told that its connection goes. */
function whenGone(response: ServerResponse, leave: () => void): void {
  const { socket } = response.req;
  const places = [leavingOf(response), leavingOf(socket)];
  const once = () => {
    for (const place of places) place.delete(once);
    leave();
  };
  for (const place of places) place.add(once);
  if (socket.destroyed) once();
}

/** One listener, however much a response or a connection holds. */
function leavingOf(gone: ServerResponse | Socket): Set<() => void> {
  const known = LEAVING.get(gone);
  if (known !== undefined) return known;
  const leaving = new Set<() => void>();
  LEAVING.set(gone, leaving);
  gone.once('close', () => {
    for (const leave of leaving) leave();
  });
  return leaving;
}
