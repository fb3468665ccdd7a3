import { Counter, collectDefaultMetrics, Histogram, type Registry } from 'prom-client';
import { FIGURE_TIMEOUT_MS } from '../limits/http.ts';
import type { RequestLine } from './request-log.ts';

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The label of requests for which there is no route. */
const NO_ROUTE = 'none';
const MS_PER_SECOND = 1_000;

export interface Metrics {
  count(request: RequestLine): void;
  /** The Prometheus text format. A figure that cannot be read, or not in time, is left out. */
  text(): Promise<string>;
  readonly contentType: string;
}

/**
 * Counts requests by route, method and status; the process's own figures (event loop, memory, gc) beside them, and
 * whatever else stands in the registry.
 */
export function createMetrics(registry: Registry, onFailure: (name: string, error: unknown) => void): Metrics {
  collectDefaultMetrics({ register: registry });
  const failures = new Counter({
    name: 'cellwire_metrics_failures_total',
    help: 'Figures that could not be read and were left out of this page.',
    labelNames: ['metric'],
    registers: [registry],
  });
  const failed = (name: string, error: unknown): null => {
    failures.inc({ metric: name });
    onFailure(name, error);
    return null;
  };
  const requests = new Counter({
    name: 'cellwire_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'cellwire_http_request_duration_seconds',
    help: 'Time from a request’s header to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers: [registry],
  });
  // By method, status and route: finding a series by its labels takes the library longer than counting.
  const series = new Map<
    string,
    { readonly requests: ReturnType<typeof requests.labels>; readonly durations: ReturnType<typeof durations.labels> }
  >();
  return {
    count({ method, route, status, ms }) {
      const key = `${method} ${status} ${route}`;
      let held = series.get(key);
      if (held === undefined) {
        held = {
          requests: requests.labels(method, route ?? NO_ROUTE, String(status)),
          durations: durations.labels(method, route ?? NO_ROUTE),
        };
        series.set(key, held);
      }
      held.requests.inc();
      held.durations.observe(ms / MS_PER_SECOND);
    },
    text: async () => {
      const names = registry.getMetricsAsArray().map(({ name }) => name);
      const texts = await Promise.all(
        names.map((name) =>
          inTime(registry.getSingleMetricAsString(name)).catch((error: unknown) => failed(name, error)),
        ),
      );
      return `${texts.filter((text) => text !== null).join('\n\n')}\n`;
    },
    contentType: registry.contentType,
  };
}

async function inTime<T>(figure: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not read within ${FIGURE_TIMEOUT_MS} ms`)), FIGURE_TIMEOUT_MS);
  try {
    return await Promise.race([figure, late]);
  } finally {
    clearTimeout(timer);
  }
}
