import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import {
  createInstallation,
  type Installation,
  type Json,
  type ServiceProcess,
} from '../../server/test/main/support.ts';
import { Cellwire } from '../src/index.ts';
import { CLIENTS, type ClientCall, ClientProcess } from './clients.ts';
import { CuttingProxy, createRandom } from './cutting-proxy.ts';

let installation: Installation;
let service: ServiceProcess;
let token: string;

before(async () => {
  installation = await createInstallation({ CELLWIRE_LOG_LEVEL: 'warn' });
  const config = join(installation.folder, 'config.json');
  const settings = {
    plans: { enterprise: { requestsPerSecond: null } },
    notifications: { allowPrivateNetworks: true },
  };
  writeFileSync(config, JSON.stringify(settings));
  installation = installation.addEnvironment({ CELLWIRE_CONFIG: config });
  service = await installation.serve();
  token = service.readFirstStartValue('token');
});
after(async () => {
  await service.end('SIGTERM');
  await installation.remove();
});

/** Calls of one client on its own document. */
class ClientCalls {
  readonly client: ClientProcess;
  readonly document: string;

  constructor(client: ClientProcess, document: string) {
    this.client = client;
    this.document = document;
  }

  async call(call: ClientCall, url = service.address): Promise<Json> {
    const { result, error } = await this.client.call(url, token, { document: this.document, ...call });
    assert.equal(error, undefined, JSON.stringify(error));
    return result;
  }

  callResource(on: string, method: string, args: readonly unknown[] = [], options: object = {}): Promise<Json> {
    return this.call({ on, method, args, options: options as ClientCall['options'] & object });
  }

  callTable(method: string, args: readonly unknown[] = [], options: object = {}): Promise<Json> {
    const table = { range: 'A:C', options: { key: 'Number' } };
    return this.call({ on: 'table', table, method, args, options: options as ClientCall['options'] & object });
  }
}

