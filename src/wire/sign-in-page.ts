/** Names that the sign-in page shares with its script. */

export const WORDS_FORM_ID = 'with-words';
/** Shows that a form was on our page. */
export const FORM_TOKEN_FIELD = 'form_token';
/** What the script sends instead of the words. */
export const LOOKUP_TOKEN_FIELD = 'lookup_token';
