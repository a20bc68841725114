/** What every part of the authorization server needs, joined once by the program. */
import type { Addresses } from '#platform/addresses.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Keyring } from '#store/keyring.ts';
import type { Store } from '#store/store.ts';

export interface Office {
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly store: Store;
}
