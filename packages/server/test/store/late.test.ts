process.env['ANSWERS'] = 'late';

// What holds of documents, keys and rights holds on a database that answers late, too. The rest: `npm run test:late`.
await import('../documents/interleaving.test.ts');
await import('../http/idempotency.test.ts');
await import('../http/permission-changes.test.ts');
