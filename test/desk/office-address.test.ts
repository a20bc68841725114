/** The address with which the desk is started: https, and nothing in it that could be sent along. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { parseOfficeAddress } from '#desk/office/office-address.ts';

test('an address has an origin, and the usual path of the API unless it names another', () => {
  const cases = [
    ['https://office.example', 'https://office.example', '/api', 'office.example', 443],
    ['https://Office.Example/', 'https://office.example', '/api', 'office.example', 443],
    ['https://localhost:8443/v1/', 'https://localhost:8443', '/v1', 'localhost', 8443],
    ['https://[::1]:8443', 'https://[::1]:8443', '/api', '::1', 8443],
  ] as const;
  for (const [text, origin, apiPath, host, port] of cases)
    assert.deepEqual(parseOfficeAddress(text), { origin, apiPath, host, port }, text);
});

test('anything else is no address of an office', () => {
  const others = ['', 'office.example', 'http://office.example', 'https://', 'file:///etc/passwd'];
  for (const text of [
    ...others,
    'https://a:b@office.example',
    'https://office.example?x=1',
    'https://office.example/#a',
  ])
    assert.equal(parseOfficeAddress(text), null, text);
});
