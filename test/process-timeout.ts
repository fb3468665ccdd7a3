/**
 * Maximum life of a test process, in seconds. A hanging test fails earlier (`run-files.ts`), but a server or timer that
 * it left open keeps its process alive, and the run would never end. A whole run takes about 240 s; loaded machines need
 * several times as long.
 */
const PROCESS_TIMEOUT_SECONDS = 1_800;

// Only test processes have this variable. The runner itself lives as long as all of them.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`Tests have not ended after ${PROCESS_TIMEOUT_SECONDS} s. Still open: ${open}`);
    process.exit(1);
  }, PROCESS_TIMEOUT_SECONDS * 1000).unref();
}
