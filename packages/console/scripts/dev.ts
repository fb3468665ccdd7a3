// The console for `npm run dev`: modules as they are saved, the page reloads by itself. What it asks goes to a service.
//
//   node scripts/dev.ts ADDRESS-OF-THE-SERVICE
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { generatedModules } from './plugins.ts';

const PORT = 5173;
/** Addresses of the service; all others are pages of the console. */
const SERVED = ['/api', '/console', '/healthz', '/readyz'];

const [, , service = 'http://127.0.0.1:8080'] = process.argv;
const server = await createServer({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: generatedModules(),
  server: {
    host: '127.0.0.1',
    port: PORT,
    proxy: Object.fromEntries(SERVED.map((path) => [path, { target: service, changeOrigin: false }])),
  },
});
await server.listen();
console.log(`The console with your changes: http://127.0.0.1:${PORT}`);
