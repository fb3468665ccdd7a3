import { parentPort, workerData } from 'node:worker_threads';
import type { Unit } from './database.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { runUnits } from './sqlite-transaction.ts';

/** The writer thread: gets arrays of units, answers each with the array of their results; `null` closes it. */
const connection = new SqliteConnection((workerData as { readonly file: string }).file);

parentPort?.on('message', (units: readonly Unit[] | null) => {
  if (units !== null) {
    parentPort?.postMessage(runUnits(connection, units));
    return;
  }
  connection.close();
  parentPort?.close();
});
