import { fileURLToPath } from 'node:url';
import { runLoad, ServerProcess } from './children.mjs';

const RAW = fileURLToPath(new URL('./raw-writer.mjs', import.meta.url));
const MANY = 64;

const KINDS = [
  { id: 'put', title: 'durable PUTs of one cell, 64 connections', connections: 64, target: { atLeast: 0.5 } },
  { id: 'putMany', title: 'the same over 64 documents', connections: 64, documents: MANY, target: { atLeast: 0.5 } },
  { id: 'append', title: 'durable appends of a row of 5, 64 connections', connections: 64, target: { atLeast: 0.4 } },
  { id: 'putPage', title: 'durable PUTs of 1,000 × 26, 2 connections', connections: 2, target: { atLeast: 0.6 } },
];

/** Compares writes with a bare server that inserts the same rows in the same group commits. */
export const writes = KINDS.map(({ id, title, connections, documents = 1, target }) => ({
  id,
  title,
  target,
  async start({ folder, installation }) {
    const service = await installation.start();
    const ids = await installation.emptyDocuments(service, documents);
    const raw = await ServerProcess.start(RAW, { folder, args: [`${folder}/raw-${id}.db`] });
    const task = {
      headers: installation.headers,
      connections,
      traffic: id,
      options: { document: ids[0], documents: ids },
    };
    return {
      contestants: { service, raw },
      run: (contestant, seconds) => runLoad({ ...task, url: contestant.address, seconds }),
    };
  },
}));
