// `node:test` must know which test runs, to assign nested tests, hooks and late errors to it. For this it registers a
// hook for every promise of the process, which took a quarter of the processor time of the service's tests. Here an
// `AsyncLocalStorage` carries the number of the running test, and the hook sees no promises.
//
// `node:test` reads these functions when it is first loaded, so this module must be loaded before.
import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';

const { createHook, executionAsyncId } = asyncHooks;
const runningTest = new AsyncLocalStorage();

tracingChannel('node.test').start.bindStore(runningTest, () => executionAsyncId());
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
asyncHooks.executionAsyncId = () => runningTest.getStore() ?? executionAsyncId();
