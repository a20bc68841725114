/** Reads request parameters as the provider does: text in, typed values or a refusal that names the parameter out. */
import { invalidRequest } from './errors.ts';
import type { Raw, RawObject } from './form.ts';

export type Reader<T> = (raw: Raw, param: string) => T;
type Readers = Readonly<Record<string, Reader<unknown>>>;
type Read<R> = R extends Reader<infer T> ? T : never;
type Fields<R extends Readers, O extends Readers> = { [K in keyof R]: Read<R[K]> } & {
  [K in keyof O]?: Read<O[K]>;
};

export function text(limits: { max?: number } = {}): Reader<string> {
  return (raw, param) => {
    const value = scalar(raw, param, 'string');
    const max = limits.max ?? 5000;
    if (value.length > max) {
      const message = `'${param}' has ${value.length} characters; at most ${max} are allowed.`;
      throw invalidRequest(message, { code: 'parameter_invalid_string_length', param });
    }
    return value;
  };
}

export function integer(limits: { min?: number; max?: number } = {}): Reader<number> {
  return (raw, param) => {
    const value = scalar(raw, param, 'integer');
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number)) {
      throw invalidRequest(`'${param}' is not an integer.`, { code: 'parameter_invalid_integer', param });
    }
    if (number < (limits.min ?? -Infinity) || number > (limits.max ?? Infinity)) {
      throw invalidRequest(`'${param}' is out of range.`, { code: 'parameter_invalid_integer', param });
    }
    return number;
  };
}

export const flag: Reader<boolean> = (raw, param) => {
  const value = scalar(raw, param, 'boolean');
  if (value !== 'true' && value !== 'false') throw invalidRequest(`'${param}' is not a boolean.`, { param });
  return value === 'true';
};

export function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return (raw, param) => {
    const value = scalar(raw, param, 'string');
    const found = values.find((known) => known === value);
    if (found === undefined)
      throw invalidRequest(`'${param}' must be one of: ${values.join(', ')}.`, { param });
    return found;
  };
}

export const absoluteUrl: Reader<string> = (raw, param) => {
  const value = text()(raw, param);
  // The placeholder's braces stay as they are: only the shape is looked at, never a normalised copy kept.
  if (!/^https?:\/\/[^/\s]/i.test(value) || !URL.canParse(value)) {
    throw invalidRequest(`'${param}' must be an absolute http or https URL.`, { code: 'url_invalid', param });
  }
  return value;
};

export function list<T>(element: Reader<T>): Reader<T[]> {
  return (raw, param) => {
    if (!Array.isArray(raw)) throw invalidRequest(`'${param}' is not an array.`, { param });
    return raw.map((value: Raw, index) => element(value, `${param}[${index}]`));
  };
}

export const metadata: Reader<Record<string, string>> = (raw, param) => {
  if (typeof raw === 'string') throw invalidRequest(`'${param}' is not an object.`, { param });
  const entries = Object.entries(raw);
  if (entries.length > 50) throw invalidRequest(`'${param}' has more than 50 keys.`, { param });
  const read: [string, string][] = [];
  for (const [key, value] of entries) {
    const at = `${param}[${key}]`;
    if (typeof value !== 'string') throw invalidRequest(`'${at}' is not a string.`, { param: at });
    if (key.length > 40 || value.length > 500) {
      throw invalidRequest('Metadata keys have at most 40 characters, values at most 500.', { param: at });
    }
    // An empty value unsets the key, which on a new object means that it never was.
    if (value !== '') read.push([key, value]);
  }
  return Object.fromEntries(read);
};

/** An object with exactly these fields: a missing one and an unknown one are refused by name. */
export function object<R extends Readers, O extends Readers>(required: R, optional: O): Reader<Fields<R, O>> {
  const readers = new Map<string, Reader<unknown>>([
    ...Object.entries(required),
    ...Object.entries(optional),
  ]);
  return (raw, param) => {
    if (typeof raw === 'string' || Array.isArray(raw))
      throw invalidRequest(`'${param}' is not an object.`, { param });
    const given = new Map(Object.entries(raw as RawObject));
    const nameOf = (field: string): string => (param === '' ? field : `${param}[${field}]`);
    for (const field of given.keys()) {
      if (!readers.has(field)) throw unknownParameter(nameOf(field));
    }
    for (const field of Object.keys(required)) {
      if (!given.has(field)) throw missingParameter(nameOf(field));
    }
    const fields = Array.from(given, ([field, value]) => [field, readers.get(field)!(value, nameOf(field))]);
    return Object.fromEntries(fields) as Fields<R, O>;
  };
}

export function missingParameter(param: string): Error {
  return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
}

function unknownParameter(param: string): Error {
  return invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
}

function scalar(raw: Raw, param: string, kind: string): string {
  if (typeof raw !== 'string') throw invalidRequest(`'${param}' is not a ${kind}.`, { param });
  if (raw === '') {
    throw invalidRequest(`'${param}' is empty and cannot be unset.`, {
      code: 'parameter_invalid_empty',
      param,
    });
  }
  return raw;
}
