/** A page of the desk, as the loopback server sees it: method, path, and a handler that gets only checked input. */
import type { Html } from '#view/html.ts';

/** What the frame around every page shows of the desk's state. */
export interface DeskFrameFacts {
  /** Shown beside the names of the pages in the navigation. */
  readonly counts: Readonly<Partial<Record<DeskNavName, number>>>;
  /** Host of the office, as specified when the desk was started. */
  readonly office: string;
  /** When the office last answered, and whether it answered the last request. */
  readonly answeredAt: Date | null;
  readonly isReached: boolean;
  /** No payment at this office is real. */
  readonly isTestOffice: boolean;
  /** Milliseconds by which the clock of due times is ahead of this machine's. */
  readonly clockAhead: number;
  /** The number of the latest news that the list of cases has shown. */
  readonly newsShown: number;
}

/** What an open page gets with every proof. */
export interface DeskNews {
  /** One number for each case that is new to the investigator; later news has higher numbers. */
  readonly numbers: readonly number[];
  readonly answeredAt: string | null;
  readonly isReached: boolean;
}

export const DESK_NAV = ['queue', 'contact', 'agents', 'orders', 'people', 'numbers', 'log'] as const;
export type DeskNavName = (typeof DESK_NAV)[number];

/** What an unlocked desk works with. Has the key, so locking the desk drops this object. */
export interface UnlockedDesk {
  describeFrame(): DeskFrameFacts;
  /** For a page that stays open. Asks the office in the background, so the answer is immediate but slightly old. */
  describeNews(): DeskNews;
  /** Signs out and forgets everything that was opened. */
  forget(): Promise<void>;
}

/** The one browser that has entered. */
export interface BrowserVisit {
  /** `renderFormToken` puts it into every form. */
  readonly formToken: string;
  /** WCAG 2.1.4: single keys can be switched off. */
  readonly hasSingleKeys: boolean;
  /** Leads back to the requested page, or to the page from which the form was sent. */
  readonly path: string;
}

/** Redirects may lead only to such paths. */
export function isDeskPath(path: string): boolean {
  return /^\/(?!\/)[\x21-\x7e]*$/.test(path);
}

export interface DeskRequest<Desk extends UnlockedDesk = UnlockedDesk> {
  /** The parts of the path that a route names with a colon; as received, because no id needs an escape. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Texts and files of a form; empty for GET. Its token has been checked. */
  readonly form: FormData;
  readonly visit: BrowserVisit;
  readonly desk: Desk;
  /** Aborted when the browser disconnects, and when the desk is locked. */
  readonly signal: AbortSignal;
}

/** Why a request was not carried out: `fact` begins the title, and a strip shows both where a success would be. */
export interface DeskRefusal {
  /** Such as `Not sent`. */
  readonly fact: string;
  readonly why: string;
}

export interface DeskPage {
  /** Contains counts, never a case, because browsers store titles. */
  readonly title: string;
  readonly nav: DeskNavName | null;
  /** A class of `body`, such as `writing`. */
  readonly kind?: string;
  readonly refusal?: DeskRefusal | undefined;
  /** Shown below the top bar. */
  readonly strip?: Html | undefined;
  /** The whole `main` element and what follows it. If sent in parts, each is shown while the next is made. */
  readonly main: Html | AsyncIterable<Html>;
}

export type DeskAnswer =
  /** The status of a page with a refusal is 409 by default. */
  | { readonly page: DeskPage; readonly status?: number }
  /** 303 to a path of the desk. */
  | { readonly redirect: string }
  /** A line for the page's script; the page does not change. */
  | { readonly said: string; readonly status?: number }
  /** A whole file: never shown by the browser. */
  | { readonly download: { readonly name: string; readonly chunks: readonly Uint8Array[] } };

export interface DeskRoute<Desk extends UnlockedDesk = UnlockedDesk> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (request: DeskRequest<Desk>) => DeskAnswer | Promise<DeskAnswer>;
}

/** The routes of a path, one for each method. */
export function listRoutesAt<Desk extends UnlockedDesk>(routes: readonly DeskRoute<Desk>[], path: string) {
  return routes.flatMap((route) => {
    const parts = route.path.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
    const found = new RegExp(`^${parts}$`).exec(path);
    return found ? [{ route, params: { ...found.groups } }] : [];
  });
}

/** The page that a form was sent from: at its own path, or at the nearest parent path. Null if there is none. */
export function findPageAbove<Desk extends UnlockedDesk>(
  routes: readonly DeskRoute<Desk>[],
  path: string,
): string | null {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/')))
    if (listRoutesAt(routes, at).some(({ route }) => route.method === 'GET')) return at;
  return null;
}
