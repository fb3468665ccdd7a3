// One node of the service, in its own process. Reports its address, and on request its processor time.
import { startServer } from '../../packages/server/src/compose/server.ts';
import { DEFAULTS } from '../../packages/server/src/config/defaults.ts';

const { url, secretsKey, folder } = JSON.parse(process.argv[2]);
const plans = { ...DEFAULTS.plans, enterprise: { ...DEFAULTS.plans.enterprise, requestsPerSecond: null } };
const database = { url, connections: 10 };
const server = await startServer({
  ...DEFAULTS,
  plans,
  database,
  secretsKey,
  port: 0,
  dataFolder: folder,
  logLevel: 'silent',
});

const { context } = server.service;
const TASKS = {
  cpu: async () => process.cpuUsage(),
  async prepare({ documents }) {
    const { createUser } = await import('../../packages/server/src/service/operator/users.ts');
    const { createToken } = await import('../../packages/server/src/service/operator/tokens.ts');
    const { createDocument } = await import('../../packages/server/src/service/operator/new-document.ts');
    const owner = String(
      (await createUser(context, { email: 'bench@example.org', name: 'B', password: 'long enough' })).id,
    );
    const { token } = await createToken(context, { user: owner, name: 'b', scopes: ['sheets.read', 'sheets.write'] });
    const ids = [];
    for (let i = 0; i < documents; i++) ids.push((await createDocument(context, { owner, title: `D${i}` })).id);
    return { token, documents: ids };
  },
};
process.on('message', async ({ task, ...parameters }) => process.send({ reply: await TASKS[task](parameters) }));
process.send({ reply: server.address });
