import type { CellStyle } from '../../data/types.ts';

/** A character in a colour that stands for an icon. */
interface RuleIcon {
  readonly character: string;
  readonly color: string;
}

const RED = '#d13438';
const YELLOW = '#d29200';
const GREEN = '#107c41';
const GREY = '#6e7781';
const PINK = '#e37d80';

const BLACK = '#3b3b3b';

const TRAFFIC = [RED, YELLOW, GREEN];

interface IconSet {
  /** Icons of the set, from the lowest value to the highest. */
  readonly characters: string;
  /** One colour for all icons, or one for each. */
  readonly colors: readonly string[];
}

/** Icon sets by their names in the file format. Source: ECMA-376, part 1, 18.18.42. */
const SETS: Readonly<Record<string, IconSet>> = {
  '3Arrows': { characters: '↓→↑', colors: TRAFFIC },
  '3ArrowsGray': { characters: '↓→↑', colors: [GREY] },
  '3Flags': { characters: '⚑⚑⚑', colors: TRAFFIC },
  '3TrafficLights1': { characters: '●●●', colors: TRAFFIC },
  '3TrafficLights2': { characters: '●●●', colors: TRAFFIC },
  '3Signs': { characters: '◆▲●', colors: TRAFFIC },
  '3Symbols': { characters: '✖!✔', colors: TRAFFIC },
  '3Symbols2': { characters: '✖!✔', colors: TRAFFIC },
  '4Arrows': { characters: '↓↘↗↑', colors: [RED, YELLOW, YELLOW, GREEN] },
  '4ArrowsGray': { characters: '↓↘↗↑', colors: [GREY] },
  '4RedToBlack': { characters: '●●●●', colors: [BLACK, GREY, PINK, RED] },
  '4Rating': { characters: '▂▄▆█', colors: [GREY] },
  '4TrafficLights': { characters: '●●●●', colors: [BLACK, RED, YELLOW, GREEN] },
  '5Arrows': { characters: '↓↘→↗↑', colors: [RED, YELLOW, YELLOW, YELLOW, GREEN] },
  '5ArrowsGray': { characters: '↓↘→↗↑', colors: [GREY] },
  '5Rating': { characters: '▁▂▄▆█', colors: [GREY] },
  '5Quarters': { characters: '○◔◑◕●', colors: [GREY] },
};

/** The character for a cell's icon; null for a cell without an icon and for an unknown set. */
export function findRuleIcon(icon: CellStyle['icon']): RuleIcon | null {
  if (icon === undefined) return null;
  const { characters = '', colors = [] } = SETS[icon.set] ?? {};
  const character = characters[icon.index];
  const color = colors[icon.index] ?? colors[0];
  return character === undefined || color === undefined ? null : { character, color };
}
