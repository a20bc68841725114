/** What every step of a case needs, joined once by the program. */
import type { Clock } from '#platform/clock.ts';
import type { Keyring } from '#store/keyring.ts';
import type { Store } from '#store/store.ts';
import type { SealingKeys } from './sealing-keys.ts';

export interface Registry {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly store: Store;
  /** Waited for only while a first start makes them. */
  readonly sealingKeys: Promise<SealingKeys>;
}
