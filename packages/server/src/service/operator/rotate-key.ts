import { KeyRing } from '@cellwire/store/keys';
import type { ServiceContext } from '../context.ts';

/** Generates a new key for secrets and encrypts all secrets with it. */
export async function rotateKey({ secrets, clock }: Pick<ServiceContext, 'secrets' | 'clock'>): Promise<{
  readonly rotatedAt: string;
  readonly secrets: number;
}> {
  if (!(secrets instanceof KeyRing)) throw new Error('the service has no key ring');
  const count = await secrets.rotateKey();
  return { rotatedAt: new Date(clock()).toISOString(), secrets: count };
}
