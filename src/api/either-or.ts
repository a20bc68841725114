/** Requires exactly one of two fields. A schema cannot: bridges to models reject a choice at a body's top level. */
import { ServiceError } from '#platform/errors.ts';

type Pair = readonly [one: string, other: string];

/** `place` is the JSON pointer of the object. */
export function requireEitherOr(object: object, pairs: readonly Pair[], place = ''): void {
  const errors = pairs.flatMap(([one, other]) => {
    const isGiven = Object.hasOwn(object, one);
    if (isGiven !== Object.hasOwn(object, other)) return [];
    const detail = isGiven
      ? `cannot be combined with ${other}; give one of them`
      : `give either this or ${other}`;
    return [{ pointer: `${place}/${one}`, detail }];
  });
  if (errors.length > 0) throw new ServiceError('validation_failed', { errors });
}
