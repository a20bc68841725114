/** Rules for form fields: each parses an unknown value, or reports what to change. */
import type { UnsaidSentence } from '../core/unsaid-text.ts';

export interface FieldError {
  /** JSON Pointer to the field (RFC 6901). */
  readonly pointer: string;
  /** For programs, which do not use the sentences: `missing`, `too_long` and so on. */
  readonly code: string;
  /** What to change, in the words of the catalogue. */
  readonly said: UnsaidSentence;
  /** The valid choices. */
  readonly choices?: readonly string[];
}

/** An error with a separate sentence for this field: `/contact/value` has `fault.contact_value.missing`. */
export function createFieldError(
  pointer: string,
  code: string,
  values: UnsaidSentence['values'] = {},
): FieldError {
  const name = pointer
    .split('/')
    .filter((part) => part !== '' && !/^\d+$/.test(part))
    .join('_');
  return { pointer, code, said: { key: `fault.${name}.${code}`, values } };
}

/** An error that reads the same for every field. */
export function createGeneralError(
  pointer: string,
  code: string,
  values: UnsaidSentence['values'] = {},
): FieldError {
  return { pointer, code, said: { key: `fault.${code}`, values } };
}

function reportError(errors: FieldError[], error: FieldError): undefined {
  errors.push(error);
}

/** Returns undefined only after reporting an error. */
export type FieldRule<Value> = (value: unknown, pointer: string, errors: FieldError[]) => Value | undefined;

export type RuleValue<Rule> = Rule extends FieldRule<infer Value> ? Value : never;

/** What a validation returns: the value under its name, or what to change. */
export type Checked<Name extends string, Value> =
  | Readonly<Record<Name, Value>>
  | { readonly errors: readonly FieldError[] };

interface TextLimits {
  /** Without a minimum the text is optional and defaults to empty. */
  readonly min?: number;
  readonly max: number;
  readonly allows?: (text: string) => boolean;
}

export function createTextRule(limits: TextLimits): FieldRule<string> {
  return (value = '', pointer, errors) => {
    const error = findTextFault(value, pointer, limits);
    return error === null ? (value as string) : reportError(errors, error);
  };
}

function findTextFault(
  value: unknown,
  pointer: string,
  { min = 0, max, allows }: TextLimits,
): FieldError | null {
  if (typeof value !== 'string') return createGeneralError(pointer, 'not_text');
  // Encoding to UTF-8 would silently replace a lone surrogate.
  if (!value.isWellFormed()) return createGeneralError(pointer, 'broken');
  if (countCharacters(value.trim()) < min) return createFieldError(pointer, 'missing', { min });
  const length = countCharacters(value);
  if (length > max) return createGeneralError(pointer, 'too_long', { max, length });
  return value === '' || !allows || allows(value) ? null : createFieldError(pointer, 'refused');
}

/** Counts code points; a line break counts once, as CRLF or LF. */
export function countCharacters(value: string): number {
  return Array.from(value.replaceAll('\r\n', '\n')).length;
}

export function createChoiceRule<const Option extends string>(
  options: readonly Option[],
  defaultOption?: Option,
): FieldRule<Option> {
  return (value = defaultOption, pointer, errors) => {
    const chosen = options.find((option) => option === value);
    // A person who chose nothing sees the options on the page; a program that sent a wrong value does not.
    if (chosen === undefined)
      errors.push({ ...createFieldError(pointer, 'missing'), ...(value ? { choices: options } : {}) });
    return chosen;
  };
}

export const trueRule: FieldRule<true> = (value, pointer, errors) => {
  return value === true ? true : reportError(errors, createFieldError(pointer, 'missing'));
};

export const booleanRule: FieldRule<boolean> = (value = false, pointer, errors) => {
  return typeof value === 'boolean' ? value : reportError(errors, createGeneralError(pointer, 'not_boolean'));
};

/** `told` is the limit in the unit of the sentence. */
export function createIntegerRule(max: number, told = max): FieldRule<number> {
  return (value, pointer, errors) => {
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max)
      return value as number;
    return reportError(errors, createFieldError(pointer, 'refused', { max: told }));
  };
}

/** Null if the field is absent. */
export function createOptionalRule<Value>(rule: FieldRule<Value>): FieldRule<Value | null> {
  return (value = null, pointer, errors) => (value === null ? null : rule(value, pointer, errors));
}

/** Optional; defaults to an empty list. */
export function createListRule<Value>(rule: FieldRule<Value>, max: number): FieldRule<readonly Value[]> {
  return (value = [], pointer, errors) => {
    if (!Array.isArray(value)) return reportError(errors, createGeneralError(pointer, 'not_list'));
    if (value.length > max) return reportError(errors, createFieldError(pointer, 'too_many', { max }));
    // An invalid entry becomes undefined, but then an error is reported and the list is not used.
    return value.map((entry: unknown, index) => rule(entry, `${pointer}/${index}`, errors) as Value);
  };
}

/** How many unknown fields are listed at most: a longer list would not help the sender. */
const MAX_TOLD_NAMES = 20;

type Rules = Readonly<Record<string, FieldRule<unknown>>>;
type RecordValue<Fields extends Rules> = { readonly [Name in keyof Fields]: RuleValue<Fields[Name]> };

/** Optional if all of its fields are. An unknown field is an error, never silently dropped. */
export function createRecordRule<Fields extends Rules>(fields: Fields): FieldRule<RecordValue<Fields>> {
  return (value = {}, pointer, errors) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return reportError(errors, createGeneralError(pointer, 'not_record'));
    const input: Readonly<Record<string, unknown>> = { ...value };
    const unknown = Object.keys(input).filter((key) => !Object.hasOwn(fields, key));
    for (const name of unknown.slice(0, MAX_TOLD_NAMES))
      errors.push(createGeneralError(`${pointer}/${escapePointerToken(name)}`, 'unknown'));
    const entries = Object.entries(fields).map(([name, rule]) => {
      const fieldValue = Object.hasOwn(input, name) ? input[name] : undefined;
      return [name, rule(fieldValue, `${pointer}/${name}`, errors)];
    });
    return Object.fromEntries(entries) as RecordValue<Fields>;
  };
}

/** RFC 6901 §3. */
function escapePointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
