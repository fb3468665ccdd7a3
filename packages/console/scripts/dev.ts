// Serves the console for `npm run dev`: a saved module reloads the page. API requests go to a running service.
//
//     node scripts/dev.ts SERVICE-URL
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { createGeneratedModules } from './plugins.ts';

const PORT = 5173;
/** Path prefixes that the service handles. All other paths are pages of the console. */
const SERVED = ['/api', '/console', '/healthz', '/readyz'];

const [, , service = 'http://127.0.0.1:8080'] = process.argv;
const server = await createServer({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: createGeneratedModules(),
  server: {
    host: '127.0.0.1',
    port: PORT,
    proxy: Object.fromEntries(SERVED.map((path) => [path, { target: service, changeOrigin: false }])),
  },
});
await server.listen();
console.log(`The console with your changes: http://127.0.0.1:${PORT}`);
