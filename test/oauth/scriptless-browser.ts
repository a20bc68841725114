/** A browser without scripts: stores cookies by path, follows redirects on the site, and submits forms of its page. */
import assert from 'node:assert/strict';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';

interface StoredCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export interface ScriptlessBrowser {
  readonly open: (address: string) => Promise<HttpsResponse>;
  /** Submits the form of the last page with this action, filled in with what a person types. */
  readonly submitForm: (action: string, typed?: Record<string, string>) => Promise<HttpsResponse>;
  readonly getPage: () => HttpsResponse;
  /** Where the last redirect led, if it left the site. */
  readonly getExternalRedirect: () => URL | null;
  readonly listCookies: () => readonly StoredCookie[];
}

const HEADERS = { accept: 'text/html,*/*;q=0.8' };

export function openScriptlessBrowser(get: HttpsClient, origin: string): ScriptlessBrowser {
  let jar: readonly StoredCookie[] = [];
  let last: HttpsResponse | undefined;
  let away: URL | null = null;

  const sendRequest = async (address: string, form?: string): Promise<HttpsResponse> => {
    const { pathname, search } = new URL(address, origin);
    const cookie = jar
      .filter(({ path }) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const headers = {
      ...HEADERS,
      ...(cookie && { cookie }),
      ...(form !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      }),
    };
    const answer = await get(
      pathname + search,
      form === undefined ? { headers } : { method: 'POST', headers, body: form },
    );
    jar = mergeCookies(jar, answer.headers['set-cookie'] ?? []);
    last = answer;
    const { location } = answer.headers;
    if (location === undefined) return answer;
    const next = new URL(location, origin);
    if (next.origin === origin) return await sendRequest(next.href);
    away = next;
    return answer;
  };

  return {
    open: (address) => sendRequest(address),
    submitForm: async (action, typed = {}) => {
      const [, target, fields] =
        new RegExp(`<form[^>]* method="post" action="([^"]*/${action})">(.*?)</form>`, 's').exec(
          last?.text ?? '',
        ) ?? [];
      assert.ok(target, `no form leads to ${action}:\n${last?.text}`);
      const hidden = [...(fields ?? '').matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
      const body = new URLSearchParams();
      for (const [, name = '', value = ''] of hidden) body.set(name, value);
      for (const [name, value] of Object.entries(typed)) {
        assert.match(fields ?? '', new RegExp(`name="${name}"`));
        body.set(name, value);
      }
      return await sendRequest(target, body.toString());
    },
    getPage: () => {
      assert.ok(last);
      return last;
    },
    getExternalRedirect: () => away,
    listCookies: () => jar,
  };
}

function mergeCookies(jar: readonly StoredCookie[], lines: readonly string[]): readonly StoredCookie[] {
  let cookies = jar;
  for (const line of lines) {
    const [pair = '', ...rules] = line.split(/; ?/);
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = /^path=(.*)$/i.exec(rules.find((rule) => /^path=/i.test(rule)) ?? '')?.[1] ?? '/';
    cookies = cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    const expired = rules.some((rule) => /^max-age=0$|^expires=Thu, 01 Jan 1970/i.test(rule));
    if (!expired) cookies = [...cookies, { name, value, path }];
  }
  return cookies;
}
