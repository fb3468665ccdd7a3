/** Quantities. Units of one quantity convert into one another. */
type Quantity =
  | 'mass'
  | 'distance'
  | 'time'
  | 'pressure'
  | 'force'
  | 'energy'
  | 'power'
  | 'magnetism'
  | 'temperature'
  | 'volume'
  | 'area'
  | 'information'
  | 'speed';

export interface MeasurementUnit {
  readonly quantity: Quantity;
  /** The size of this unit in the quantity's base unit (g, m, s, Pa, N, J, W, T, K, l, m², bit, m/s). */
  readonly factor: number;
  /** The temperature scale of the unit without a prefix; absent for other quantities. */
  readonly scale?: TemperatureScale;
  /** The power of a prefix; 0 for units without prefixes. */
  readonly prefixPower: number;
}

/** A temperature scale in whole numbers, so that whole degrees convert exactly. */
export interface TemperatureScale {
  /** Kelvins of one degree: `numerator / denominator`. */
  readonly numerator: number;
  readonly denominator: number;
  /** Hundredths of a degree between absolute zero and the zero of the scale. */
  readonly zero: number;
}

const INCH = 0.0254;
const FOOT = 0.3048;
const YARD = 0.9144;
const MILE = 1609.344;
const NAUTICAL_MILE = 1852;
const LIGHT_YEAR = 9_460_730_472_580_800;
const PARSEC = 30_856_775_812_815_500;
const SURVEY_MILE = 1609.347218694;
const POINT = INCH / 72;
const POUND = 453.59237;
const LITRES = 1000;
const US_GALLON = 3.785411784;
const UK_GALLON = 4.54609;
const CUBIC_FOOT = FOOT ** 3 * LITRES;
const ATMOSPHERE = 101_325;
const POUND_FORCE = 4.4482216152605;
const ANGSTROM = 1e-10;

/** Names of one unit, its size in base units, and its `prefixPower`. */
type UnitRow = readonly [names: string, factor: number, prefixPower?: number];

/** Units by quantity, as Excel's CONVERT names them; sizes by their legal definitions. */
const TABLE: Readonly<Record<Exclude<Quantity, 'temperature'>, readonly UnitRow[]>> = {
  mass: [
    ['g', 1, 1],
    ['sg', 14593.9029372064],
    ['lbm', POUND],
    ['u', 1.66053100460465e-24, 1],
    ['ozm', POUND / 16],
    ['grain', POUND / 7000],
    ['cwt shweight', POUND * 100],
    ['uk_cwt lcwt hweight', POUND * 112],
    ['stone', POUND * 14],
    ['ton', POUND * 2000],
    ['uk_ton LTON brton', POUND * 2240],
  ],
  distance: [
    ['m', 1, 1],
    ['mi', MILE],
    ['Nmi', NAUTICAL_MILE],
    ['in', INCH],
    ['ft', FOOT],
    ['yd', YARD],
    ['ang', ANGSTROM, 1],
    ['ell', 1.143],
    ['ly', LIGHT_YEAR, 1],
    ['parsec pc', PARSEC, 1],
    ['Picapt Pica', POINT],
    ['pica', INCH / 6],
    ['survey_mi', SURVEY_MILE],
  ],
  time: [
    ['yr', 31_557_600],
    ['day d', 86_400],
    ['hr', 3600],
    ['mn min', 60],
    ['sec s', 1, 1],
  ],
  pressure: [
    ['Pa p', 1, 1],
    ['atm at', ATMOSPHERE, 1],
    ['mmHg', 133.322, 1],
    ['psi', POUND_FORCE / INCH ** 2],
    ['Torr', ATMOSPHERE / 760],
  ],
  force: [
    ['N', 1, 1],
    ['dyn dy', 1e-5, 1],
    ['lbf', POUND_FORCE],
    ['pond', 0.00980665, 1],
  ],
  energy: [
    ['J', 1, 1],
    ['e', 1e-7, 1],
    ['c', 4.184, 1],
    ['cal', 4.1868, 1],
    ['eV ev', 1.602176487e-19, 1],
    ['HPh hh', 550 * FOOT * POUND_FORCE * 3600],
    ['Wh wh', 3600, 1],
    ['flb', FOOT * POUND_FORCE],
    ['BTU btu', 1055.05585262],
  ],
  power: [
    ['HP h', 550 * FOOT * POUND_FORCE],
    ['PS', 735.49875],
    ['W w', 1, 1],
  ],
  magnetism: [
    ['T', 1, 1],
    ['ga', 1e-4, 1],
  ],
  volume: [
    ['tsp', US_GALLON / 768],
    ['tspm', 0.005],
    ['tbs', US_GALLON / 256],
    ['oz', US_GALLON / 128],
    ['cup', US_GALLON / 16],
    ['pt us_pt', US_GALLON / 8],
    ['uk_pt', UK_GALLON / 8, 1],
    ['qt', US_GALLON / 4],
    ['uk_qt', UK_GALLON / 4],
    ['gal', US_GALLON],
    ['uk_gal', UK_GALLON],
    ['l L lt', 1, 1],
    ['ang3 ang^3', ANGSTROM ** 3 * LITRES, 3],
    ['barrel', US_GALLON * 42],
    ['bushel', 2150.42 * INCH ** 3 * LITRES],
    ['ft3 ft^3', CUBIC_FOOT],
    ['in3 in^3', INCH ** 3 * LITRES],
    ['ly3 ly^3', LIGHT_YEAR ** 3 * LITRES],
    ['m3 m^3', LITRES, 3],
    ['mi3 mi^3', MILE ** 3 * LITRES],
    ['yd3 yd^3', YARD ** 3 * LITRES],
    ['Nmi3 Nmi^3', NAUTICAL_MILE ** 3 * LITRES],
    ['Picapt3 Picapt^3 Pica3 Pica^3', POINT ** 3 * LITRES],
    ['GRT regton', CUBIC_FOOT * 100],
    ['MTON', CUBIC_FOOT * 40],
  ],
  area: [
    ['uk_acre', (MILE * MILE) / 640],
    ['us_acre', (SURVEY_MILE * SURVEY_MILE) / 640],
    ['ang2 ang^2', ANGSTROM ** 2, 2],
    ['ar', 100, 1],
    ['ft2 ft^2', FOOT ** 2],
    ['ha', 10_000],
    ['in2 in^2', INCH ** 2],
    ['ly2 ly^2', LIGHT_YEAR ** 2],
    ['m2 m^2', 1, 2],
    ['Morgen', 2500],
    ['mi2 mi^2', MILE ** 2],
    ['Nmi2 Nmi^2', NAUTICAL_MILE ** 2],
    ['Picapt2 Pica2 Pica^2 Picapt^2', POINT ** 2],
    ['yd2 yd^2', YARD ** 2],
  ],
  information: [
    ['bit', 1, 1],
    ['byte', 8, 1],
  ],
  speed: [
    ['admkn', (6080 * FOOT) / 3600],
    ['kn', NAUTICAL_MILE / 3600],
    ['m/h m/hr', 1 / 3600, 1],
    ['m/s m/sec', 1, 1],
    ['mph', MILE / 3600, 1],
  ],
};

