/** The language of a request: of those that are served, the one that the browser prefers (RFC 9110 §12.5.4). */
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Language } from '#language/language.ts';
import { SERVED_LANGUAGES } from '#language/languages.ts';

export function negotiateLanguage(
  request: Pick<FastifyRequest, 'raw'>,
  served: readonly [Language, ...Language[]] = SERVED_LANGUAGES,
): Language {
  if (served.length === 1) return served[0];
  const [preferred] = new Negotiator(request.raw).languages(served.map(({ tag }) => tag));
  return served.find(({ tag }) => tag === preferred) ?? served[0];
}
