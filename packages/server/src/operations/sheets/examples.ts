/** A sheet, as answers show it. */
export const SHEET_EXAMPLE = { name: 'Archive', hidden: false, order: 4, color: null };

/** The protection of a sheet, as answers show it. */
export const PROTECTION_EXAMPLE = { sheet: 'Salaries', hideValues: true, lock: true, allow: [7] };
