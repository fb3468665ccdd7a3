import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runLoad, ServerProcess, startHomeMadeServer } from './children.mjs';
import { writeNumbers } from './files.mjs';

const RAW = fileURLToPath(new URL('./raw-bytes.mjs', import.meta.url));
const ROWS = 2_000;
const COLUMNS = 26;
/** Headers that Node sets itself. */
const OWN_HEADERS = ['connection', 'date', 'keep-alive', 'transfer-encoding'];

const KINDS = [
  {
    id: 'page',
    title: 'warm page of 1,000 × 26',
    connections: 8,
    path: () => '/values/A2:Z1001',
    target: { atLeast: 0.7 },
  },
  { id: 'cell', title: 'one cell', connections: 32, path: () => '/values/B7', target: { atLeast: 0.75 } },
  {
    id: 'homeMade',
    title: 'one cell, in place of the bare server a home-made one: `node:http` and HyperFormula, no access control',
    connections: 32,
    path: () => '/values/B7',
    other: startHomeMadeServer,
    target: { atLeast: 1 },
  },
  {
    id: 'batch',
    title: 'batchGet of 20 ranges of 10 × 5',
    connections: 32,
    path: createBatchPath,
    target: { atLeast: 0.5 },
  },
];

/** Returns the path of a read of several ranges. */
function createBatchPath() {
  const ranges = Array.from({ length: 20 }, (_, i) => `ranges[]=A${i * 20 + 2}:E${i * 20 + 11}`);
  return `/values/batchGet?${ranges.join('&')}`;
}

/** Compares reads with a bare server that sends the same bytes and headers, or with the server that `other` starts. */
export const reads = KINDS.map(({ id, title, connections, path, other = startMinimalServer, target }) => ({
  id,
  title,
  target,
  async start({ folder, installation }) {
    const file = `${folder}/page.csv`;
    await writeNumbers(file, ROWS, COLUMNS);
    const { id: document } = await installation.document('Page', file);
    const service = await installation.start();
    const address = `/api/v1/documents/${document}${path()}`;
    const { headers } = installation;
    const raw = await other({ file, folder, documents: [document], url: `${service.address}${address}`, headers });
    const task = { headers: installation.headers, connections, traffic: 'get', options: { path: address } };
    return {
      contestants: { service, raw },
      run: (contestant, seconds) => runLoad({ ...task, url: contestant.address, seconds }),
    };
  },
}));

/** Starts a server that sends the same headers and body as the service does for `url`. */
async function startMinimalServer({ folder, url, headers }) {
  const answerFile = `${folder}/answer.json`;
  await writeFile(answerFile, JSON.stringify(await readSample(url, headers)));
  return ServerProcess.start(RAW, { folder, args: [answerFile] });
}

/** Reads one answer of the service. Returns its headers and body. */
async function readSample(url, headers) {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  const keptHeaders = [...response.headers].filter(([name]) => !OWN_HEADERS.includes(name));
  const body = Buffer.from(await response.arrayBuffer());
  return {
    headers: { ...Object.fromEntries(keptHeaders), 'content-length': body.length },
    body: body.toString('base64'),
  };
}
