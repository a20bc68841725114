/** The line on other pages that leads back to a form which is open in this browser and not sent. */
import type { FastifyRequest } from 'fastify';
import type { Language } from '#language/language.ts';
import { computeSessionTags } from '#payments/session-id.ts';
import type { Services } from '#services.ts';
import { findOrderBySession } from '#store/orders.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderSentence } from '#view/sentence.ts';
import { INQUIRY_PATH } from '#wire/inquiry-page.ts';
import { FORM_COOKIE_NAME, listFormCookieSessions } from './form-cookie.ts';
import { hasOpenForm } from './form-session.ts';

/**
 * Others may see the screen, so it tells neither what was bought nor that something was. The same for everyone who sees
 * it, so that such a page can be prepared as well.
 */
export function withOpenFormLine(page: HtmlPage, language: Language): HtmlPage {
  const link = (content: Html) => html`<a href="${INQUIRY_PATH}">${content}</a>`;
  return {
    ...page,
    main: html`<div class="notice"><p class="wrap">${renderSentence(language, 'form.open', { link })}</p></div>
${page.main}`,
  };
}

/** Does not ask the provider: the line may be late, but these pages must be fast. */
export async function hasOpenFormInBrowser(
  { clock, keyring, store }: Pick<Services, 'clock' | 'keyring' | 'store'>,
  { cookies }: FastifyRequest,
): Promise<boolean> {
  for (const sessionId of listFormCookieSessions({ clock, keyring }, cookies[FORM_COOKIE_NAME])) {
    // Without the store these pages have to do without the line, not the other way round.
    const order = await findOrderBySession(store.records, computeSessionTags(keyring, sessionId)).catch(
      () => undefined,
    );
    if (hasOpenForm(order ?? null)) return true;
  }
  return false;
}
