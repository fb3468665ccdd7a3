import type { RequestLine } from './request-log.ts';

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The label of requests without a route. */
const NO_ROUTE = 'none';
const MS_PER_SECOND = 1_000;

/** Requests of one method and route. */
interface RequestSeries {
  /** Counts by response status. */
  readonly statuses: Map<number, number>;
  /** Number of requests in each bucket, not cumulative. The last element counts requests beyond all bounds. */
  readonly buckets: number[];
  seconds: number;
}

/**
 * Counts requests by route, method and status. The metrics library looks up labels at each count, which takes several
 * times longer than counting.
 */
export class RequestMetrics {
  /** By route, then method. */
  private readonly routes = new Map<string | null, Map<string, RequestSeries>>();

  countRequest({ method, route, status, ms }: RequestLine): void {
    const series = this.getRequestSeries(route, method);
    const seconds = ms / MS_PER_SECOND;
    series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1);
    series.seconds += seconds;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
    series.buckets[bucket] = (series.buckets[bucket] as number) + 1;
  }

  /** Text in the Prometheus format. Labels need no escaping, because methods and route patterns contain no quotes. */
  formatMetrics(): string {
    const all = [...this.routes].flatMap(([route, methods]) =>
      [...methods].map(([method, series]) => ({ labels: `method="${method}",route="${route ?? NO_ROUTE}"`, series })),
    );
    return [
      '# HELP cellwire_http_requests_total Requests answered.',
      '# TYPE cellwire_http_requests_total counter',
      ...all.flatMap(({ labels, series }) => formatRequestCounts(labels, series)),
      '',
      '# HELP cellwire_http_request_duration_seconds Time from a request’s header to the end of its answer.',
      '# TYPE cellwire_http_request_duration_seconds histogram',
      ...all.flatMap(({ labels, series }) => formatDurations(labels, series)),
    ].join('\n');
  }

  /** The figures of a route and method, with zeros if it is new. */
  private getRequestSeries(route: string | null, method: string): RequestSeries {
    const existing = this.routes.get(route)?.get(method);
    if (existing !== undefined) return existing;
    const series = { statuses: new Map(), buckets: new Array<number>(BUCKETS.length + 1).fill(0), seconds: 0 };
    const methods = this.routes.get(route) ?? new Map<string, RequestSeries>();
    this.routes.set(route, methods.set(method, series));
    return series;
  }
}

function formatRequestCounts(labels: string, { statuses }: RequestSeries): readonly string[] {
  return [...statuses].map(([status, count]) => `cellwire_http_requests_total{${labels},status="${status}"} ${count}`);
}

/** The lines of a histogram of durations in Prometheus's format; bucket counts are cumulative. */
function formatDurations(labels: string, { buckets, seconds }: RequestSeries): readonly string[] {
  const name = 'cellwire_http_request_duration_seconds';
  let count = 0;
  const lines = buckets.map((requests, i) => {
    count += requests;
    return `${name}_bucket{le="${BUCKETS[i] ?? '+Inf'}",${labels}} ${count}`;
  });
  return [...lines, `${name}_sum{${labels}} ${seconds}`, `${name}_count{${labels}} ${count}`];
}
