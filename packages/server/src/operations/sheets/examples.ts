/** A sheet in answers. */
export const SHEET_EXAMPLE = { name: 'Archive', hidden: false, order: 4, color: null };

/** The protection of a sheet in answers. */
export const PROTECTION_EXAMPLE = { sheet: 'Salaries', hideValues: true, lock: true, allow: [7] };
