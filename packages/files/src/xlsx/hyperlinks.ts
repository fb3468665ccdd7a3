import { type AttachmentData, areaText, type SheetData } from '@cellwire/engine';
import type { LeftOut } from '../outcome/left-out.ts';
import { ofKind } from './attachments-xml.ts';
import type { Relationship } from './relationships.ts';
import { attributeText, withFormulas } from './xml-copy.ts';

/** Kind of attachments with hyperlinks. The last text is the address. */
export const LINK = 'hyperlink';
const ID = / r:id="([^"]*)"/;

/** Replaces relationship ids of hyperlinks by their addresses, as the last text. */
export function withAddresses(
  attachments: readonly AttachmentData[],
  relationships: readonly Relationship[],
  leftOut: LeftOut,
): readonly AttachmentData[] {
  return attachments.flatMap((held) => {
    if (held.kind !== LINK) return [held];
    const id = held.texts.map((text) => ID.exec(text)?.[1]).find((found) => found !== undefined);
    const address = relationships.find((one) => one.id === id)?.address ?? '';
    // A link without a relationship shows a tooltip or calls a program; one with an unresolved relationship does
    // neither.
    if (address === '' && id !== undefined && held.formulas.length === 0) {
      leftOut.add('hyperlinks');
      return [];
    }
    return [{ ...held, texts: [...held.texts.map((text) => text.replace(ID, '')), address] }];
  });
}

/** The elements of a sheet's hyperlinks. `linkTo` adds a relationship to an address and returns its id. */
export function hyperlinksXml(sheet: SheetData, linkTo: (address: string) => string): readonly string[] {
  return ofKind(sheet, LINK).map(({ areas, formulas, texts }) => {
    const address = texts.at(-1) ?? '';
    const id = address === '' ? '' : ` r:id="${attributeText(linkTo(address))}"`;
    const cells = areas.map(areaText).join(' ');
    return withFormulas(texts.slice(0, -1), formulas).replace(`<${LINK}`, `<${LINK} ref="${cells}"${id}`);
  });
}
