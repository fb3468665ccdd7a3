import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { NEWEST_COMMITS_FILE, readNewestCommits, writeNewestCommits } from '@cellwire/store/documents';
import { CommitSignal } from '../../src/documents/commit-signal.ts';
import { NewestCommits } from '../../src/documents/newest-commits.ts';
import { NEWEST_COMMITS_MS } from '../../src/limits/open-documents.ts';

type ReadAll = Parameters<typeof NewestCommits.start>[0]['database']['readAll'];

suite('the file of newest commits', () => {
  test('is written once at a time when the database answers slowly', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const folder = mkdtempSync(join(tmpdir(), 'cellwire-newest-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const reads: (() => void)[] = [];
    let revision = 0;
    const readAll = async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      reads.push(resolve);
      await promise;
      return [[{ revision, head: `head ${revision}` }], []];
    };
    const errors: unknown[] = [];
    const commits = new CommitSignal();
    const newest = await NewestCommits.start({
      database: { readAll: readAll as unknown as ReadAll },
      folder,
      commits,
      clock: () => 0,
      onError: (_, error) => errors.push(error),
    });
    for (revision = 1; revision < 4; revision++) {
      commits.emitOwnCommit('document');
      t.mock.timers.tick(NEWEST_COMMITS_MS);
    }
    assert.equal(reads.length, 1);

    reads[0]?.();
    const stopped = newest.stop();
    while (reads.length < 2) await new Promise(setImmediate);
    reads[1]?.();
    await stopped;
    assert.deepEqual(errors, []);
    assert.deepEqual(readNewestCommits(folder).newest, [{ document: 'document', revision: 4, head: 'head 4' }]);
  });

  test('is not used if a bit of it has changed', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cellwire-newest-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const newest = [{ document: 'a document', revision: 12, head: 'a head' }];
    await writeNewestCommits(folder, { newest, losses: [] });
    const file = join(folder, NEWEST_COMMITS_FILE);
    const written = readFileSync(file);
    assert.deepEqual(readNewestCommits(folder).newest, newest);
    for (const position of [written.indexOf('12'), written.indexOf('a head'), written.indexOf('newest')]) {
      const damaged = Buffer.from(written);
      damaged.writeUInt8((written[position] as number) ^ 1, position);
      writeFileSync(file, damaged);
      assert.deepEqual(readNewestCommits(folder).newest, [], damaged.toString());
    }
  });
});
