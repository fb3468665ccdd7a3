/** Of the pages to operate the service with. */
export const enOperate = {
  share: {
    title: (title: string) => `Share “${title}”`,
    whom: 'E-mail address of the user',
    role: 'Role',
    roleOf: (name: string) => `Role of ${name}`,
    add: 'Share',
    nobody: 'Shared with nobody yet.',
    none: 'No access',
  },
} as const;
