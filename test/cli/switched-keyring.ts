/** A keyring that can be exchanged under a running app, as a restart with another MASTER_KEY would do. */
import type { Keyring } from '#store/keys/keyring.ts';

export interface SwitchedKeyring {
  readonly keyring: Keyring;
  readonly use: (keyring: Keyring) => void;
}

export function createSwitchedKeyring(first: Keyring): SwitchedKeyring {
  let current = first;
  return {
    keyring: {
      tag: (purpose, value) => current.tag(purpose, value),
      seal: (purpose, secret, context) => current.seal(purpose, secret, context),
      open: (purpose, ciphertext, context) => current.open(purpose, ciphertext, context),
    },
    use: (keyring) => {
      current = keyring;
    },
  };
}
