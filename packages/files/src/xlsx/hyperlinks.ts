import { type AttachmentData, areaText, type SheetData } from '@cellwire/engine';
import type { LeftOut } from '../outcome/left-out.ts';
import { ofKind } from './attachments-xml.ts';
import type { Relationship } from './relationships.ts';
import { attributeText, withFormulas } from './xml-copy.ts';

/** The kind of an attachment that is a link; the last of its texts is its address. */
export const LINK = 'hyperlink';
const ID = / r:id="([^"]*)"/;

/** Puts the addresses that links lead to in the place of the relationships that name them, as the last of their texts. */
export function withAddresses(
  attachments: readonly AttachmentData[],
  relationships: readonly Relationship[],
  leftOut: LeftOut,
): readonly AttachmentData[] {
  return attachments.flatMap((held) => {
    if (held.kind !== LINK) return [held];
    const id = held.texts.map((text) => ID.exec(text)?.[1]).find((found) => found !== undefined);
    const address = relationships.find((one) => one.id === id)?.address ?? '';
    // One that leads nowhere tells something or calls a program; one that led somewhere unknown does neither.
    if (address === '' && id !== undefined && held.formulas.length === 0) {
      leftOut.add('hyperlinks');
      return [];
    }
    return [{ ...held, texts: [...held.texts.map((text) => text.replace(ID, '')), address] }];
  });
}

/** The elements of a sheet's links; `linkTo` makes the relationship to an address and gives its id. */
export function hyperlinksXml(sheet: SheetData, linkTo: (address: string) => string): readonly string[] {
  return ofKind(sheet, LINK).map(({ areas, formulas, texts }) => {
    const address = texts.at(-1) ?? '';
    const id = address === '' ? '' : ` r:id="${attributeText(linkTo(address))}"`;
    const cells = areas.map(areaText).join(' ');
    return withFormulas(texts.slice(0, -1), formulas).replace(`<${LINK}`, `<${LINK} ref="${cells}"${id}`);
  });
}
