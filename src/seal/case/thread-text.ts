/** What is wrong or worth knowing about the place of a message in its conversation. */

import type { UnsaidText } from '../core/unsaid-text.ts';
import type { MessageLink, MissingMessages } from './thread.ts';

/** A message whose place is as it should be, or that cannot be read at all, needs no remark. */
const UNREMARKED: readonly MessageLink[] = ['linked', 'unreadable'];

/** Empty if there is nothing to say. */
export function toLinkText(link: MessageLink): UnsaidText {
  return UNREMARKED.includes(link) ? '' : { key: `thread.${link}` };
}

/** People count from 1. */
export function toMissingText({ missing: { first, last } }: MissingMessages): UnsaidText {
  const values = { count: last - first + 1, first: first + 1, last: last + 1 };
  return { key: 'thread.missing', values };
}
