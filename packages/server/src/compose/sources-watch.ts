import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { haveSourcesChanged, lookAtSources, rememberSources } from '../event-loop/sources.ts';
import { SOURCES_CHECK_MS } from '../limits/limits.ts';

/** Says once in the log, and in the figures, that the program files are not those that this process runs. */
export function watchSources(logger: Logger, registry: Registry): { stop(): void } {
  rememberSources();
  new Gauge({
    name: 'cellwire_sources_changed',
    help: '1: the program files have changed since the start, and no more threads are started; restart the service.',
    registers: [registry],
    collect() {
      this.set(haveSourcesChanged() ? 1 : 0);
    },
  });
  const look = async () => {
    await lookAtSources();
    if (!haveSourcesChanged() || isTold) return;
    isTold = true;
    clearInterval(timer);
    logger.error(CHANGED);
  };
  let isTold = false;
  const timer = setInterval(() => void look(), SOURCES_CHECK_MS).unref();
  return { stop: () => clearInterval(timer) };
}

const CHANGED =
  'the program files have changed since the start: no more threads are started, and work that needs one is answered ' +
  '503; restart the service';
