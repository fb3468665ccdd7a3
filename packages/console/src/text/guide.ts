import { guideEn } from './guide-en.ts';
import { guideRu } from './guide-ru.ts';
import type { GuideSection } from './guide-section.ts';
import { language } from './index.ts';

export const guide: readonly GuideSection[] = language === 'ru' ? guideRu : guideEn;
