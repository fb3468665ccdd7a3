import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { STALLED_ANSWER_MS, STALLED_SWEEP_MS } from '../../limits/http.ts';

/** Bytes that the peer has acknowledged, and the time of the last change. */
interface ReaderProgress {
  readonly taken: number;
  readonly at: number;
}

/**
 * Closes connections whose reader has received nothing of the pending data for `afterMs`, so that the memory is freed.
 * A slow reader that still makes progress is kept.
 */
export function endStalledReaders(server: Server, afterMs = STALLED_ANSWER_MS, everyMs = STALLED_SWEEP_MS): void {
  const open = new Map<Socket, ReaderProgress | null>();
  server.on('connection', (socket) => {
    open.set(socket, null);
    socket.once('close', () => open.delete(socket));
  });
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [socket, before] of open) {
      if (socket.writableLength === 0) {
        if (before !== null) open.set(socket, null);
        continue;
      }
      const taken = socket.bytesWritten - socket.writableLength;
      if (before === null || before.taken !== taken) open.set(socket, { taken, at: now });
      else if (now - before.at >= afterMs) socket.destroy();
    }
  }, everyMs);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));
}
