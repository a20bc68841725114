/** Schemas in which exactly one of two fields is given. */

type Pair = readonly [one: string, other: string];

/**
 * For the options of a closed object; the names are those of optional fields. One list of all combinations, since many
 * readers of the document do not understand several lists.
 */
export function createEitherOrRule(...pairs: readonly Pair[]) {
  const combinations = pairs.reduce<readonly (readonly string[])[]>(
    (sofar, pair) => sofar.flatMap((names) => pair.map((name) => [...names, name])),
    [[]],
  );
  return { oneOf: combinations.map((required) => ({ required })) };
}
