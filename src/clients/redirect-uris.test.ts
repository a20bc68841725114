import assert from 'node:assert/strict';
import test from 'node:test';
import { findRedirectUriFault, toRedirectOrigin } from './redirect-uris.ts';

test('https, a loopback port and a scheme in reverse are places to come back to', () => {
  for (const uri of [
    'https://agent.example/callback?x=1',
    'http://127.0.0.1/done',
    'http://127.0.0.1:8080/done',
    'http://[::1]:8080/done',
    'http://localhost:3000/done',
    'com.example.agent:/done',
  ])
    assert.equal(findRedirectUriFault(uri), null, uri);
});

test('whatever could leak a code or run a script is not', () => {
  for (const uri of [
    'http://agent.example/callback',
    'https://localhost/callback',
    'https://user@agent.example/',
    'https://agent.example/#part',
    'javascript:alert(1)',
    'data:text/html,x',
    'agent:/done',
    '/callback',
    '',
    `https://agent.example/${'x'.repeat(2_000)}`,
  ])
    assert.notEqual(findRedirectUriFault(uri), null, uri);
});

test('a content policy names the place by its origin, or by its scheme where it has none', () => {
  assert.equal(toRedirectOrigin('https://agent.example:8443/callback'), 'https://agent.example:8443');
  assert.equal(toRedirectOrigin('http://127.0.0.1:49152/done'), 'http://127.0.0.1:49152');
  assert.equal(toRedirectOrigin('com.example.agent:/done'), 'com.example.agent:');
});
