/** Which page answers a method and a path. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type DeskRoute, findPage, findPageAbove } from '#desk/loopback/page-route.ts';

const routes: readonly DeskRoute[] = [
  { method: 'GET', path: '/queue', answer: () => ({ said: '' }) },
  { method: 'POST', path: '/cases/:id/acts', answer: () => ({ said: '' }) },
  { method: 'GET', path: '/cases/:id', answer: () => ({ redirect: '/queue' }) },
];

test('a path finds its page, with its parts decoded', () => {
  assert.equal(findPage(routes, 'GET', '/queue').route, routes[0]);
  const found = findPage(routes, 'GET', '/cases/a%20b');
  assert.ok(found.route);
  assert.deepEqual(found.params, { id: 'a b' });
});

test('a form leads back to the page that it stands on', () => {
  assert.equal(findPageAbove(routes, '/cases/a/acts'), '/cases/a');
  assert.equal(findPageAbove(routes, '/queue'), '/queue');
  assert.equal(findPageAbove(routes, '/search'), null);
});

test('another method, another length, an empty or a broken part find none', () => {
  assert.deepEqual(findPage(routes, 'GET', '/cases/a/acts'), { route: null, methods: ['POST'] });
  for (const path of ['/', '/queue/', '/cases/', '/cases/%E0%A4%A', '/cases/a/b/c', '//queue'])
    assert.deepEqual(findPage(routes, 'GET', path), { route: null, methods: [] });
});
