// Creates users who may view a document, each with a token, in one process. Arguments: data folder, document, number of
// users. Prints the tokens as JSON.
import { composeService } from '../../packages/server/src/compose/compose.ts';
import { DEFAULTS } from '../../packages/server/src/config/defaults.ts';
import { shareDocument } from '../../packages/server/src/service/operator/documents.ts';
import { createToken } from '../../packages/server/src/service/operator/tokens.ts';
import { createUser } from '../../packages/server/src/service/operator/users.ts';

const [dataFolder, document, count] = process.argv.slice(2);
const service = await composeService(
  { ...DEFAULTS, dataFolder },
  {
    as: 'command',
    onError(task, error) {
      throw new Error(task, { cause: error });
    },
  },
);
const tokens = [];
for (let i = 0; i < Number(count); i++) {
  const user = `follower${i}@example.org`;
  unwrap(await createUser(service.context, { email: user, name: `Follower ${i}`, plan: 'enterprise' }));
  unwrap(await shareDocument(service.context, { document, user, role: 'view' }));
  tokens.push(unwrap(await createToken(service.context, { user, name: 'follows', scopes: ['sheets.read'] })).token);
}
await service.close();
console.log(JSON.stringify(tokens));

/** Returns the value of a result; throws if it is a refusal. */
function unwrap(result) {
  if (result?.kind === 'refusal') throw new Error(JSON.stringify(result));
  return result;
}
