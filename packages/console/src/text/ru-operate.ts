import type { Texts } from './index.ts';

/** Of the pages to operate the service with. */
export const ruOperate: Pick<Texts, keyof typeof import('./en-operate.ts').enOperate> = {
  share: {
    title: (title) => `Доступ к «${title}»`,
    whom: 'Почта пользователя',
    role: 'Роль',
    roleOf: (name) => `Роль: ${name}`,
    add: 'Открыть доступ',
    nobody: 'Пока никому не открыт.',
    none: 'Нет доступа',
  },
};
