/** Checks that a body has exactly one of two fields. A schema could too, but its error message would not be clear. */
import { ServiceError } from '#platform/errors.ts';

export function requireExactlyOne<Name extends string>(
  body: { readonly [Field in Name]?: unknown },
  one: Name,
  other: Name,
  parentPointer = '',
): void {
  const present = [one, other].filter((name) => body[name] !== undefined);
  if (present.length === 1) return;
  const detail =
    present.length === 0
      ? `give either this or ${other}`
      : `cannot be combined with ${other}; give one of them`;
  throw new ServiceError('validation_failed', { errors: [{ pointer: `${parentPointer}/${one}`, detail }] });
}
