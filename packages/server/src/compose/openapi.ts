import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULTS } from '../config/defaults.ts';
import { createHttpServer } from '../http/server.ts';
import { composeService } from './compose.ts';
import { createLoggers } from './logger.ts';

/** The text of `openapi.json`. It is generated from the routes of a service with an empty database. */
export async function renderOpenApi(): Promise<string> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'cellwire-openapi-'));
  const throwFailure = (activity: string, error: unknown): never => {
    throw new Error(activity, { cause: error });
  };
  try {
    const service = await composeService({ ...DEFAULTS, dataFolder }, { as: 'command', onError: throwFailure });
    const loggers = createLoggers('silent');
    const app = await createHttpServer({ parts: service, logger: loggers.main, writeRequestLine: loggers.requests });
    const text = JSON.stringify(app.swagger(), null, 2);
    await app.close();
    await service.close();
    await loggers.close();
    return `${text}\n`;
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
}
