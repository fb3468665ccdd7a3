import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { registerDocumentMetrics } from '../../src/compose/metrics.ts';
import { CommitSignal } from '../../src/documents/commit-signal.ts';
import { newDocument, newInstallation, openDocument } from '../documents/support.ts';

test('one look at the open documents a scrape, and a new one at the next', async (t) => {
  const { documents } = await newInstallation(t);
  const registry = new Registry();
  let looks = 0;
  const counted = {
    figures: () => {
      looks++;
      return documents.figures();
    },
  };
  registerDocumentMetrics(counted, new CommitSignal(), registry);
  const open = async (): Promise<string | undefined> =>
    /^cellwire_documents_open (\d+)$/m.exec(await registry.metrics())?.[1];
  assert.deepEqual([await open(), looks], ['0', 1]);
  await openDocument(documents, await newDocument(documents));
  assert.deepEqual([await open(), looks], ['1', 2]);
});
