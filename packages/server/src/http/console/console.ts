import { MAX_ACCOUNT_BODY_BYTES } from '../../limits/console.ts';
import type { Api, ApiParts, App } from '../api.ts';
import { refuseUnknownInput } from '../bodies/unknown-input.ts';
import { createBodyGateHook, createGateHook } from '../gate-hook.ts';
import { ConsoleGuard } from './console-guard.ts';
import { addGridRoutes } from './grid-routes.ts';
import { addLogRoutes } from './log-routes.ts';
import { addPeopleRoutes } from './people-routes.ts';
import { addSessionRoutes } from './session-routes.ts';
import { addSheetFileRoutes } from './sheet-file-routes.ts';
import { addTokenRoutes } from './token-routes.ts';
import { addTrashRoutes } from './trash-routes.ts';
import { addUserRoutes } from './user-routes.ts';

/** Requests of the browser application: the API's routes, authenticated by a session, and routes of its own. */
const CONSOLE_PREFIX = '/console';

/** Adds the console's pages and routes. `apiRoutes` adds the routes of the API with their checks. */
export async function addConsole(app: App, parts: ApiParts, apiRoutes: (app: App, api: Api) => Promise<void>) {
  const guard = new ConsoleGuard(parts.context.config);
  const api: Api = { ...parts, readCredentials: guard.readCredentials, fastPath: null };
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', guard.refuseForeignRequest);
      await apiRoutes(scope as App, api);
    },
    { prefix: `${CONSOLE_PREFIX}/api` },
  );
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', guard.refuseForeignRequest);
      scope.addHook('onRequest', createGateHook(api));
      scope.addHook('preValidation', createBodyGateHook(api));
      scope.addHook('onRoute', (route) => {
        route.bodyLimit ??= MAX_ACCOUNT_BODY_BYTES;
      });
      refuseUnknownInput(scope as App);
      addSessionRoutes(scope as App, api, guard);
      addGridRoutes(scope as App, api);
      addUserRoutes(scope as App, api, guard);
      addTokenRoutes(scope as App, api);
      addLogRoutes(scope as App, api);
      addPeopleRoutes(scope as App, api);
      addTrashRoutes(scope as App, api);
      addSheetFileRoutes(scope as App, api);
    },
    { prefix: CONSOLE_PREFIX },
  );
}
