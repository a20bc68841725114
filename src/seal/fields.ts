/** Rules for form fields: each reads an unknown value into its type, or says in plain words what to change. */

export interface FieldError {
  /** RFC 6901 pointer to the field. */
  readonly pointer: string;
  readonly detail: string;
}

/** Gives undefined only after it has reported why. */
export type FieldRule<Value> = (value: unknown, pointer: string, errors: FieldError[]) => Value | undefined;

export type RuleValue<Checked> = Checked extends FieldRule<infer Value> ? Value : never;

interface TextLimits {
  /** Without it the text may be left out and is then empty. */
  readonly min?: number;
  readonly max: number;
  /** What to do when it is missing or too short. */
  readonly missing?: string;
  readonly allows?: (text: string) => boolean;
  /** What to do when `allows` says no. */
  readonly refused?: string;
}

export function createTextRule(limits: TextLimits): FieldRule<string> {
  return (value = '', pointer, errors) => {
    const detail = findTextFault(value, limits);
    if (detail === null) return value as string;
    errors.push({ pointer, detail });
    return undefined;
  };
}

function findTextFault(
  value: unknown,
  { min = 0, max, missing, allows, refused }: TextLimits,
): string | null {
  if (typeof value !== 'string') return 'Write this as text';
  // Half a character would silently become another one when it is sealed.
  if (!value.isWellFormed()) return 'Some characters are broken; write them again';
  if (countCharacters(value.trim()) < min) return missing ?? `Write at least ${min} characters`;
  const length = countCharacters(value);
  if (length > max) return `Write at most ${max} characters; these are ${length}`;
  return value === '' || !allows || allows(value) ? null : (refused ?? 'Write this differently');
}

/** In code points; a line break counts once, however the form sends it. */
export function countCharacters(value: string): number {
  return Array.from(value.replaceAll('\r\n', '\n')).length;
}

export function createChoiceRule<const Option extends string>(
  options: readonly Option[],
  missing: string,
  otherwise?: Option,
): FieldRule<Option> {
  return (value = otherwise, pointer, errors) => {
    const found = options.find((option) => option === value);
    // A person who chose nothing sees the choices; a program that chose wrongly does not.
    const detail = value ? `${missing}: ${options.join(', ')}` : missing;
    if (found === undefined) errors.push({ pointer, detail });
    return found;
  };
}

export function createTrueRule(detail: string): FieldRule<true> {
  return (value, pointer, errors) => {
    if (value === true) return true;
    errors.push({ pointer, detail });
    return undefined;
  };
}

export function createBooleanRule(): FieldRule<boolean> {
  return (value = false, pointer, errors) => {
    if (typeof value === 'boolean') return value;
    errors.push({ pointer, detail: 'Answer true or false' });
    return undefined;
  };
}

export function createIntegerRule(max: number, detail: string): FieldRule<number> {
  return (value, pointer, errors) => {
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max)
      return value as number;
    errors.push({ pointer, detail });
    return undefined;
  };
}

/** May be left out and is then empty. */
export function createListRule<Value>(
  rule: FieldRule<Value>,
  max: number,
  tooMany: string,
): FieldRule<readonly Value[]> {
  return (value = [], pointer, errors) => {
    if (!Array.isArray(value) || value.length > max) {
      errors.push({ pointer, detail: Array.isArray(value) ? tooMany : 'Give this as a list' });
      return undefined;
    }
    // The rule reports what is wrong with an entry, and then the list is not used.
    return value.map((entry: unknown, index) => rule(entry, `${pointer}/${index}`, errors) as Value);
  };
}

type Rules = Readonly<Record<string, FieldRule<unknown>>>;
type RecordOf<Fields extends Rules> = { readonly [Name in keyof Fields]: RuleValue<Fields[Name]> };

/** May be left out where each of its fields may. A field that nobody asked for is refused, never dropped. */
export function createRecordRule<Fields extends Rules>(fields: Fields): FieldRule<RecordOf<Fields>> {
  return (value = {}, pointer, errors) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      errors.push({ pointer, detail: 'Give this as an object with fields' });
      return undefined;
    }
    const given: Readonly<Record<string, unknown>> = { ...value };
    for (const name of Object.keys(given).filter((key) => !Object.hasOwn(fields, key)))
      errors.push({ pointer: `${pointer}/${escapePointerToken(name)}`, detail: 'This field is not known' });
    const read = Object.entries(fields).map(([name, rule]) => {
      const own = Object.hasOwn(given, name) ? given[name] : undefined;
      return [name, rule(own, `${pointer}/${name}`, errors)];
    });
    return Object.fromEntries(read) as RecordOf<Fields>;
  };
}

/** RFC 6901 §3. */
function escapePointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
