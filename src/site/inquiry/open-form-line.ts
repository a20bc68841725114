/** The line on other pages that leads back to a form which is open in this browser but not sent. */
import type { FastifyRequest } from 'fastify';
import type { Language } from '#language/language.ts';
import { computeSessionTag } from '#payments/session-id.ts';
import type { Services } from '#services.ts';
import { findOrderBySession } from '#store/orders/orders.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { renderSentence } from '#view/sentence.ts';
import { INQUIRY_PATH } from '#wire/inquiry-page.ts';
import { FORM_COOKIE_NAME, listFormCookieSessions } from './form-cookie.ts';
import { hasOpenForm } from './form-session.ts';

/** Does not mention a purchase, because others may see the screen. The same for all, so that pages can be prepared. */
function withOpenFormLine(page: HtmlPage, language: Language): HtmlPage {
  const link = (content: Html) => html`<a href="${INQUIRY_PATH}">${content}</a>`;
  return {
    ...page,
    main: html`<div class="notice"><p class="wrap">${renderSentence(language, 'form.open', { link })}</p></div>
${page.main}`,
  };
}

type PreparePage<Page> = (request: FastifyRequest) => Promise<Page>;
type AddLine = (page: HtmlPage, language: Language) => HtmlPage;

/** A page that is the same for everyone, but for the line: `create` gets a function that adds it, or adds nothing. */
export function createLinedPages<Page>(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  create: (addLine: AddLine) => PreparePage<Page>,
) {
  const prepareLined = create(withOpenFormLine);
  const preparePlain = create((page) => page);
  const prepareForBrowser: PreparePage<Page> = async (request) =>
    await ((await hasOpenFormInBrowser(services, request)) ? prepareLined : preparePlain)(request);
  return { preparePlain, prepareForBrowser };
}

/** The same for a page that is rendered for one reader. */
export async function addOpenFormLine(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  page: HtmlPage,
  request: FastifyRequest,
): Promise<HtmlPage> {
  if (!(await hasOpenFormInBrowser(services, request))) return page;
  return withOpenFormLine(page, negotiateLanguage(request));
}

/** Ignores the session `except`. Does not ask the provider: the line may be late, but these pages must be fast. */
export async function hasOpenFormInBrowser(
  { clock, keyring, store }: Pick<Services, 'clock' | 'keyring' | 'store'>,
  { cookies }: FastifyRequest,
  except?: string,
): Promise<boolean> {
  for (const sessionId of listFormCookieSessions({ clock, keyring }, cookies[FORM_COOKIE_NAME])) {
    if (sessionId === except) continue;
    // If the store is unavailable, these pages are shown without the line.
    const order = await findOrderBySession(store.records, computeSessionTag(keyring, sessionId)).catch(
      () => undefined,
    );
    if (hasOpenForm(order ?? null)) return true;
  }
  return false;
}
