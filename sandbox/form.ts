/** Turns a form body or query string in bracket notation into nested values, refusing what cannot be nested. */
import { invalidRequest } from './errors.ts';

export type Raw = string | readonly Raw[] | RawObject;
export interface RawObject {
  readonly [name: string]: Raw;
}

interface Branch {
  readonly children: Map<string, Branch | string>;
}

const MAX_PAIRS = 1000;
const MAX_DEPTH = 10;

/** `a[b][0]=x` becomes `{a: {b: ['x']}}`; a name given twice, or as text and as object, is refused. */
export function parseForm(text: string): RawObject {
  const root: Branch = { children: new Map() };
  let pairs = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    pairs += 1;
    if (pairs > MAX_PAIRS) throw invalidRequest(`More than ${MAX_PAIRS} parameters were sent.`);
    plant(root, pathOf(name), value, name);
  }
  return objectOf(root);
}

function pathOf(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (match === null) throw invalidRequest('A parameter name is malformed.', { param: name });
  const path = [match[1]!, ...Array.from(match[2]!.matchAll(/\[([^[\]]*)\]/g), (part) => part[1]!)];
  if (path.length > MAX_DEPTH) throw invalidRequest('A parameter is nested too deeply.', { param: name });
  return path;
}

function plant(root: Branch, path: readonly string[], value: string, name: string): void {
  let branch = root;
  for (const [index, step] of path.entries()) {
    // `a[]` appends; only the end of a name may do so, or it would be unclear which element is meant.
    const key = step === '' ? String(branch.children.size) : step;
    if (step === '' && index < path.length - 1)
      throw invalidRequest('Give list elements an index.', { param: name });
    const present = branch.children.get(key);
    if (index === path.length - 1) {
      if (present !== undefined) throw invalidRequest('A parameter was given twice.', { param: name });
      branch.children.set(key, value);
    } else {
      if (typeof present === 'string') throw invalidRequest('A parameter was given twice.', { param: name });
      const next = present ?? { children: new Map() };
      branch.children.set(key, next);
      branch = next;
    }
  }
}

function grow(branch: Branch | string): Raw {
  if (typeof branch === 'string') return branch;
  const isList = [...branch.children.keys()].every((key, index) => key === String(index));
  return isList ? Array.from(branch.children.values(), grow) : objectOf(branch);
}

function objectOf(branch: Branch): RawObject {
  const object: Record<string, Raw> = Object.create(null);
  for (const [key, child] of branch.children) object[key] = grow(child);
  return object;
}
