export { boxWithSuccessors, KeyRing, successorRows } from './key-ring.ts';
export { adoptKey, openWithKnownKey, replaceKey, unreadable } from './known-key.ts';
export { boxOf, type KeyPlace, openSecretBox, type SecretBox, secretsKeyFile, storedKey, storeKey } from './secrets.ts';
