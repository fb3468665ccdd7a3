import { createReadinessCheck } from '../../service/health.ts';
import type { Api, App } from '../api.ts';
import type { Drain } from '../connections/drain.ts';
import type { Metrics } from './metrics.ts';
import { isMetricsReader, READER_UNKNOWN } from './metrics-server.ts';

const HIDDEN = { schema: { hide: true } };

/** Adds routes for operators: liveness, readiness and metrics. */
export function addHealthRoutes(app: App, { context }: Api, metrics: Metrics, drain: Drain): void {
  app.get('/healthz', HIDDEN, async () => ({ status: 'ok' }));

  const { database, config } = context;
  const isReady = createReadinessCheck({ database, folder: config.database.url === null ? config.dataFolder : null });
  app.get('/readyz', HIDDEN, async (_request, reply) =>
    !drain.isOn && (await isReady()) ? { status: 'ready' } : reply.code(503).send({ status: 'not ready' }),
  );

  const { port, token } = config.metrics;
  if (port !== null) return;
  app.get('/metrics', HIDDEN, async (request, reply) => {
    if (isMetricsReader(request.headers.authorization, token)) {
      return reply.type(metrics.contentType).send(await metrics.formatMetrics());
    }
    return reply
      .code(401)
      .header(...READER_UNKNOWN)
      .send({ message: 'Unauthorized' });
  });
}
