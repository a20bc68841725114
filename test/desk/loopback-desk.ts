/** A loopback server of the desk with a page of its own, and the requests that a browser would send to it. */
import { DeskLock } from '#desk/loopback/desk-lock.ts';
import { DeskEntry } from '#desk/loopback/entry.ts';
import type {
  BrowserVisit,
  DeskFrameFacts,
  DeskNews,
  DeskRoute,
  UnlockedDesk,
} from '#desk/loopback/page-route.ts';
import type { KeepForm, LoopbackServer } from '#desk/loopback/server.ts';
import { renderFormToken } from '#desk/pages/page-frame.ts';
import type { LockedDeskFacts } from '#desk/pages/unlock-page.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { exchangeRawBytes } from '#test/raw-connection.ts';
import { html } from '#view/html.ts';
import { LOCKED, startTestServer } from './desk-window.ts';

/** Is on every page of the unlocked desk, and nowhere else. */
export const SECRET_TEXT = 'the neighbour who writes at night';
export const PASSPHRASE = 'seven quiet boats';

export interface LoopbackDesk {
  readonly server: LoopbackServer;
  readonly entry: DeskEntry;
  readonly lock: DeskLock<UnlockedDesk>;
  readonly errors: unknown[];
  /** The forms that reached a page. */
  readonly posted: FormData[];
  /** How far the clocks of the lock and the entry are ahead of those of the machine. */
  readonly clock: { ahead: number; steadyAhead: number };
  readonly unlocked: UnlockedDesk;
  /** The news that open pages receive. */
  readonly news: { numbers: number[]; answeredAt: string | null; isReached: boolean };
  /** Returns the cookie as a browser sends it, and the token of the forms. */
  enter(): { readonly cookie: string; readonly formToken: string };
  /** Sends raw bytes and returns the answer; `{host}` and `{origin}` are filled in. */
  send(lines: readonly string[], body?: string): Promise<string>;
  visit(path: string, cookie: string): Promise<string>;
  post(path: string, cookie: string, fields: Readonly<Record<string, string>>): Promise<string>;
}

export async function startLoopbackDesk(
  t: CleanupScope,
  { routes = [], facts = {}, locked = {}, keepForm = async () => null }: LoopbackDeskOptions = {},
): Promise<LoopbackDesk> {
  const clock = { ahead: 0, steadyAhead: 0 };
  const clocks = {
    readWall: () => Date.now() + clock.ahead,
    readSteady: () => performance.now() + clock.steadyAhead,
  };
  const [entry, lock] = [new DeskEntry(clocks), new DeskLock<UnlockedDesk>({ clocks })];
  const news = { numbers: [], answeredAt: '10:02', isReached: true };
  const unlocked = createUnlockedDesk(facts, news);
  const [errors, posted]: [unknown[], FormData[]] = [[], []];
  const server = await startTestServer({
    routes: [...routes, ...listPages(posted)],
    entry,
    lock,
    describeLocked: () => ({ ...LOCKED, ...locked }),
    unlock: async (passphrase) => {
      if (passphrase !== PASSPHRASE) return 'This passphrase does not open the key.';
      lock.hold(unlocked);
      return null;
    },
    keepForm,
    onError: (error) => errors.push(error),
  });
  t.after(() => server.close());
  lock.hold(unlocked);
  const enter = () => {
    const visit = entry.enter(entry.makeSecret(), lock.state !== null);
    if (!visit) throw new Error('the entry was refused');
    return { cookie: entry.formatCookie(visit).split(';')[0]!, formToken: visit.formToken };
  };
  const { host } = new URL(server.origin);
  const send = async (lines: readonly string[], body = '') => {
    const head = lines.map((line) => line.replaceAll('{host}', host).replaceAll('{origin}', server.origin));
    return await exchangeRawBytes(server.port, 'tcp', `${head.join('\r\n')}\r\n\r\n${body}`);
  };
  const visit = async (path: string, cookie: string) =>
    await send([`GET ${path} HTTP/1.1`, ...OWN_VISIT, `Cookie: ${cookie}`]);
  const post: LoopbackDesk['post'] = async (path, cookie, fields) => {
    const body = new URLSearchParams(fields).toString();
    return await send([...listPostLines(path, cookie), `Content-Length: ${body.length}`], body);
  };
  return { server, entry, lock, errors, posted, clock, unlocked, news, enter, send, visit, post };
}

