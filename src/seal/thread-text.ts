/** What is wrong or worth knowing about the place of a message in its conversation, as plain sentences. */
import type { MessageLink, MissingMessages } from './thread.ts';

/** Empty if there is nothing to say. */
export const LINK_SENTENCES: Readonly<Record<MessageLink, string>> = {
  linked: '',
  crossed: 'Written before the other side’s message above was read.',
  unlinked: 'Sent without a record of which messages were read before it.',
  unreadable: '',
  after_gap: 'Cannot be checked, because a message above is missing.',
  altered: 'Do not rely on this: whoever wrote it saw other messages above it than you do.',
};

/** People count from 1. */
export function formatMissingMessages({ missing: { first, last } }: MissingMessages): string {
  return first === last
    ? `Message ${first + 1} is missing. A later message counts on it: ask for it, or send it again.`
    : `Messages ${first + 1} to ${last + 1} are missing. A later message counts on them: ask for them, or send them again.`;
}
