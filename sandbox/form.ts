/** Parses a form body or query string in bracket notation into nested values. */
import { createInvalidRequestError } from './errors.ts';

export type RawParameter = string | readonly RawParameter[] | RawParameters;
export interface RawParameters {
  readonly [name: string]: RawParameter;
}

interface Branch {
  readonly children: Map<string, Branch | string>;
}

const MAX_PAIRS = 1000;
const MAX_DEPTH = 10;

/** Parses `a[b][0]=x` as `{a: {b: ['x']}}`; refuses a name that occurs twice, or both as text and as object. */
export function parseBracketForm(text: string): RawParameters {
  const root: Branch = { children: new Map() };
  let pairs = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    pairs += 1;
    if (pairs > MAX_PAIRS) throw createInvalidRequestError(`More than ${MAX_PAIRS} parameters were sent.`);
    setAtPath(root, parseParameterPath(name), value, name);
  }
  return toRawParameters(root);
}

function parseParameterPath(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (match === null) throw createInvalidRequestError('A parameter name is malformed.', { param: name });
  const path = [match[1]!, ...Array.from(match[2]!.matchAll(/\[([^[\]]*)\]/g), (part) => part[1]!)];
  if (path.length > MAX_DEPTH)
    throw createInvalidRequestError('A parameter is nested too deeply.', { param: name });
  return path;
}

function setAtPath(root: Branch, path: readonly string[], value: string, name: string): void {
  let branch = root;
  for (const [index, step] of path.entries()) {
    // `a[]` appends. Allowed only at the end of a name; elsewhere the element would be ambiguous.
    const key = step === '' ? String(branch.children.size) : step;
    if (step === '' && index < path.length - 1)
      throw createInvalidRequestError('Give list elements an index.', { param: name });
    const existing = branch.children.get(key);
    if (index === path.length - 1) {
      if (existing !== undefined)
        throw createInvalidRequestError('A parameter was given twice.', { param: name });
      branch.children.set(key, value);
    } else {
      if (typeof existing === 'string')
        throw createInvalidRequestError('A parameter was given twice.', { param: name });
      const next = existing ?? { children: new Map() };
      branch.children.set(key, next);
      branch = next;
    }
  }
}

function toRawParameter(branch: Branch | string): RawParameter {
  if (typeof branch === 'string') return branch;
  const isList = [...branch.children.keys()].every((key, index) => key === String(index));
  return isList ? Array.from(branch.children.values(), toRawParameter) : toRawParameters(branch);
}

function toRawParameters(branch: Branch): RawParameters {
  const object: Record<string, RawParameter> = Object.create(null);
  for (const [key, child] of branch.children) object[key] = toRawParameter(child);
  return object;
}
