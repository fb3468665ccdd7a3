/**
 * Seconds until a test file's process is ended. `--test-timeout` ends a test that hangs, but not its process: what the
 * test left open (a server, a timer) keeps that alive, and the run would wait for it forever. Far above what any file
 * takes: half a minute, and ten times that on a machine with as many times more to do.
 */
const FILE_SECONDS = 600;

// Only the processes of test files: the runner, which starts them, lives as long as all of them.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`${process.argv[1]} has not ended after ${FILE_SECONDS} s. Still open: ${open}`);
    process.exit(1);
  }, FILE_SECONDS * 1000).unref();
}
