import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './connection.ts';
import { runUnits } from './transaction.ts';
import { packResults, type UnitMessage, UnitReceiver } from './unit-message.ts';

/**
 * The writer thread: receives units, and answers with their results. All messages that arrived during a transaction
 * share the next one. `null` closes the thread.
 */
const port = parentPort as MessagePort;
const receiver = new UnitReceiver();
const connection = new SqliteConnection((workerData as { readonly file: string }).file);

port.on('message', (first: UnitMessage | null) => {
  const messages: UnitMessage[] = [];
  let next = first;
  while (next !== null) {
    messages.push(next);
    const received = receiveMessageOnPort(port) as { readonly message: UnitMessage | null } | undefined;
    if (received === undefined) break;
    next = received.message;
  }
  if (messages.length > 0) {
    const units = messages.flatMap((message) => receiver.readUnits(message));
    port.postMessage({ ...packResults(runUnits(connection, units)), messages: messages.length });
  }
  if (next !== null) return;
  connection.close();
  port.close();
});