for (const kind of CLIENTS) {
  suite(`the ${kind.name} client`, { concurrency: kind.concurrency ?? true }, () => {
    let client: ClientProcess;
    before(() => {
      client = new ClientProcess(kind);
    });
    after(() => client.close());

    async function newBook(): Promise<ClientCalls> {
      const documentCalls = new ClientCalls(client, '');
      const { document } = await documentCalls.callResource('documents', 'create', [], { title: kind.name });
      const book = new ClientCalls(client, document.id);
      await book.callResource('document', 'write', ['A1', [['Number', 'Sum', 'Due']]]);
      return book;
    }

    test('reads and writes the same values', async () => {
      const book = await newBook();
      const rows = [
        ['a', 1.5, '2026-03-26'],
        ['b', true, null],
      ];
      const datedRows = [
        ['a', 1.5, { $date: '2026-03-26' }],
        ['b', true, null],
      ];
      await book.callResource('document', 'write', ['A2', datedRows]);
      assert.deepEqual(await book.callResource('document', 'read', ['A2:C3']), rows);
      await book.callResource('document', 'append', ['A:C', [['c', '=1+1']]]);
      assert.deepEqual(await book.callResource('document', 'read', ['A4:B4'], { render: 'display' }), [['c', '2']]);
      const { updated } = await book.callResource('document', 'batchWrite', [[{ range: 'A5', values: [['d']] }]]);
      assert.equal(updated.cells, 1);
      const [first, second] = await book.callResource('document', 'batchRead', [['A5', 'Nope!A1']]);
      assert.deepEqual([first.cells, second.error], [[['d']], 'Sheet not found']);
      const dryRun = await book.callResource('document', 'clear', ['A2:C3'], { dryRun: true });
      assert.equal(dryRun.changes.length, 5);
      assert.equal((await book.callResource('document', 'clear', ['A2:C3'])).updated.cells, 5);
    });

    test('updates and appends records by their key', async () => {
      const book = await newBook();
      await book.callTable('upsert', [
        [
          { Number: 'a', Sum: 1, Due: { $date: '2026-03-26' } },
          { Number: 'b', Sum: 2 },
        ],
      ]);
      const { upserted } = await book.callTable('upsert', [
        [
          { Number: 'b', Sum: 3 },
          { Number: 'c', Sum: 4 },
        ],
      ]);
      assert.deepEqual([upserted.created, upserted.updated], [1, 1]);
      const records = await book.callTable('find', [], {
        where: { Sum: { gte: 3 } },
        select: ['Number'],
        sort: ['-Sum'],
      });
      assert.deepEqual(records, [{ Number: 'c' }, { Number: 'b' }]);
      const page = await book.callTable('query', [], { limit: 1 });
      assert.deepEqual([page.records[0].row, page.pagination.hasMore], [2, true]);
      assert.deepEqual(await book.callTable('aggregate', [], { measures: { sum: { sum: 'Sum' } } }), [{ sum: 8 }]);
      assert.equal(
        (await book.callTable('update', [], { where: { Number: 'a' }, set: { Sum: 9 } })).updated.updated,
        1,
      );
      assert.equal((await book.callTable('delete', [], { where: { Number: ['b', 'c'] } })).deleted.deleted, 2);
      assert.deepEqual(await book.callTable('find'), [{ Number: 'a', Sum: 9, Due: '2026-03-26' }]);
    });

    test('changes sheets and undoes the changes', async () => {
      const book = await newBook();
      const name = "O'Brien / co";
      await book.callResource('sheets', 'create', [name]);
      await book.callResource('sheets', 'protect', [name], { lock: true });
      assert.equal((await book.callResource('sheets', 'protection', [name])).lock, true);
      await book.callResource('sheets', 'unprotect', [name]);
      await book.callResource('sheets', 'rename', [name, 'New']);
      await book.callResource('sheets', 'hide', ['New', true]);
      const sheets = await book.callResource('sheets', 'list');
      assert.deepEqual(
        sheets.map((sheet: Json) => sheet.hidden),
        [false, true],
      );
      await book.callResource('sheets', 'delete', ['New']);
      const revisions = await book.callResource('history', 'list');
      await book.callResource('history', 'name', [revisions[0].revision, 'before']);
      await book.callResource('history', 'undo', [revisions[0].revision]);
      assert.equal((await book.callResource('sheets', 'list')).length, 2);
      await book.callResource('history', 'restore', [1]);
      assert.equal((await book.callResource('sheets', 'list')).length, 1);
      const changes = await book.call({ method: 'changes', collect: true });
      assert.deepEqual(
        changes.map(({ revision }: Json) => revision),
        changes.map((_: Json, i: number) => i + 1),
      );
    });

    test('manages webhooks', async () => {
      const book = await newBook();
      const url = 'http://127.0.0.1:1/hook';
      const { webhook, secret } = await book.callResource('webhooks', 'create', [], { url });
      assert.match(secret, /^whsec_/);
      await book.callResource('webhooks', 'change', [webhook.id], { active: false });
      assert.equal((await book.callResource('webhooks', 'list'))[0].active, false);
      await book.callResource('webhooks', 'change', [webhook.id], { active: true });
      assert.notEqual((await book.callResource('webhooks', 'rotate', [webhook.id])).secret, secret);
      const { delivery } = await book.callResource('webhooks', 'test', [webhook.id]);
      const deliveries = await book.call({ on: 'webhooks', method: 'deliveries', args: [webhook.id], collect: true });
      assert.equal(deliveries[0].deliveryId, delivery.deliveryId);
      assert.deepEqual(await book.callResource('webhooks', 'delete', [webhook.id]), { success: true });
    });

    test('proposes writes, applies and rejects them', async () => {
      const book = await newBook();
      const proposalOptions = { propose: true, title: 'Sum', note: 'As agreed' };
      const { proposal } = await book.callResource('document', 'write', ['B2', [[1]]], proposalOptions);
      assert.deepEqual([proposal.title, proposal.note, proposal.state], ['Sum', 'As agreed', 'open']);
      assert.deepEqual(await book.callResource('document', 'read', ['B2']), [[null]]);
      const record = await book.callTable('upsert', [[{ Number: 'a' }]], proposalOptions);
      assert.equal(record.proposal.action, 'records.upsert');
      const list: ClientCall = { on: 'proposals', method: 'list', options: { state: 'open' }, collect: true };
      assert.deepEqual(
        (await book.call(list)).map(({ id }: Json) => id),
        [record.proposal.id, proposal.id],
      );
      assert.equal((await book.callResource('proposals', 'get', [proposal.id])).changes[0].after, 1);
      assert.equal((await book.callResource('proposals', 'rebase', [proposal.id])).proposal.state, 'open');
      // A token must not decide on a write that it proposed.
      for (const method of ['apply', 'reject']) {
        const call = { document: book.document, on: 'proposals', method, args: [proposal.id] };
        const { error } = await client.call(service.address, token, call);
        assert.deepEqual([error?.['class'], error?.['status']], ['PermissionError', 403]);
      }
      const withdrawn = await book.callResource('proposals', 'withdraw', [proposal.id], { reason: 'Wrong' });
      assert.deepEqual([withdrawn.proposal.state, withdrawn.proposal.reason], ['withdrawn', 'Wrong']);
    });

    test('manages documents', async () => {
      const book = await newBook();
      const file = await book.callResource('document', 'export', [], { format: 'csv' });
      assert.match(file.bytes, /^.?Number[,;]Sum/);
      const { document } = await book.callResource('documents', 'copy', [book.document], { title: 'Copy' });
      await book.callResource('documents', 'rename', [document.id, 'Renamed']);
      const copy = new ClientCalls(client, document.id);
      assert.equal((await copy.callResource('document', 'get')).title, 'Renamed');
      const documents = await book.call({ on: 'documents', method: 'list', collect: true });
      assert.ok(documents.some(({ id }: Json) => id === document.id));
      assert.equal((await book.callResource('documents', 'delete', [document.id])).deleted.id, document.id);
      assert.ok((await book.callResource('client', 'userinfo')).scopes.includes('sheets.write'));
      assert.equal(typeof (await book.callResource('client', 'usage')).unlimited, 'boolean');
    });

    test('writes and reads each record once over broken connections', async () => {
      const book = await newBook();
      const proxy = await CuttingProxy.start(service.address);
      const count = 4_000;
      const random = createRandom(25);
      try {
        proxy.scheduleCuts({
          direction: 'requests',
          afterBytes: Array.from({ length: 3 }, () => 1_000 + random(50_000)),
        });
        // Browsers and Bun drop bytes that arrived before a cut, so each cut can end an attempt without progress.
        const attempts = 8;
        const options = { batch: 500, attempts };
        const table = { range: 'A:C', options: { key: 'Number' } };
        const append: ClientCall = { on: 'table', table, method: 'append', args: [{ $count: count }], options };
        const { appended } = await book.call(append, proxy.url);
        assert.equal(proxy.cutCount, 3);
        assert.equal(appended.created, count);
        proxy.scheduleCuts({
          direction: 'answers',
          afterBytes: Array.from({ length: 3 }, () => 1_000 + random(50_000)),
        });
        const records = await book.call(
          { on: 'table', table, method: 'find', options: { attempts }, collect: true },
          proxy.url,
        );
        assert.equal(proxy.cutCount, 3);
        assert.deepEqual(
          records.map((record: Json) => record.Sum),
          Array.from({ length: count }, (_, i) => i + 1),
        );
        const rows = await book.call({ method: 'rows', args: ['B2:B'], collect: true });
        assert.equal(rows.length, count);
      } finally {
        await proxy.close();
      }
    });
  });
}

test('each client receives each change once and in order, although the service is killed and restarted', async () => {
  const proxy = await CuttingProxy.start(service.address);
  const clients = CLIENTS.map((kind) => new ClientProcess(kind));
  const cw = new Cellwire({ url: proxy.url, token, attempts: 20 });
  try {
    const { document } = await cw.documents.create({ title: 'Followed' });
    const book = cw.document(document.id);
    await book.write('A1', [[0]]);
    const changes = 30;
    const follows = clients.map((client) =>
      client.call(proxy.url, token, { document: document.id, method: 'follow', args: [1], take: changes }),
    );
    for (let i = 1; i <= changes; i++) {
      await book.write('A1', [[i]]);
      if (i !== 10 && i !== 20) continue;
      await service.end('SIGKILL');
      service = await installation.serve();
      proxy.target = service.address;
    }
    for (const { result, error } of await Promise.all(follows)) {
      assert.equal(error, undefined);
      const revisions = (result as readonly { readonly revision: number }[]).map(({ revision }) => revision);
      assert.deepEqual(
        revisions,
        Array.from({ length: changes }, (_, i) => i + 2),
      );
    }
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await proxy.close();
  }
});
