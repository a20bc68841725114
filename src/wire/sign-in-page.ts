/** Names that the sign-in page shares with its script. */

export const WORDS_FORM_ID = 'with-words';
/** Proves that the form comes from this site. */
export const FORM_TOKEN_FIELD = 'form_token';
/** Sent by the script instead of the words. */
export const LOOKUP_TOKEN_FIELD = 'lookup_token';
