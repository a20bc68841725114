/** Schemas in which exactly one of two fields is given. */

interface RequiredField {
  readonly required: readonly [string];
}

/** For the options of a closed object; the names are those of optional fields. */
export function requireOneOf(...pairs: readonly (readonly [one: string, other: string])[]) {
  return {
    allOf: pairs.map((names) => ({ oneOf: names.map((name): RequiredField => ({ required: [name] })) })),
  };
}
