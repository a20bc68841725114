/** Parses request parameters as the provider does: into typed values, or an error that names the parameter. */
import { createInvalidRequestError } from './errors.ts';
import type { RawParameter, RawParameters } from './form.ts';

export type ParameterParser<T> = (raw: RawParameter, param: string) => T;
type Parsers = Readonly<Record<string, ParameterParser<unknown>>>;
type Parsed<R> = R extends ParameterParser<infer T> ? T : never;
type ParsedFields<R extends Parsers, O extends Parsers> = { [K in keyof R]: Parsed<R[K]> } & {
  [K in keyof O]?: Parsed<O[K]>;
};

export function createTextParser(limits: { max?: number } = {}): ParameterParser<string> {
  return (raw, param) => {
    const value = requireScalar(raw, param, 'string');
    const max = limits.max ?? 5000;
    if (value.length > max) {
      const message = `'${param}' has ${value.length} characters; at most ${max} are allowed.`;
      throw createInvalidRequestError(message, { code: 'parameter_invalid_string_length', param });
    }
    return value;
  };
}

export function createIntegerParser(limits: { min?: number; max?: number } = {}): ParameterParser<number> {
  return (raw, param) => {
    const value = requireScalar(raw, param, 'integer');
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number)) {
      throw createInvalidRequestError(`'${param}' is not an integer.`, {
        code: 'parameter_invalid_integer',
        param,
      });
    }
    if (number < (limits.min ?? -Infinity) || number > (limits.max ?? Infinity)) {
      throw createInvalidRequestError(`'${param}' is out of range.`, {
        code: 'parameter_invalid_integer',
        param,
      });
    }
    return number;
  };
}

export const parseFlag: ParameterParser<boolean> = (raw, param) => {
  const value = requireScalar(raw, param, 'boolean');
  if (value !== 'true' && value !== 'false')
    throw createInvalidRequestError(`'${param}' is not a boolean.`, { param });
  return value === 'true';
};

export function createEnumParser<const T extends string>(values: readonly T[]): ParameterParser<T> {
  return (raw, param) => {
    const value = requireScalar(raw, param, 'string');
    const match = values.find((allowed) => allowed === value);
    if (match === undefined)
      throw createInvalidRequestError(`'${param}' must be one of: ${values.join(', ')}.`, { param });
    return match;
  };
}

export const parseAbsoluteUrl: ParameterParser<string> = (raw, param) => {
  const value = createTextParser()(raw, param);
  // Returned unchanged: normalizing would escape the braces of the placeholder.
  if (!/^https?:\/\/[^/\s]/i.test(value) || !URL.canParse(value)) {
    throw createInvalidRequestError(`'${param}' must be an absolute http or https URL.`, {
      code: 'url_invalid',
      param,
    });
  }
  return value;
};

export function createListParser<T>(element: ParameterParser<T>): ParameterParser<T[]> {
  return (raw, param) => {
    if (!Array.isArray(raw)) throw createInvalidRequestError(`'${param}' is not an array.`, { param });
    return raw.map((value: RawParameter, index) => element(value, `${param}[${index}]`));
  };
}

export const parseMetadata: ParameterParser<Record<string, string>> = (raw, param) => {
  if (typeof raw === 'string') throw createInvalidRequestError(`'${param}' is not an object.`, { param });
  const entries = Object.entries(raw);
  if (entries.length > 50) throw createInvalidRequestError(`'${param}' has more than 50 keys.`, { param });
  const metadata: [string, string][] = [];
  for (const [key, value] of entries) {
    const name = `${param}[${key}]`;
    if (typeof value !== 'string')
      throw createInvalidRequestError(`'${name}' is not a string.`, { param: name });
    if (key.length > 40 || value.length > 500) {
      throw createInvalidRequestError('Metadata keys have at most 40 characters, values at most 500.', {
        param: name,
      });
    }
    // An empty value unsets the key; on a new object it is simply left out.
    if (value !== '') metadata.push([key, value]);
  }
  return Object.fromEntries(metadata);
};

/** Parses an object with these fields; errors name a missing or an unknown field. */
export function createObjectParser<R extends Parsers, O extends Parsers>(
  required: R,
  optional: O,
): ParameterParser<ParsedFields<R, O>> {
  const parsers = new Map<string, ParameterParser<unknown>>([
    ...Object.entries(required),
    ...Object.entries(optional),
  ]);
  return (raw, param) => {
    if (typeof raw === 'string' || Array.isArray(raw))
      throw createInvalidRequestError(`'${param}' is not an object.`, { param });
    const rawFields = new Map(Object.entries(raw as RawParameters));
    const formatFieldName = (field: string): string => (param === '' ? field : `${param}[${field}]`);
    for (const field of rawFields.keys()) {
      if (!parsers.has(field)) throw createUnknownParameterError(formatFieldName(field));
    }
    for (const field of Object.keys(required)) {
      if (!rawFields.has(field)) throw createMissingParameterError(formatFieldName(field));
    }
    const fields = Array.from(rawFields, ([field, value]) => [
      field,
      parsers.get(field)!(value, formatFieldName(field)),
    ]);
    return Object.fromEntries(fields) as ParsedFields<R, O>;
  };
}

export function createMissingParameterError(param: string): Error {
  return createInvalidRequestError(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
}

function createUnknownParameterError(param: string): Error {
  return createInvalidRequestError(`Received unknown parameter: ${param}`, {
    code: 'parameter_unknown',
    param,
  });
}

function requireScalar(raw: RawParameter, param: string, kind: string): string {
  if (typeof raw !== 'string') throw createInvalidRequestError(`'${param}' is not a ${kind}.`, { param });
  if (raw === '') {
    throw createInvalidRequestError(`'${param}' is empty and cannot be unset.`, {
      code: 'parameter_invalid_empty',
      param,
    });
  }
  return raw;
}
