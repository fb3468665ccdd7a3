import { Type } from 'typebox';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';

export const User = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  maxLength: MAX_SENT_NAME_LENGTH,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The id or the e-mail address of a user.',
});
