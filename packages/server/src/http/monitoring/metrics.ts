import { Counter, collectDefaultMetrics, type Registry } from 'prom-client';
import { METRIC_TIMEOUT_MS } from '../../limits/http.ts';
import { RequestMetrics } from './request-figures.ts';
import type { RequestLine } from './request-log.ts';

export interface Metrics {
  countRequest(request: RequestLine): void;
  /** Metrics in the Prometheus text format. A metric that cannot be read in time is omitted. */
  formatMetrics(): Promise<string>;
  readonly contentType: string;
}

/**
 * Counts requests by route, method and status, and includes the process's own metrics (event loop, memory, gc) and
 * everything else in the registry.
 */
export function createMetrics(registry: Registry, onFailure: (name: string, error: unknown) => void): Metrics {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const failures = new Counter({
    name: 'cellwire_metrics_failures_total',
    help: 'Figures that could not be read and were left out of this page.',
    labelNames: ['metric'],
    registers: [registry],
  });
  const reportFailure = (name: string, error: unknown): null => {
    failures.inc({ metric: name });
    onFailure(name, error);
    return null;
  };
  const requests = new RequestMetrics();
  return {
    countRequest: (line) => requests.countRequest(line),
    formatMetrics: async () => {
      const names = registry.getMetricsAsArray().map(({ name }) => name);
      const texts = await Promise.all(
        names.map((name) =>
          limitTime(registry.getSingleMetricAsString(name)).catch((error: unknown) => reportFailure(name, error)),
        ),
      );
      return `${[...texts, requests.formatMetrics()].filter((text) => text !== null).join('\n\n')}\n`;
    },
    contentType: registry.contentType,
  };
}

/** Gauges with names of counters, which the Prometheus naming rules forbid. Their labelled variants stay. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];

/** Rejects if the figure is not read within `METRIC_TIMEOUT_MS`. */
async function limitTime<T>(figure: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not read within ${METRIC_TIMEOUT_MS} ms`)), METRIC_TIMEOUT_MS);
  try {
    return await Promise.race([figure, late]);
  } finally {
    clearTimeout(timer);
  }
}
