/** The rules that a sender agrees to; a change of them gets a new name. */
export const TERMS_VERSION = '2026-11';
