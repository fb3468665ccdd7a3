import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { haveSourcesChanged, rememberSources, scanSources } from '@cellwire/event-loop';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { SOURCES_CHECK_MS } from '../limits/process.ts';

/** Logs once, and shows as a metric, that the program files have changed since the process started. */
export function watchSources(logger: Logger, registry: Registry): { stop(): void } {
  rememberSources(listProgramFolders());
  new Gauge({
    name: 'cellwire_sources_changed',
    help: '1: the program files have changed since the start, and no more threads are started; restart the service.',
    registers: [registry],
    collect() {
      this.set(haveSourcesChanged() ? 1 : 0);
    },
  });
  const checkSources = async () => {
    await scanSources();
    if (!haveSourcesChanged() || isReported) return;
    isReported = true;
    clearInterval(timer);
    logger.error(SOURCES_CHANGED_MESSAGE);
  };
  let isReported = false;
  const timer = setInterval(() => void checkSources(), SOURCES_CHECK_MS).unref();
  return { stop: () => clearInterval(timer) };
}

/** The folders with the files of the running program: the server and the packages that it uses. */
function listProgramFolders(): readonly string[] {
  const packages = [
    import.meta.resolve('@cellwire/engine'),
    import.meta.resolve('@cellwire/event-loop'),
    import.meta.resolve('@cellwire/files'),
    import.meta.resolve('@cellwire/store'),
  ];
  return [fileURLToPath(new URL('..', import.meta.url)), ...packages.map((url) => dirname(fileURLToPath(url)))];
}

const SOURCES_CHANGED_MESSAGE =
  'the program files have changed since the start: no more threads are started, and work that needs one is answered ' +
  '503; restart the service';
