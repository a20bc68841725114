/** Finds the page for a method and a path. */
import type { DeskRoute, UnlockedDesk } from './page-route.ts';

export type FoundPage<Desk extends UnlockedDesk> =
  | { readonly route: DeskRoute<Desk>; readonly params: Readonly<Record<string, string>> }
  /** The methods of the path, if it has any. */
  | { readonly route: null; readonly methods: readonly string[] };

export function findPage<Desk extends UnlockedDesk>(
  routes: readonly DeskRoute<Desk>[],
  method: string,
  path: string,
): FoundPage<Desk> {
  const methods: string[] = [];
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (!params) continue;
    if (route.method === method) return { route, params };
    methods.push(route.method);
  }
  return { route: null, methods };
}

/** The page that a form was sent from: at its own path, or at the nearest parent path. Null if there is none. */
export function findPageAbove<Desk extends UnlockedDesk>(
  routes: readonly DeskRoute<Desk>[],
  path: string,
): string | null {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/')))
    if (findPage(routes, 'GET', at).route) return at;
  return null;
}

/** Null if the path does not match; a parameter is one non-empty segment. */
function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== text) return null;
      continue;
    }
    const value = decodePart(text);
    if (!value) return null;
    params[part.slice(1)] = value;
  }
  return params;
}

function decodePart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
