/**
 * Seconds until a process of tests is ended. What has not ended in time fails (`together.ts`), but what it left open (a
 * server, a timer) keeps its process alive, and the run would wait for it forever. Far above what any takes: four
 * minutes, and several times that on a machine with as many times more to do.
 */
const PROCESS_SECONDS = 1_800;

// Not the runner, which starts them and lives as long as all of them.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`Tests have not ended after ${PROCESS_SECONDS} s. Still open: ${open}`);
    process.exit(1);
  }, PROCESS_SECONDS * 1000).unref();
}
