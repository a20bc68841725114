/** The terms as shown, and the version that follows from their text. */
import { createHash } from 'node:crypto';

const VERSION_LENGTH = 16;

export interface Terms {
  readonly version: string;
  /** As shown, in Markdown. */
  readonly text: string;
}

export function createTerms(text: string): Terms {
  return { version: createHash('sha256').update(text).digest('hex').slice(0, VERSION_LENGTH), text };
}
