/** Remembers the language that a reader chose, in a cookie that holds nothing else. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#language/language.ts';
import { findServedLanguage } from '#language/languages.ts';
import type { App } from '#platform/http/app-type.ts';
import { isOwnVisit } from '#platform/http/form-post.ts';
import { HTML_MEDIA_TYPE, LANGUAGE_PARAMETER } from './page.ts';
import { LANGUAGE_COOKIE, negotiatePreferredLanguage } from './request-language.ts';

/**
 * Accepts the choice only from our own pages: another site could change the word that confirms a deletion.
 * Redirects to the address without the parameter, so that every address means the same page for every visitor.
 */
export function addLanguageChoice(app: App): void {
  app.addHook('preHandler', async (request, reply) => {
    const chosen = isOwnPageVisit(request) ? findServedLanguage(readParameter(request.url)) : undefined;
    if (chosen) return setLanguageCookie(request, reply, chosen).redirect(removeParameter(request.url), 303);
  });
}

function isOwnPageVisit(request: FastifyRequest): boolean {
  const { method, routeOptions } = request;
  return method === 'GET' && routeOptions.config.produces === HTML_MEDIA_TYPE && isOwnVisit(request);
}

function readParameter(url: string): string | null {
  const start = url.indexOf('?');
  return start < 0 ? null : new URLSearchParams(url.slice(start)).get(LANGUAGE_PARAMETER);
}

/** Keeps a single leading slash: with more, the redirect would lead to another site. */
function removeParameter(url: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.delete(LANGUAGE_PARAMETER);
  const rest = parameters.size > 0 ? `?${parameters}` : '';
  return `/${path.replace(/^[/\\]+/, '')}${rest}`;
}

/** Sets a session cookie, or deletes it if the reader chooses the language that the browser prefers anyway. */
function setLanguageCookie(request: FastifyRequest, reply: FastifyReply, { tag }: Language): FastifyReply {
  const isPreferred = negotiatePreferredLanguage(request).tag === tag;
  const cookie = `${LANGUAGE_COOKIE}=${isPreferred ? '' : tag}; Path=/; Secure; HttpOnly; SameSite=Lax`;
  return reply.header('set-cookie', isPreferred ? `${cookie}; Max-Age=0` : cookie);
}
