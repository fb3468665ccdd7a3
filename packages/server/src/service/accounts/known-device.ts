import { generateSecret, secretHash } from '../../access/secrets.ts';
import { KNOWN_DEVICE_MS, MAX_SECRET_LENGTH } from '../../limits/console.ts';
import type { ServiceContext } from '../context.ts';

type DeviceContext = Pick<ServiceContext, 'secrets' | 'clock'>;

/** Of what is sealed, so that nothing else that this key has sealed passes for it. */
const MEANING = 'device';

/**
 * What a browser keeps to show that somebody has signed in from it: the account's hash, a name of the device and when,
 * sealed. It opens nothing; attempts from there count by themselves, so that strangers cannot use them up.
 */
export function newDevicePass({ secrets, clock }: DeviceContext, account: string): string {
  const sealed = secrets.seal(
    [MEANING, secretHash(account), generateSecret().slice(0, NAME_LENGTH), clock()].join(' '),
  );
  return Buffer.from(sealed).toString('base64url');
}

/** Characters of a device's name: 16 × 5.95 bits are 95 bits. */
const NAME_LENGTH = 16;

/** The device that a pass names, where it is one for the account and not too old; else null. */
export function knownDevice({ secrets, clock }: DeviceContext, pass: string | null, account: string): string | null {
  if (pass === null || pass.length > MAX_SECRET_LENGTH) return null;
  const [meaning, hash, name, at] = secrets.open(Buffer.from(pass, 'base64url'))?.split(' ') ?? [];
  const isOf = meaning === MEANING && hash === secretHash(account) && name !== undefined;
  return isOf && Number(at) > clock() - KNOWN_DEVICE_MS ? `${name} ${hash}` : null;
}
