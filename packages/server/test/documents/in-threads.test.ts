import { calculateInThreads } from './support.ts';

// All that holds of documents holds wherever they are read, calculated and stored.
calculateInThreads();
await import('./documents.test.ts');
await import('./interleaving.test.ts');
await import('./lifecycle.test.ts');
await import('./new-day.test.ts');
await import('./checkpoints.test.ts');
await import('./past.test.ts');
