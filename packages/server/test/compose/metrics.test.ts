import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { registerDocumentMetrics } from '../../src/compose/metrics.ts';
import { CommitSignal } from '../../src/documents/commit-signal.ts';
import { createDocument, createInstallation, openDocument } from '../documents/support.ts';

test('each scrape counts the open documents once', async (t) => {
  const { documents } = await createInstallation(t);
  const registry = new Registry();
  let figureCalls = 0;
  const documentsWithCounter = {
    collectMetrics: () => {
      figureCalls++;
      return documents.collectMetrics();
    },
  };
  registerDocumentMetrics(documentsWithCounter, new CommitSignal(), registry);
  const readOpenDocuments = async (): Promise<string | undefined> =>
    /^cellwire_documents_open (\d+)$/m.exec(await registry.metrics())?.[1];
  assert.deepEqual([await readOpenDocuments(), figureCalls], ['0', 1]);
  await openDocument(documents, await createDocument(documents));
  assert.deepEqual([await readOpenDocuments(), figureCalls], ['1', 2]);
});
