/** Names that the contact page shares with its script. */
import type { ContactMessage } from '#seal/case/contact-message.ts';

export const SEALED_CONTACT_PATH = '/contact/sealed';
export const CONTACT_FORM_ID = 'contact';

export type ContactField = keyof ContactMessage;
export const CONTACT_FIELDS = ['topic', 'message', 'reply_to'] as const satisfies readonly ContactField[];
