/** Replaces scrypt in the workers: age needs it only for passphrases, and no file here has one. */

function refusePassphrase(): never {
  throw new Error('nothing here is sealed with a passphrase');
}

/** The name that age imports. */
export { refusePassphrase as scrypt };
