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
}

/** The rules in an attachment of the kind `conditionalFormatting`. */
export function formatElements({ texts, formulas }: AttachmentData): readonly FormatElement[] {
  const xml = joinWithFormulas(texts, formulas);
  return [...xml.matchAll(/<cfRule\b([^>]*?)(?:\/>|>([\s\S]*?)<\/cfRule>)/g)].map(([, head = '', body = '']) => {
    const colors = elementAttributes(body, 'color');
    const points = elementAttributes(body, 'cfvo').flatMap((bound, i) => {
      const color = colors[i];
      return color === undefined ? [] : [{ bound, color }];
    });
    return { attributes: attributesOf(head), formulas: elementTexts(body, 'formula'), points };
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
