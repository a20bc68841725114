/** Addresses that are not on the public internet, in every notation that the system knows. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { isPublicAddress } from './webhook-target.ts';

const PRIVATE =
  `0.0.0.0 0.1.2.3 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.192 192.168.1.1 198.19.0.1 168.63.129.16 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1
    ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1 2001:db8::1
    2002:7f00:1:: 3fff::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1`.split(/\s+/);

const PUBLIC = '8.8.8.8 100.63.255.255 172.15.0.1 172.32.0.1 223.255.255.255 2606:4700::1111'.split(' ');

test('private, local, shared, mapped, translated and reserved addresses are not public', () => {
  assert.deepEqual(PRIVATE.filter(isPublicAddress), []);
});

test('other addresses are', () => {
  assert.deepEqual(PUBLIC.filter(isPublicAddress), PUBLIC);
});

test('what is no address is not public', () => {
  assert.deepEqual(
    ['', 'localhost', '8.8.8', '8.8.8.8.', '08.8.8.8', '134744072'].filter(isPublicAddress),
    [],
  );
});
