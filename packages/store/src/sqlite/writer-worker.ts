import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './connection.ts';
import { runUnits } from './transaction.ts';
import { packResults, type UnitMessage, UnitReceiver } from './unit-message.ts';

/** The writer thread: receives units, and answers each message with their results. `null` closes it. */
const receiver = new UnitReceiver();
const connection = new SqliteConnection((workerData as { readonly file: string }).file);

parentPort?.on('message', (message: UnitMessage | null) => {
  if (message !== null) {
    parentPort?.postMessage(packResults(runUnits(connection, receiver.readUnits(message))));
    return;
  }
  connection.close();
  parentPort?.close();
});
