import { usersAfter } from '@cellwire/store/accounts';
import { SCOPES, type TokenScope } from '../access/scopes.ts';
import type { ServiceContext } from '../service/context.ts';
import { createDocument } from '../service/operator/new-document.ts';
import { createToken } from '../service/operator/tokens.ts';
import { createUser } from '../service/operator/users.ts';
import { describeRefusal, isRefusal, type Refusal } from '../service/refusal.ts';
import { buildSampleDocument, SAMPLE_TITLE } from './sample-document.ts';

const OWNER = { email: 'owner@localhost', name: 'Owner', workspace: 'Home' };
/** All scopes except the agents', because that one would make the token an agent's token with a quota. */
const TOKEN_SCOPES: readonly TokenScope[] = SCOPES.filter((scope) => scope !== 'sheets.agent.write');

interface FirstStartSecrets {
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly document: string;
}

/** Creates a workspace, its owner and a sample document in an empty installation. Null: users exist already. */
export async function createFirstContents(context: ServiceContext): Promise<FirstStartSecrets | null> {
  if ((await context.database.read(usersAfter({ after: 0, limit: 1 }))).length > 0) return null;
  const owner = await createUser(context, { ...OWNER, mustChangePassword: true });
  // Another process with the same data folder was faster.
  if (isRefusal(owner)) return null;
  const user = String(owner.id);
  const { timeZone, sampleLocale } = context.config;
  const content = { kind: 'data', data: buildSampleDocument(timeZone, sampleLocale) } as const;
  const document = throwIfRefused(await createDocument(context, { owner: user, title: SAMPLE_TITLE, content }));
  const token = throwIfRefused(await createToken(context, { user, name: 'first steps', scopes: TOKEN_SCOPES }));
  return { email: owner.email, password: owner.password, token: token.token, document: document.id };
}

/** Returns the result, or throws an error that contains the refusal. */
function throwIfRefused<T>(result: T | Refusal): T {
  if (isRefusal(result)) throw new Error(`The sample could not be made: ${describeRefusal(result)}`);
  return result;
}

/** Text for the operator. `address`: where the service listens. `publicUrl`: its address for browsers. */
export function formatFirstStart(firstStartSecrets: FirstStartSecrets, address: string, publicUrl: string): string {
  const { email, password, token, document } = firstStartSecrets;
  return `
Cellwire is set up. These secrets are shown this once:

  console   ${publicUrl}/
  user      ${email}
  password  ${password} (one-time)
  token     ${token}
  document  ${document} (${SAMPLE_TITLE})

Read the sample:

  curl -s '${address}/api/v1/documents/${document}/values/Summary!A1:G5' -H 'Authorization: Bearer ${token}'
`;
}
