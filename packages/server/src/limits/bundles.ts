/** Limits of bundles. A bundle is one document in a file. */

/** Maximum bytes of one row in a bundle, and of a whole bundle. Bundles come from untrusted sources. */
export const MAX_BUNDLE_ROW_BYTES = 256 * 1024 * 1024;
export const MAX_ARCHIVE_BUNDLE_BYTES = 4 * 1024 * 1024 * 1024;
/** Maximum users in a bundle (also of its protected sheets), and maximum characters of a name in it. */
export const MAX_BUNDLE_USERS = 10_000;
export const MAX_BUNDLE_NAME_LENGTH = 1_000;
