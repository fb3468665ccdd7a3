import { createRandom } from '../lib/stats.mjs';

/** Number of rows that single-cell writes use in turns. */
const TARGET_ROWS = 1_000;
const PAGE_ROWS = 1_000;
const PAGE_COLUMNS = 26;

/** The requests of each kind of traffic. Every write has different values. */
export const TRAFFIC = {
  get: ({ path }) => [{ method: 'GET', path }],
  /**
   * Ranges of `height` × `width` at random positions of sheets of `rows` × `columns`, in `paths` (up to the range) at
   * random. Each round has its own positions, so that few requests repeat an earlier one.
   */
  ranges({ paths, rows, columns, height, width, round }) {
    const random = createRandom(round + 1);
    const drawBelow = (limit) => Math.floor(random() * limit);
    return [
      {
        method: 'GET',
        setupRequest(request) {
          const [top, left] = [drawBelow(rows - height + 1), drawBelow(columns - width + 1)];
          const first = formatCellName(top, left);
          const last = height === 1 && width === 1 ? '' : `:${formatCellName(top + height - 1, left + width - 1)}`;
          return { ...request, path: `${paths[drawBelow(paths.length)]}${first}${last}` };
        },
      },
    ];
  },
  put({ document }) {
    let n = 0;
    return [
      createCellWrites('PUT', () => ({
        path: `/api/v1/documents/${document}/values/A${(n++ % TARGET_ROWS) + 1}`,
        body: { values: [[n + 0.5]] },
      })),
    ];
  },
  putMany({ documents }) {
    let n = 0;
    return [
      createCellWrites('PUT', () => ({
        path: `/api/v1/documents/${documents[n++ % documents.length]}/values/A${(n % TARGET_ROWS) + 1}`,
        body: { values: [[n + 0.5]] },
      })),
    ];
  },
  append({ document }) {
    let n = 0;
    return [
      createCellWrites('POST', () => ({
        path: `/api/v1/documents/${document}/values/append`,
        body: { range: 'A1', values: [[n++, 'name', n + 0.5, true, 'ready']] },
      })),
    ];
  },
  putPage({ document }) {
    let n = 0;
    return [
      createCellWrites('PUT', () => ({
        path: `/api/v1/documents/${document}/values/A1`,
        body: { values: createPageValues(n++) },
      })),
    ];
  },
};

function createCellWrites(method, next) {
  return {
    method,
    setupRequest(request) {
      const { path, body } = next();
      return { ...request, path, body: JSON.stringify(body) };
    },
  };
}

function createPageValues(n) {
  return Array.from({ length: PAGE_ROWS }, (_, row) =>
    Array.from({ length: PAGE_COLUMNS }, (_, column) => row * PAGE_COLUMNS + column + n / 4),
  );
}

/** A cell of the first 26 columns in A1 form. */
function formatCellName(row, column) {
  return `${String.fromCharCode(65 + column)}${row + 1}`;
}
