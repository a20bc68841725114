/** The errors of sealing and opening: each stable `code` with a plain sentence for a worried person. */

const sentences = {
  wrong_key: 'This key does not open it. Check that the words or the key file belong to this case.',
  tampered: 'It is damaged or was changed after it was sealed, so none of it is shown. Try loading it again.',
  truncated: 'It did not arrive in full, so none of it is shown. Try loading it again.',
  forged: 'It was not written by anyone who holds the key of this case, so it is not shown.',
  swapped: 'It belongs to another place or another case, so it is not shown here.',
  unsupported: 'It was sealed by a newer version of this service. Load the page again to get that version.',
  too_large: 'It is too large to be sealed. Nothing was sent.',
  recipient_refused: 'A key to seal to is missing or is not a post-quantum age key. Nothing was sealed.',
  identity_refused: 'This is not a post-quantum age key: it begins with AGE-SECRET-KEY-PQ-1.',
  token_malformed: 'This is not a lookup token.',
  words_count: 'There are twelve words. Enter all of them, in their order.',
  words_unknown: 'A word is not in the list. Check its spelling.',
  words_checksum:
    'Each word is in the list, but they do not fit together. Check their order, and words that look alike.',
  file_empty: 'This file is empty. Leave it out.',
  image_damaged:
    'The hidden data of this picture cannot be removed because the file is damaged. Leave it out or keep it as it is.',
} as const;

export type SealErrorCode = keyof typeof sentences;

export class SealError extends Error {
  readonly code: SealErrorCode;

  /** `sentence` replaces the default one; it is shown to the user. */
  constructor(code: SealErrorCode, sentence?: string, cause?: unknown) {
    super(sentence ?? sentences[code], { cause });
    this.name = 'SealError';
    this.code = code;
  }
}

/** Null for a `SealError`; any other error does not mean that something cannot be opened. */
export async function awaitOrNull<Opened>(opening: Promise<Opened>): Promise<Opened | null> {
  return await opening.catch((error: unknown) => {
    if (error instanceof SealError) return null;
    throw error;
  });
}