/** The head of an own form, without its length. */
export function listPostLines(path: string, cookie: string): string[] {
  const type = 'Content-Type: application/x-www-form-urlencoded';
  return [`POST ${path} HTTP/1.1`, ...OWN_VISIT, 'Origin: {origin}', `Cookie: ${cookie}`, type];
}

interface LoopbackDeskOptions {
  readonly routes?: readonly DeskRoute[];
  readonly facts?: Partial<DeskFrameFacts>;
  readonly locked?: Partial<LockedDeskFacts>;
  readonly keepForm?: KeepForm;
}

function createUnlockedDesk(facts: Partial<DeskFrameFacts>, news: DeskNews): UnlockedDesk {
  return {
    describeFrame: () => ({
      counts: { queue: 12 },
      office: 'office.example',
      answeredAt: new Date(),
      isReached: true,
      isTestOffice: false,
      clockAhead: 0,
      newsShown: 0,
      ...facts,
    }),
    describeNews: () => news,
    forget: () => Promise.resolve(),
  };
}

function listPages(posted: FormData[]): readonly DeskRoute[] {
  return [
    {
      method: 'GET',
      path: '/queue',
      answer: ({ visit }) => ({
        page: {
          title: 'Desk: 1 new',
          nav: 'queue',
          main: html`<main id="main"><h1>Queue</h1><p>${SECRET_TEXT}</p><form method="dialog" action="/acts">${renderFormToken(visit)}<label>Reply <textarea name="text"></textarea></label><button>Send</button></form></main>`,
        },
      }),
    },
    {
      method: 'POST',
      path: '/acts',
      answer: ({ form }) => {
        posted.push(form);
        return { redirect: '/queue' };
      },
    },
    {
      method: 'GET',
      path: '/writing',
      answer: ({ visit }) => ({ page: { ...WRITING, main: renderWriting(visit) } }),
    },
    {
      method: 'POST',
      path: '/cases/:id/drafts',
      answer: ({ form }) => {
        posted.push(form);
        return { said: 'saved 19:11' };
      },
    },
    {
      method: 'GET',
      path: '/file',
      answer: () => ({
        download: { name: '../../.bash\u202egpj.html', chunks: [Buffer.from('<script>alert(1)</script>')] },
      }),
    },
    { method: 'GET', path: '/fault', answer: () => Promise.reject(new Error(SECRET_TEXT)) },
    { method: 'POST', path: '/fault', answer: () => Promise.reject(new Error(SECRET_TEXT)) },
  ];
}

const WRITING = { title: 'Desk: writing', nav: 'queue' } as const;

/** Like the page of a case: a text that is saved while it is typed. */
function renderWriting(visit: BrowserVisit) {
  return html`<main id="main"><h1>Writing</h1><form method="dialog" action="/cases/pDtv2eGUQgcgaaaaaaaaaa/messages">${renderFormToken(visit)}<input type="hidden" name="page" value="p"><input type="hidden" name="base" value="b"><label for="text">Reply</label> <span data-saved="reply"></span><textarea class="input" id="text" name="text" data-draft="reply" aria-keyshortcuts="r"></textarea><button>Send</button></form></main>`;
}

/** What Chromium sends with a click on a link of the desk's own page. */
export const OWN_VISIT = [
  'Host: {host}',
  'Sec-Fetch-Site: same-origin',
  'Sec-Fetch-Mode: navigate',
  'Sec-Fetch-Dest: document',
  'Connection: close',
] as const;
