export { createSuccessorBox, KeyRing, successorRows } from './key-ring.ts';
export { adoptKey, findUnreadableSecrets, openKeyRing, replaceKey } from './known-key.ts';
export {
  buildKeyFilePath,
  createSecretBox,
  type KeyLocation,
  openSecretBox,
  readStoredKey,
  type SecretBox,
  storeKey,
} from './secrets.ts';
