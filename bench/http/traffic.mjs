/** Number of rows that single-cell writes use in turns. */
const TARGET_ROWS = 1_000;
const PAGE_ROWS = 1_000;
const PAGE_COLUMNS = 26;

/** The requests of each kind of traffic. Every write has different values. */
export const TRAFFIC = {
  get: ({ path }) => [{ method: 'GET', path }],
  put({ document }) {
    let n = 0;
    return [
      createWrites('PUT', () => ({
        path: `/api/v1/documents/${document}/values/A${(n++ % TARGET_ROWS) + 1}`,
        body: { values: [[n + 0.5]] },
      })),
    ];
  },
  putMany({ documents }) {
    let n = 0;
    return [
      createWrites('PUT', () => ({
        path: `/api/v1/documents/${documents[n++ % documents.length]}/values/A${(n % TARGET_ROWS) + 1}`,
        body: { values: [[n + 0.5]] },
      })),
    ];
  },
  append({ document }) {
    let n = 0;
    return [
      createWrites('POST', () => ({
        path: `/api/v1/documents/${document}/values/append`,
        body: { range: 'A1', values: [[n++, 'name', n + 0.5, true, 'ready']] },
      })),
    ];
  },
  putPage({ document }) {
    let n = 0;
    return [
      createWrites('PUT', () => ({ path: `/api/v1/documents/${document}/values/A1`, body: { values: page(n++) } })),
    ];
  },
};

function createWrites(method, next) {
  return {
    method,
    setupRequest(request) {
      const { path, body } = next();
      return { ...request, path, body: JSON.stringify(body) };
    },
  };
}

function page(n) {
  return Array.from({ length: PAGE_ROWS }, (_, row) =>
    Array.from({ length: PAGE_COLUMNS }, (_, column) => row * PAGE_COLUMNS + column + n / 4),
  );
}