const TEMPERATURES: readonly (readonly [names: string, scale: TemperatureScale, prefixPower: number])[] = [
  ['C cel', { numerator: 1, denominator: 1, zero: 27_315 }, 0],
  ['F fah', { numerator: 5, denominator: 9, zero: 45_967 }, 0],
  ['K kel', { numerator: 1, denominator: 1, zero: 0 }, 1],
  ['Rank', { numerator: 5, denominator: 9, zero: 0 }, 0],
  ['Reau', { numerator: 5, denominator: 4, zero: 21_852 }, 0],
];

/** Every unit by name. Names are case-sensitive. */
export const UNITS: ReadonlyMap<string, MeasurementUnit> = new Map([
  ...Object.entries(TABLE).flatMap(([quantity, rows]) =>
    rows.flatMap(([names, factor, prefixPower = 0]) =>
      expandNames(names, { quantity: quantity as Quantity, factor, prefixPower }),
    ),
  ),
  ...TEMPERATURES.flatMap(([names, scale, prefixPower]) =>
    expandNames(names, { quantity: 'temperature', factor: scale.numerator / scale.denominator, scale, prefixPower }),
  ),
]);

/** Entries for each name of a unit. `names`: separated by blanks. */
function expandNames(names: string, unit: MeasurementUnit): (readonly [string, MeasurementUnit])[] {
  return names.split(' ').map((name) => [name, unit] as const);
}

export const PREFIXES: ReadonlyMap<string, number> = new Map([
  ['Y', 1e24],
  ['Z', 1e21],
  ['E', 1e18],
  ['P', 1e15],
  ['T', 1e12],
  ['G', 1e9],
  ['M', 1e6],
  ['k', 1e3],
  ['h', 1e2],
  ['da', 10],
  ['e', 10],
  ['d', 0.1],
  ['c', 1e-2],
  ['m', 1e-3],
  ['u', 1e-6],
  ['n', 1e-9],
  ['p', 1e-12],
  ['f', 1e-15],
  ['a', 1e-18],
  ['z', 1e-21],
  ['y', 1e-24],
]);

/** Binary prefixes, for information only. */
export const BINARY_PREFIXES: ReadonlyMap<string, number> = new Map(
  ['ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'Zi', 'Yi'].map((name, i) => [name, 2 ** (10 * (i + 1))]),
);
