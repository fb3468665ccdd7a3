import { MAX_EMAIL_LENGTH, MAX_NAME_LENGTH } from '../../limits/http.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** The reason why a text cannot be an e-mail address; null: it can. */
export function checkEmail(email: string): Refusal | null {
  if (email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email)) return null;
  return invalidRequest('email', `${email} is not an e-mail address`);
}

/** The reason why a text cannot be a user's name; null: it can. */
export function checkUserName(name: string): Refusal | null {
  if (name !== '' && name.length <= MAX_NAME_LENGTH) return null;
  return invalidRequest('name', `A name must have 1 to ${MAX_NAME_LENGTH} characters`);
}
