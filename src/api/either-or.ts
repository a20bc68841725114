/** Bodies in which exactly one of two fields is given: a schema can say so, but its refusal says it to nobody. */
import { ServiceError } from '#platform/errors.ts';

export function requireExactlyOne<Name extends string>(
  body: { readonly [Field in Name]?: unknown },
  one: Name,
  other: Name,
  place = '',
): void {
  const given = [one, other].filter((name) => body[name] !== undefined);
  if (given.length === 1) return;
  const detail =
    given.length === 0
      ? `give either this or ${other}`
      : `cannot be combined with ${other}; give one of them`;
  throw new ServiceError('validation_failed', { errors: [{ pointer: `${place}/${one}`, detail }] });
}
