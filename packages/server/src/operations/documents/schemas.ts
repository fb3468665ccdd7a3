import { Type } from 'typebox';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { Time } from '../schemas/answers.ts';

/** Schemas that several operations on documents share. */
export const Title = Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: '1–255 characters.' });

const DOCUMENT = {
  id: Type.String({ format: 'uuid' }),
  type: Type.String(),
  title: Type.String(),
  permission: Type.Unsafe<string>({ type: 'string', enum: ['owner', 'edit', 'comment', 'view'] }),
  revisionId: Type.String(),
  createdAt: Time,
  updatedAt: Time,
  dateSystem: Type.Unsafe<string>({
    type: 'string',
    enum: ['1899-12-30', '1900', '1904'],
    description:
      'Start of the serial numbers of dates: day 0 is 1899-12-30; or day 1 is 1900-01-01, with the non-existent ' +
      '29 February 1900 of Excel; or day 0 is 1904-01-01.',
  }),
  openProposals: Type.Integer({ minimum: 0, description: 'Number of writes that wait for consent.' }),
};
export const Document = Type.Object(DOCUMENT, { title: 'Document' });
export const DocumentWithContent = Type.Object(
  { ...DOCUMENT, content: Type.Object({ contentUrl: Type.String(), stylesUrl: Type.String() }) },
  { title: 'DocumentWithContent' },
);
export const DocumentAnswer = Type.Object({ document: DocumentWithContent });
