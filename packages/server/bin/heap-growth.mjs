// Limits how far the heap of the service grows. V8 rejects compiled code of a process with other flags, so this file
// must run before modules load from the compile cache.
//
// By default V8 lets a heap grow to about four times its live size: a service that imports records then holds more
// garbage the more records it has received (docs/performance.md, Records). Commands end soon and keep the default: the
// limit costs an import or export of a large document a tenth of its processor time.
import { setFlagsFromString } from 'node:v8';

/** How much a heap may grow beyond its live size before V8 collects garbage, in percent. */
const HEAP_GROWTH_PERCENT = 50;

setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
