/** The processor time and the answers of validation, for bodies that are wrong in one place of any route's schema. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { sendPatiently } from '#test/http/patient-requests.ts';
import { listRoutesWithSchemas, listSchemaPlaces, type Schema } from '#test/http/route-schemas.ts';
import { scale } from '#test/scale.ts';
import { buildTestApp } from '#test/test-app.ts';
import { assertSteadyGrowth } from './growth.ts';
import { listWrongElements } from './wrong-elements.ts';

const BODY_BYTES = 128 * 1_024;
const ANSWER_BYTES = 16 * 1_024;
const HERE = '<here>';

/** A missing field would end validation before the wrong place is reached. */
const dropRequired = (schema: unknown) =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === 'required' ? undefined : value,
  ) as Schema;

const bodies = (await listRoutesWithSchemas({ after })).flatMap(
  ({ method, url, schema, bodyLimit = httpLimits.jsonBytes }) => {
    if (!schema?.body) return [];
    const limit = Math.min(bodyLimit, BODY_BYTES);
    return [{ name: `${String(method)} ${url}`, schema: dropRequired(schema.body), limit }];
  },
);

const { app } = await buildTestApp(
  { after },
  {
    routes: (routes) => {
      for (const [at, { schema, limit }] of bodies.entries())
        routes.post(
          `/body/${at}`,
          { config: { access: 'public' }, bodyLimit: limit, schema: { body: schema } },
          async () => ({}),
        );
    },
  },
);

async function sendBody(at: number, payload: string): Promise<void> {
  const answer = await sendPatiently(app, {
    method: 'POST',
    url: `/body/${at}`,
    headers: { 'content-type': 'application/json' },
    payload,
  });
  assert.ok(answer.statusCode < 500, `${answer.statusCode} ${answer.payload}`);
  assert.ok(answer.rawPayload.length <= ANSWER_BYTES, `${answer.rawPayload.length} bytes`);
}

/** Writes JSON with the value at its path and nothing else. */
function writeAt(path: readonly (string | number)[], value: string): string {
  return path.reduceRight<string>(
    (inner, step) => (typeof step === 'number' ? `[${inner}]` : `{${JSON.stringify(step)}:${inner}}`),
    value,
  );
}

let turn = 0;
for (const [at, { name, schema, limit }] of bodies.entries())
  test(`${name}: a body that is wrong in one place costs no more than its length`, async () => {
    // A place within a choice is listed once for each branch.
    const places = new Set(listSchemaPlaces(schema).map(({ path }) => writeAt(path, HERE)));
    for (const [index, place] of [...places].entries()) {
      if ((index + at) % Math.min(places.size, scale.wrongPlaceStep) !== 0) continue;
      for (const [kind, write] of listWrongElements(turn++))
        await assertSteadyGrowth(`${place}: ${kind}`, limit - place.length, (length) =>
          sendBody(
            at,
            place.replace(HERE, () => write(length)),
          ),
        );
    }
  });

test('every body of the service is tried', () => assert.ok(bodies.length > 25, String(bodies.length)));
