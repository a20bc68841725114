import assert from 'node:assert/strict';
import test from 'node:test';
import { findRedirectUriFault, isNativeRedirectUri, toRedirectOrigin } from './redirect-uris.ts';

test('https, loopback and reverse-domain scheme URIs are accepted', () => {
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

test('an address of the web is one in whatever case its scheme is written', () => {
  assert.equal(isNativeRedirectUri('HTTPS://collector.example/cb'), false);
  assert.equal(toRedirectOrigin('HTTPS://collector.example/cb'), 'https://collector.example');
});

test('URIs that could leak a code or run a script are refused', () => {
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

test('URIs that a person or another program could read in another way are refused', () => {
  for (const uri of [
    ' https://agent.example/',
    'https://agent.example/\n\nApproved.',
    'https://agent.example/\u202egnp.exe',
    'https://agent.example\\@other.example/',
    'https:agent.example/callback',
    'https:///agent.example/callback',
    'https://b\u00fccher.example/',
    'https://agent%2eexample/',
    // These would become part of the content security policy.
    'https://agent;sandbox;.example/',
    'https://*.example/',
    'https://agent"quoted.example/',
    'com.example.agent:\t/done',
  ])
    assert.notEqual(findRedirectUriFault(uri), null, uri);
  for (const uri of [
    'https://[2606:4700::6810:84e5]:8443/done',
    'HTTPS://Agent.example',
    'https://a_b.example?x',
  ])
    assert.equal(findRedirectUriFault(uri), null, uri);
});

test('the content security policy source is the origin, or the scheme where there is no origin', () => {
  assert.equal(toRedirectOrigin('https://agent.example:8443/callback'), 'https://agent.example:8443');
  assert.equal(toRedirectOrigin('http://127.0.0.1:49152/done'), 'http://127.0.0.1:49152');
  assert.equal(toRedirectOrigin('com.example.agent:/done'), 'com.example.agent:');
  // Browsers ignore a source with such a host, so they would block the redirect.
  assert.equal(toRedirectOrigin('http://[::1]:49152/done'), 'http:');
});
