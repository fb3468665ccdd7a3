import type { AttachmentData } from '@cellwire/engine';
import { unescapeXml } from './note-text.ts';
import { joinWithFormulas } from './xml-copy.ts';

type ElementAttributes = Readonly<Record<string, string>>;

/** A rule of a conditional format (`cfRule`). */
export interface FormatElement {
  readonly attributes: ElementAttributes;
  readonly formulas: readonly string[];
  /** The bounds of a colour scale with their colours, by their attributes. */
  readonly points: readonly { readonly bound: ElementAttributes; readonly color: ElementAttributes }[];
  /** The bounds of a colour scale, data bar or icon set. */
  readonly bounds: readonly ElementAttributes[];
  /** The element of a data bar with its colour; null for other rules. */
  readonly bar: { readonly attributes: ElementAttributes; readonly color: ElementAttributes } | null;
  /** The attributes of an icon set; null for other rules. */
  readonly icons: ElementAttributes | null;
  /** True for a rule that newer versions of Excel extend by a second rule. */
  readonly isExtended: boolean;
}

/** The rules in an attachment of the kind `conditionalFormatting`. */
export function formatElements({ texts, formulas }: AttachmentData): readonly FormatElement[] {
  const xml = joinWithFormulas(texts, formulas);
  return [...xml.matchAll(/<cfRule\b([^>]*?)(?:\/>|>([\s\S]*?)<\/cfRule>)/g)].map(([, head = '', body = '']) => {
    const colors = elementAttributes(body, 'color');
    const bounds = elementAttributes(body, 'cfvo');
    const points = bounds.flatMap((bound, i) => {
      const color = colors[i];
      return color === undefined ? [] : [{ bound, color }];
    });
    const [bar] = elementAttributes(body, 'dataBar');
    const [icons = null] = elementAttributes(body, 'iconSet');
    return {
      ...{ attributes: attributesOf(head), formulas: elementTexts(body, 'formula'), points, bounds, icons },
      bar: bar === undefined ? null : { attributes: bar, color: colors[0] ?? {} },
      isExtended: body.includes('<ext '),
    };
  });
}

/** A validation rule (`dataValidation`). */
interface ValidationElement {
  readonly attributes: ElementAttributes;
  readonly formulas: readonly string[];
}

/** The rule in an attachment of the kind `dataValidation`. */
export function validationElement({ texts, formulas }: AttachmentData): ValidationElement {
  const xml = joinWithFormulas(texts, formulas);
  const [attributes = {}] = elementAttributes(xml, 'dataValidation');
  return { attributes, formulas: [...elementTexts(xml, 'formula1'), ...elementTexts(xml, 'formula2')] };
}

function elementAttributes(xml: string, name: string): readonly ElementAttributes[] {
  return [...xml.matchAll(new RegExp(`<${name}\\b([^>]*)>`, 'g'))].map(([, head = '']) => attributesOf(head));
}

function elementTexts(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => unescapeXml(text));
}

/** The attributes in the text of a tag. */
export function attributesOf(text: string): ElementAttributes {
  return Object.fromEntries(
    [...text.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescapeXml(value)]),
  );
}
