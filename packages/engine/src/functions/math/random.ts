import { NUM } from '../../value/errors.ts';
import { define } from '../define.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';

export const RANDOM: readonly FunctionSpec[] = [
  define('math', 'RAND', [], (context) => context.random(), { volatile: true }),
  defineStrict(
    'math',
    'RANDBETWEEN',
    ['number', 'number'],
    (context, bottom, top) => {
      const low = Math.ceil(bottom);
      const high = Math.floor(top);
      return low > high ? NUM : low + Math.floor(context.random() * (high - low + 1));
    },
    { volatile: true },
  ),
];
