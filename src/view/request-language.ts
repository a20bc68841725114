/** The language of a request: the reader's choice, otherwise the browser's preference (RFC 9110 §12.5.4). */
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Language } from '#language/language.ts';
import { findServedLanguage, SERVED_LANGUAGES } from '#language/languages.ts';

/** Holds the tag of a language and nothing else. */
export const LANGUAGE_COOKIE = '__Host-language';
/** Browsers send about 60 characters; a longer header is ignored. */
const MAX_LENGTH = 1_024;
const COOKIE_VALUE = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([A-Za-z-]{2,16})(?:;|$)`);

type RequestHeaders = Pick<FastifyRequest, 'raw'>;

export function negotiateLanguage(request: RequestHeaders): Language {
  const [, chosen] = COOKIE_VALUE.exec(request.raw.headers.cookie ?? '') ?? [];
  return findServedLanguage(chosen) ?? negotiatePreferredLanguage(request);
}

/** The language that the browser prefers, regardless of the reader's choice. */
export function negotiatePreferredLanguage({ raw }: RequestHeaders): Language {
  const { 'accept-language': accepted = '' } = raw.headers;
  if (accepted.length > MAX_LENGTH) return SERVED_LANGUAGES[0];
  const negotiator = new Negotiator({ headers: { 'accept-language': accepted } });
  const [preferred] = accepted ? negotiator.languages(SERVED_LANGUAGES.map(({ tag }) => tag)) : [];
  return findServedLanguage(preferred) ?? SERVED_LANGUAGES[0];
}

const COUNTRY_OF_TAG = /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})(?:-|$)/i;

/** The country in the first browser language that names one, as two capital letters; empty if none does. */
export function findPreferredCountry({ raw }: RequestHeaders): string {
  const { 'accept-language': accepted = '' } = raw.headers;
  if (accepted.length > MAX_LENGTH) return '';
  const tags = new Negotiator({ headers: { 'accept-language': accepted } }).languages();
  return (
    tags
      .flatMap((tag) => COUNTRY_OF_TAG.exec(tag)?.[1] ?? [])
      .at(0)
      ?.toUpperCase() ?? ''
  );
}
