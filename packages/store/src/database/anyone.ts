/**
 * In place of a user's id: every user who knows the document's id. Users have ids from 1 on. Lists of documents and of
 * users leave such a share out.
 */
export const ANYONE = 0;
