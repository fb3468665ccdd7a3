import { calculateInThreads } from './support.ts';

// Runs the tests of documents with reading, calculation and storage in threads.
calculateInThreads();
await import('./documents.test.ts');
await import('./interleaving.test.ts');
await import('./lifecycle.test.ts');
await import('./new-day.test.ts');
await import('./checkpoints.test.ts');
await import('./past-revisions.test.ts');
