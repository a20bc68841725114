/** Linked data in a page can be read again, and cannot leave its element. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { renderLinkedData } from './data-block.ts';

test('whatever a value contains, the element ends where it should and the value is the same again', () => {
  const value = '</script><script>alert(1)</script><!-- & \u0002 "';
  const block = renderLinkedData({ value }).toString();
  assert.equal(block.match(/<|>/g)?.length, 4);
  const [, json = ''] = /^<script type="application\/ld\+json">(.*)<\/script>$/.exec(block) ?? [];
  assert.deepEqual(JSON.parse(json), { value });
});
