import { Type } from 'typebox';
import { MAX_ALLOWED_USERS } from '../limits/http.ts';
import { MAX_SENT_NAME_LENGTH } from '../limits/limits.ts';
import { GIVEN_ROLES } from '../service/document/share.ts';
import { body, choice } from './schemas.ts';

/** Schemas of requests that are about documents as wholes. */
const Title = Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: '1–255 characters.' });

const User = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  maxLength: MAX_SENT_NAME_LENGTH,
  description: 'The id or the e-mail address of a user.',
});

/** The body as a whole may be left out. */
export const CreateDocumentBody = Type.Unsafe<{ readonly title?: string; readonly locale?: string } | null>({
  ...body({
    title: Type.Optional(Title),
    locale: Type.Optional(
      Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: 'How values are shown: `en-US`, `de-DE`, …' }),
    ),
  }),
  type: ['object', 'null'],
});
/** The body as a whole may be left out. */
export const CopyDocumentBody = Type.Unsafe<{ readonly title?: string } | null>({
  ...body({ title: Type.Optional(Title) }),
  type: ['object', 'null'],
});
export const RenameDocumentBody = body({ title: Title });
export const ShareBody = body({
  user: User,
  role: choice(GIVEN_ROLES, '`none` ends the user’s access.'),
});
export const ProtectionBody = body({
  hideValues: Type.Optional(Type.Boolean({ description: 'Only the owner and `allow` see the sheet’s values.' })),
  lock: Type.Optional(Type.Boolean({ description: 'Only the owner and `allow` may edit, rename and delete it.' })),
  allow: Type.Optional(Type.Array(User, { maxItems: MAX_ALLOWED_USERS, description: 'Nobody by default.' })),
});
