/** The types of the tables of investigators who sign in at the desk's door. */

/** Lasts for a minute. */
export interface DeskChallengeTable {
  id: string;
  /** SHA-256 of the public key that it is sealed to, which may be anybody's. */
  holder: string;
  /** SHA-256 of the nonce in it. */
  nonce_hash: string;
  expires_at: number;
}

export interface DeskSessionTable {
  /** SHA-256 of the token. */
  id: string;
  /** SHA-256 of the investigator's public key. */
  holder: string;
  /** Thumbprint of the key that signs the proofs of this session (RFC 7638). */
  jkt: string;
  expires_at: number;
}
