export { boxWithSuccessors, KeyRing, successorRows } from './key-ring.ts';
export { adoptKey, openKeyRing, replaceKey, unreadableSubscriptions } from './known-key.ts';
export {
  createSecretBox,
  type KeyLocation,
  openSecretBox,
  readStoredKey,
  type SecretBox,
  secretsKeyFile,
  storeKey,
} from './secrets.ts';
