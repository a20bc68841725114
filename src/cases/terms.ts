/** The version of the terms that a buyer accepts; it changes whenever the terms change. */
export const TERMS_VERSION = '2026-11';
