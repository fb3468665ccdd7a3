process.env['ANSWERS'] = 'late';

// Repeats the tests of documents, idempotency and permissions on a database that answers late. `npm run test:late`
// repeats all tests.
await import('../documents/interleaving.test.ts');
await import('../http/idempotency.test.ts');
await import('../http/permission-changes.test.ts');
