/** What every step of a payment needs, joined once by the program. */
import type { Addresses } from '#platform/addresses.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { SharedWork } from '#platform/single-flight.ts';
import type { Keyring } from '#store/keyring.ts';
import type { Store } from '#store/store.ts';
import type { Gateway } from './gateway.ts';

export interface Till {
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly store: Store;
  readonly gateway: Gateway;
  readonly shared: SharedWork;
}
