/** Of the page of a document. */
export const enGrid = {} as const;
