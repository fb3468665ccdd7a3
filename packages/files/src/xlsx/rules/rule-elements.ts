import type { AttachmentData } from '@cellwire/engine';
import { unescapeXml } from '../note-text.ts';
import { joinWithFormulas } from '../xml-copy.ts';

type RuleAttributes = Readonly<Record<string, string>>;

/** A rule of a conditional format (`cfRule`). */
export interface ConditionalFormatElement {
  readonly attributes: RuleAttributes;
  readonly formulas: readonly string[];
  /** The bounds of a colour scale with their colours, by their attributes. */
  readonly points: readonly { readonly bound: RuleAttributes; readonly color: RuleAttributes }[];
  /** The bounds of a colour scale, data bar or icon set. */
  readonly bounds: readonly RuleAttributes[];
  /** The element of a data bar and its colour; null for other rules. */
  readonly bar: { readonly attributes: RuleAttributes; readonly color: RuleAttributes } | null;
  /** The attributes of an icon set; null for other rules. */
  readonly icons: RuleAttributes | null;
  /** True for a rule that newer versions of Excel extend by a second rule. */
  readonly isExtended: boolean;
}

/** The rules in an attachment of the kind `conditionalFormatting`. */
export function parseFormatElements({ texts, formulas }: AttachmentData): readonly ConditionalFormatElement[] {
  const xml = joinWithFormulas(texts, formulas);
  return [...xml.matchAll(/<cfRule\b([^>]*?)(?:\/>|>([\s\S]*?)<\/cfRule>)/g)].map(([, head = '', body = '']) => {
    const colors = parseElementAttributes(body, 'color');
    const bounds = parseElementAttributes(body, 'cfvo');
    const points = bounds.flatMap((bound, i) => {
      const color = colors[i];
      return color === undefined ? [] : [{ bound, color }];
    });
    const [bar] = parseElementAttributes(body, 'dataBar');
    const [icons = null] = parseElementAttributes(body, 'iconSet');
    return {
      ...{ attributes: parseTagAttributes(head), formulas: parseElementTexts(body, 'formula'), points, bounds, icons },
      bar: bar === undefined ? null : { attributes: bar, color: colors[0] ?? {} },
      isExtended: body.includes('<ext '),
    };
  });
}

/** A validation rule (`dataValidation`). */
interface ValidationElement {
  readonly attributes: RuleAttributes;
  readonly formulas: readonly string[];
}

/** The rule in an attachment of the kind `dataValidation`. */
export function parseValidation({ texts, formulas }: AttachmentData): ValidationElement {
  const xml = joinWithFormulas(texts, formulas);
  const [attributes = {}] = parseElementAttributes(xml, '(?:x14:)?dataValidation');
  return { attributes, formulas: [...parseRuleFormula(xml, 'formula1'), ...parseRuleFormula(xml, 'formula2')] };
}

/** Returns a formula of a rule. In the extension of Excel 2010 it is in a nested element. */
function parseRuleFormula(xml: string, name: string): readonly string[] {
  const [extended = ''] = new RegExp(`<x14:${name}>.*?</x14:${name}>`, 's').exec(xml) ?? [];
  return extended === '' ? parseElementTexts(xml, name) : parseElementTexts(extended, 'xm:f');
}

/** The attributes of each element with this name. */
function parseElementAttributes(xml: string, name: string): readonly RuleAttributes[] {
  return [...xml.matchAll(new RegExp(`<${name}\\b([^>]*)>`, 'g'))].map(([, head = '']) => parseTagAttributes(head));
}

function parseElementTexts(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => unescapeXml(text));
}

/** Returns the attributes in the text of a tag. */
export function parseTagAttributes(text: string): RuleAttributes {
  return Object.fromEntries(
    [...text.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescapeXml(value)]),
  );
}
