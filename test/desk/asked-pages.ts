/** Requests pages of the desk without a browser. */
import assert from 'node:assert/strict';
import { type DeskAnswer, findPageAbove, listRoutesAt } from '#desk/loopback/page-route.ts';
import { DeskWork, type DeskWorkParts } from '#desk/model/desk-work.ts';
import type { DeskOffice } from '#desk/office/office-client.ts';
import { renderRefusal, toPageTitle } from '#desk/pages/page-frame.ts';
import { deskRoutes } from '#desk/pages/routes.ts';
import type { Html } from '#view/html.ts';

const FORM_TOKEN = 'token-of-the-visit';

type FormFields = Readonly<Record<string, string | File | readonly string[]>>;

/** The pages of a desk that was just unlocked. */
export function openDeskPages<Office extends DeskOffice>(
  office: Office,
  settings: Partial<DeskWorkParts> = {},
) {
  const desk = new DeskWork({ office, outFolder: null, templatesFolder: null, ...settings });
  const ask = createPageVisitor(desk);
  const show = async (target: string) => readPage(await ask('GET', target)).html;
  return { office, desk, ask, show };
}

export function createPageVisitor(desk: DeskWork) {
  return async (method: 'GET' | 'POST', target: string, fields: FormFields = {}): Promise<DeskAnswer> => {
    const [path = '', search = ''] = target.split('?');
    const found = listRoutesAt(deskRoutes, path).find(({ route }) => route.method === method);
    assert.ok(found, `${method} ${path}`);
    const form = new FormData();
    for (const [name, values] of Object.entries(fields))
      for (const value of Array.isArray(values) ? values : [values])
        form.append(name, value as string | File);
    return await found.route.answer({
      params: found.params,
      query: new URLSearchParams(search),
      form,
      visit: {
        formToken: FORM_TOKEN,
        hasSingleKeys: true,
        path: findPageAbove(deskRoutes, path) ?? '/queue',
      },
      desk,
      signal: new AbortController().signal,
    });
  };
}

interface ShownPage {
  readonly html: string;
  readonly status: number;
  readonly title: string;
}

export function readPage(answer: DeskAnswer): ShownPage {
  assert.ok('page' in answer, JSON.stringify(answer));
  const { page, status = page.refusal ? 409 : 200 } = answer;
  const refusal = page.refusal ? renderRefusal(page.refusal) : '';
  return { html: `${refusal}${page.strip ?? ''}${page.main as Html}`, status, title: toPageTitle(page) };
}

export function readRedirect(answer: DeskAnswer): string {
  assert.ok('redirect' in answer, 'no redirect');
  return answer.redirect;
}

/** Returns where a delivery leads, even if it took so long that a page was shown meanwhile. */
export async function readDelivered(answer: DeskAnswer): Promise<string> {
  if ('redirect' in answer) return answer.redirect;
  assert.ok('page' in answer && Symbol.asyncIterator in answer.page.main, 'not delivered');
  const shown = (await Array.fromAsync(answer.page.main, String)).join('');
  return /href="([^"]+)" aria-keyshortcuts="n"/.exec(shown)?.[1] ?? assert.fail(shown);
}

/** No form can be posted from elsewhere, or before the page's script has proved the desk. */
export function assertFormTokens(html: string, path: string): void {
  const posts = html.match(/<form [^>]*method="dialog"/g)?.length ?? 0;
  assert.doesNotMatch(html, /method="post"/i, path);
  assert.equal(html.match(new RegExp(`value="${FORM_TOKEN}"`, 'g'))?.length ?? 0, posts, path);
}
