import { runLoad, startHomeMadeServer } from './children.mjs';
import { writeNumbers } from './files.mjs';

const ROWS = 10_000;
const COLUMNS = 26;

const KINDS = [
  {
    id: 'cellsAtRandom',
    title: 'one cell at random, beside the home-made server',
    ...{ height: 1, width: 1, connections: 32, target: { atLeast: 0.9 } },
  },
  {
    id: 'cellsOver20',
    title: 'the same over 20 documents',
    ...{ documents: 20, rows: 2_000, height: 1, width: 1, connections: 32, target: { atLeast: 0.9 } },
  },
  {
    id: 'blocksAtRandom',
    title: '20 × 5 cells at random, beside the home-made server',
    ...{ height: 20, width: 5, connections: 32, target: { atLeast: 1 } },
  },
  {
    id: 'pagesAtRandom',
    title: '1,000 × 26 cells at random, beside the home-made server',
    ...{ height: 1_000, width: 26, connections: 8, target: { atLeast: 2 } },
  },
];

/** Compares the service with a minimal server on reads that hardly ever repeat. */
export const randomReads = KINDS.map(
  ({ id, title, documents: count = 1, rows = ROWS, height, width, connections, target }) => ({
    id,
    title,
    target,
    async start({ folder, installation }) {
      const file = `${folder}/page.csv`;
      await writeNumbers(file, rows, COLUMNS);
      const documents = [];
      for (let i = 0; i < count; i++) documents.push((await installation.document(`Page ${i}`, file)).id);
      const { headers } = installation;
      const service = await installation.start();
      const raw = await startHomeMadeServer({ file, folder, documents });
      const paths = documents.map((one) => `/api/v1/documents/${one}/values/`);
      const options = { paths, rows, columns: COLUMNS, height, width };
      return {
        contestants: { service, raw },
        run: ({ address: url }, seconds, round) =>
          runLoad({ url, headers, connections, seconds, traffic: 'ranges', options: { ...options, round } }),
      };
    },
  }),
);
