import { MAX_ACCOUNT_BODY_BYTES } from '../../limits/console.ts';
import type { Api, ApiParts, App } from '../api.ts';
import { refuseUnknownInput } from '../bodies/unknown-input.ts';
import { bodyGateHook, gateHook } from '../gate-hook.ts';
import { ConsoleGuard } from './console-guard.ts';
import { gridRoutes } from './grid-routes.ts';
import { logRoutes } from './log-routes.ts';
import { documentPeopleRoutes } from './people-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { sheetFileRoutes } from './sheet-file-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { trashRoutes } from './trash-routes.ts';
import { userRoutes } from './user-routes.ts';

/** Requests of the browser application: the API's routes, authenticated by a session, and routes of its own. */
const CONSOLE_PREFIX = '/console';

/** `apiRoutes`: adds the routes of the API with their checks. */
export async function addConsole(app: App, parts: ApiParts, apiRoutes: (app: App, api: Api) => void) {
  const door = new ConsoleGuard(parts.context.config);
  const api: Api = { ...parts, credentialsOf: door.credentialsOf, fastPath: null };
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', door.guard);
      apiRoutes(scope as App, api);
    },
    { prefix: `${CONSOLE_PREFIX}/api` },
  );
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', door.guard);
      scope.addHook('onRequest', gateHook(api));
      scope.addHook('preValidation', bodyGateHook(api));
      scope.addHook('onRoute', (route) => {
        route.bodyLimit ??= MAX_ACCOUNT_BODY_BYTES;
      });
      refuseUnknownInput(scope as App);
      sessionRoutes(scope as App, api, door);
      gridRoutes(scope as App, api);
      userRoutes(scope as App, api, door);
      tokenRoutes(scope as App, api);
      logRoutes(scope as App, api);
      documentPeopleRoutes(scope as App, api);
      trashRoutes(scope as App, api);
      sheetFileRoutes(scope as App, api);
    },
    { prefix: CONSOLE_PREFIX },
  );
}
