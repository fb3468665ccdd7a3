import { generateSecret, hashSecret } from '../../access/secrets.ts';
import { KNOWN_DEVICE_MS, MAX_SECRET_LENGTH } from '../../limits/console.ts';
import type { ServiceContext } from '../context.ts';

type DeviceContext = Pick<ServiceContext, 'secrets' | 'clock'>;

/** Part of the sealed text, so that other texts sealed with the same key are not accepted. */
const MEANING = 'device';

/**
 * Creates a sealed text that a browser keeps after a sign-in: the account's hash, a name of the device and the time. It
 * grants no access. Attempts with it have their own counter, so that strangers cannot exhaust it.
 */
export function createDevicePass({ secrets, clock }: DeviceContext, account: string): string {
  const sealed = secrets.seal(
    [MEANING, hashSecret(account), generateSecret().slice(0, NAME_LENGTH), clock()].join(' '),
  );
  return Buffer.from(sealed).toString('base64url');
}

/** Characters of a device's name: 16 × 5.95 bits are 95 bits. */
const NAME_LENGTH = 16;

/** The device that a pass names, if the pass is valid for the account and not too old; else null. */
export function findKnownDevice(
  { secrets, clock }: DeviceContext,
  pass: string | null,
  account: string,
): string | null {
  if (pass === null || pass.length > MAX_SECRET_LENGTH) return null;
  const [meaning, hash, name, at] = secrets.open(Buffer.from(pass, 'base64url'))?.split(' ') ?? [];
  const isOf = meaning === MEANING && hash === hashSecret(account) && name !== undefined;
  return isOf && Number(at) > clock() - KNOWN_DEVICE_MS ? `${name} ${hash}` : null;
}
