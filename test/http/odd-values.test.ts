/** Odd values in any address, parameter or field of every route are refused or answered, and never fail. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { InjectOptions } from 'fastify';
import { oauthPaths } from '#platform/addresses.ts';
import { openApiTestbed } from '#test/api/api-testbed.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { scale } from '#test/scale.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { sendPatiently } from './patient-requests.ts';
import { listRoutes, listSchemaPlaces, type Schema } from './route-schemas.ts';

const NO_DIGITS = ['Infinity', '1e400', '9'.repeat(400), '-1', '-0', '0x10', '1e2', '1.5', ''];
/** As written in an address or a form. */
const oddTexts = [
  ...NO_DIGITS,
  ...'%00 a%00b %ff %ED%A0%80 %EF%BF%BF %200 NaN'.split(' '),
  'a'.repeat(5_000),
];
/** As written in a JSON body. */
const oddValues = [
  ...String.raw`"\u0000" "a\u0000b" "\ud800" "\ud800x.exe" "\uffff" 1e400 -1e400 -1 1e-400 null`.split(' '),
  JSON.stringify('a'.repeat(5_000)),
  '9'.repeat(400),
];
const numbers = [...NO_DIGITS, '%201', '01', '+1', '1.0'];

const id = 'q1Zl7yBq3mJx0c2y8l4QxA';
const oauthFields =
  `client_id client_secret code code_verifier refresh_token token scope resource redirect_uri state nonce
    prompt max_age login_hint id_token_hint response_mode claims`.split(/\s+/);
const formFields = 'words address code tier message reply_to kind seq token lookup'.split(' ');

const cleanUp = withReverseCleanup({ after });
const routes = await listRoutes(cleanUp);

for (const [engine, env] of Object.entries(await listEngineVariables(cleanUp))) {
  const testbed = await openApiTestbed(cleanUp, { env });
  const { authorization } = await testbed.createAgent();

  const send = async (request: InjectOptions): Promise<number> => {
    const headers = { host: new URL(testbed.origin).host, authorization, ...request.headers };
    const { statusCode, body } = await sendPatiently(testbed.app, { ...request, headers });
    assert.ok(statusCode < 500, `${JSON.stringify(request).slice(0, 300)}: ${statusCode} ${body}`);
    return statusCode;
  };

  let count = 0;
  const sendSome = async (request: InjectOptions): Promise<void> => {
    count += 1;
    if (count % scale.oddValueStep === 0) await send(request);
  };

  test(`${engine}: no parameter of an address makes a route fail`, async () => {
    for (const { method, url, schema } of routes) {
      const names = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name);
      const fill = (wanted: string | undefined, odd: string) =>
        url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_all, name: string) => (name === wanted ? odd : id));
      const queries = [...Object.keys((schema?.querystring as Schema)?.properties ?? {}), 'x'];
      for (const odd of oddTexts) {
        for (const name of names) await sendSome({ method, url: fill(name, odd) } as InjectOptions);
        for (const name of queries)
          await sendSome({ method, url: `${fill(undefined, '')}?${name}=${odd}` } as InjectOptions);
      }
    }
  });

  test(`${engine}: no field of a body makes a route fail`, async () => {
    for (const { method, url, schema } of routes.filter(({ schema: { body } = {} }) => body))
      for (const { path } of listSchemaPlaces(schema?.body as Schema))
        for (const odd of oddValues)
          await sendSome({
            method,
            url: url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, id),
            headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
            payload: path.reduceRight<string>(
              (inner, step) =>
                typeof step === 'number' ? `[${inner}]` : `{${JSON.stringify(step)}:${inner}}`,
              odd,
            ),
          } as InjectOptions);
  });

  test(`${engine}: no field of a form or of an authorization makes a route fail`, async () => {
    const asked = 'response_type=code&code_challenge_method=S256&grant_type=client_credentials&client_id=a';
    for (const odd of oddTexts) {
      for (const name of oauthFields) {
        const fields = `${asked.replace(`${name}=`, 'x=')}&${name}=${odd}`;
        await sendSome({ method: 'GET', url: `${oauthPaths.authorize}?${fields}` });
        for (const url of [oauthPaths.token, oauthPaths.revoke])
          for (const grant of ['client_credentials', 'authorization_code', 'refresh_token'])
            await sendSome({
              method: 'POST',
              url,
              headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: '' },
              payload: fields.replace('client_credentials', grant),
            });
      }
      for (const { method, url } of routes.filter(({ method: each }) => each === 'POST'))
        await sendSome({
          method,
          url: url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, id),
          headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
          payload: formFields.map((name) => `${name}=${odd}`).join('&'),
        } as InjectOptions);
    }
  });

  test(`${engine}: a number in an address is its digits and nothing else`, async () => {
    for (const list of ['cases', 'orders', `cases/${id}/messages`])
      for (const number of [...numbers, '0', '101', '1000'])
        assert.equal(await send({ method: 'GET', url: `/api/${list}?limit=${number}` }), 422, number);
    assert.equal(await send({ method: 'GET', url: '/api/cases?limit=100' }), 200);
    for (const number of [...numbers, '1000000'])
      assert.ok(
        [404, 414, 422].includes(
          await send({
            method: 'PUT',
            url: `/api/orders/${id}/uploads/${id}/${number}`,
            headers: { 'content-type': 'application/octet-stream' },
            payload: 'a',
          }),
        ),
        number,
      );
  });
}
