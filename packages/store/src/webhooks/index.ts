export { type ChangedSheet, cancelWaiting, claimedDeliveries, DELIVERY_MOVED, deleteFinished, deleteUnused, dueSubscriptions, finishedDeliveries, insertDelivery, insertNotification, moveDelivery, nextDue, notificationById, queueState, restartWaits, type StoredAttempt, type StoredAuthor, type StoredRecords, type StoredRun, waitsFromLater } from './deliveries.ts';
export { countedDeliveryTotal, deliveryById, deliveryPage, keptDeliveryTotal } from './delivery-list.ts';
export {
  activate,
  activeSubscriptions,
  creatorOf,
  deactivate,
  deactivateOfToken,
  deactivateOfUser,
  documentPlace,
  documentsOfToken,
  type InactiveReason,
  moveWatch,
  namesOfUsers,
  replaceSecret,
  type StoredWatch,
  subscriptionById,
  updateSubscription,
} from './subscriptions.ts';
export {
  deleteWebhook,
  extendListening,
  insertWebhook,
  lapsedListeners,
  NO_WEBHOOK,
  type SealedSecrets,
  sealedSecrets,
  WEBHOOKS_FULL,
  webhooksOf,
} from './webhooks.ts';
export { beginWindows, endWindows, moveWindows, type StoredAhead, ungroupedDocuments, windowsOf } from './windows.ts';
