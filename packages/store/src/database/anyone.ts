/**
 * User id in shares with every user who knows the document's id. Real ids start at 1. Lists of documents and of users
 * omit such shares.
 */
export const ANYONE = 0;
