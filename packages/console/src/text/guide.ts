import { guideEn } from './guide-en.ts';
import { guideRu } from './guide-ru.ts';
import type { Section } from './guide-section.ts';
import { language } from './index.ts';

export const guide: readonly Section[] = language === 'ru' ? guideRu : guideEn;
