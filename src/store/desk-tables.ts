/** The types of the tables of investigators: who signs in at the desk's door, and what the next digest says of them. */
import type { DigestAct } from './column-values.ts';

/** An investigator ended what another one had. Names no case; goes when it was sent. */
export interface DigestLineTable {
  id: string;
  /** Who did it: the SHA-256 of their public key; null for the command line without a key. */
  who: string | null;
  act: DigestAct;
  had_by: string;
}

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
