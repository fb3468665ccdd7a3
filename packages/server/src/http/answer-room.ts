import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_UNCOUNTED_ANSWER_BYTES, MAX_UNSENT_BYTES, MAX_UNSENT_BYTES_PER_USER } from '../limits/http.ts';

/** Bytes on their way to one or more readers, and whose they count as: the first one's. */
interface Held {
  readonly user: number;
  readonly bytes: number;
  readers: number;
}

/**
 * Counts what answers hold in memory until their readers have taken them. Bytes that several answers share count once.
 * Nobody can take the room of others, and short answers always find some.
 */
export class AnswerRoom {
  private readonly held = new Map<object, Held>();
  private readonly users = new Map<number, number>();
  private bytes = 0;

  /** Lets bytes in until `response` is done with or its connection is gone; false where there is no room. */
  enter(user: number, buffer: object, bytes: number, response: ServerResponse): boolean {
    if (bytes <= MAX_UNCOUNTED_ANSWER_BYTES) return true;
    const known = this.held.get(buffer);
    if (known === undefined && this.isFull(user, bytes)) return false;
    const held = known ?? this.add(user, buffer, bytes);
    held.readers++;
    whenGone(response, () => {
      held.readers--;
      if (held.readers === 0) this.remove(buffer, held);
    });
    return true;
  }

  private isFull(user: number, bytes: number): boolean {
    const own = this.users.get(user) ?? 0;
    return isOver(this.bytes, bytes, MAX_UNSENT_BYTES) || isOver(own, bytes, MAX_UNSENT_BYTES_PER_USER);
  }

  private add(user: number, buffer: object, bytes: number): Held {
    const held = { user, bytes, readers: 0 };
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

/** One answer may always come, however long it may be. */
function isOver(held: number, more: number, limit: number): boolean {
  return held > 0 && held + more > limit;
}

/** What is to be done when a connection goes; a response that waits behind others is not told of it. */
const LEAVING = new WeakMap<Socket, Set<() => void>>();

function whenGone(response: ServerResponse, leave: () => void): void {
  const { socket } = response.req;
  const leaving = leavingOf(socket);
  const once = () => {
    if (leaving.delete(once)) leave();
  };
  leaving.add(once);
  response.once('close', once);
  if (socket.destroyed) once();
}

function leavingOf(socket: Socket): Set<() => void> {
  const known = LEAVING.get(socket);
  if (known !== undefined) return known;
  const leaving = new Set<() => void>();
  LEAVING.set(socket, leaving);
  socket.once('close', () => {
    for (const leave of leaving) leave();
  });
  return leaving;
}
