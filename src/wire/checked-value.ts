/** Checks a value received over the network or read from a file against its schema before anything else uses it. */
import type { Static, TSchema } from 'typebox';
import { IsDateTime as isDateTime, Set as setFormat } from 'typebox/format';
import { Check as checkSchema } from 'typebox/schema';
import { isBase64url } from '#platform/text/base64url.ts';

// An unknown format would accept anything.
setFormat('base64url', isBase64url);
// A leap second matches the format, but Date cannot parse it.
setFormat('date-time', (text) => isDateTime(text) && !Number.isNaN(Date.parse(text)));

export function matchesSchema<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
): value is Static<Schema> {
  return checkSchema(schema, value);
}
