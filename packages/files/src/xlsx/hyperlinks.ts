import { type AttachmentData, areaText, type SheetData } from '@cellwire/engine';
import type { LeftOut } from '../outcome/left-out.ts';
import { listAttachmentsOfKind } from './attachments-xml.ts';
import type { Relationship } from './relationships.ts';
import { escapeAttributeValue, joinWithFormulas } from './xml-copy.ts';

/** Kind of attachments with hyperlinks. The last text is the address. */
export const HYPERLINK = 'hyperlink';
const ID = / r:id="([^"]*)"/;

/** Replaces relationship ids of hyperlinks by their addresses, as the last text. */
export function resolveAddresses(
  attachments: readonly AttachmentData[],
  relationships: readonly Relationship[],
  leftOut: LeftOut,
): readonly AttachmentData[] {
  return attachments.flatMap((attachmentData) => {
    if (attachmentData.kind !== HYPERLINK) return [attachmentData];
    const id = attachmentData.texts.map((text) => ID.exec(text)?.[1]).find((match) => match !== undefined);
    const address = relationships.find((one) => one.id === id)?.address ?? '';
    // A link without a relationship shows a tooltip or calls a program. A link whose relationship is missing does
    // neither.
    if (address === '' && id !== undefined && attachmentData.formulas.length === 0) {
      leftOut.addItem('hyperlinks');
      return [];
    }
    return [{ ...attachmentData, texts: [...attachmentData.texts.map((text) => text.replace(ID, '')), address] }];
  });
}

/**
 * Returns the elements of a sheet's hyperlinks, one for each area. `linkTo`: adds a relationship to an address and returns
 * its id.
 */
export function formatHyperlinksXml(sheet: SheetData, linkTo: (address: string) => string): readonly string[] {
  return listAttachmentsOfKind(sheet, HYPERLINK).flatMap(({ areas, formulas, texts }) => {
    const address = texts.at(-1) ?? '';
    const id = address === '' ? '' : ` r:id="${escapeAttributeValue(linkTo(address))}"`;
    const element = joinWithFormulas(texts.slice(0, -1), formulas);
    return areas.map((area) => element.replace(`<${HYPERLINK}`, `<${HYPERLINK} ref="${areaText(area)}"${id}`));
  });
}
