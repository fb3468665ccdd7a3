/** Of the page of a document. */
export const ruGrid = {} as const;
