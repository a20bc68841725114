/** The types of the tables of clients and of the people who let them act. */
import type {
  CLIENT_STATUSES,
  CREDENTIAL_SETS,
  IDENTITY_TYPES,
  REGISTRATION_STATUSES,
} from './column-values.ts';

/** A program that may request tokens. */
export interface ClientTable {
  id: string;
  name: string;
  /** A plain SHA-256 is enough for a secret of 256 random bits. */
  secret_hash: string;
  status: (typeof CLIENT_STATUSES)[number];
  /** Separated by spaces, as in OAuth. */
  scopes: string;
  grants: string;
  /** A JSON list. */
  redirect_uris: string;
  credentials: (typeof CREDENTIAL_SETS)[number];
  /** For a client described by a document, the day on which a person last allowed it. */
  created_at: number;
}

/** A program's request to become a client. */
export interface RegistrationTable {
  id: string;
  name: string;
  /** The developer's e-mail address, encrypted. */
  contact_ciphertext: Uint8Array;
  identity_type: (typeof IDENTITY_TYPES)[number];
  credentials: ClientTable['credentials'];
  /** A JSON list. */
  redirect_uris: string;
  /** `approved` while credentials wait to be collected, the first time or after a rotation. */
  status: (typeof REGISTRATION_STATUSES)[number];
  /** SHA-256 of the token with which the program polls its status; null once it has its credentials. */
  token_hash: string | null;
  /** Chosen by the maintainer, in the same form as in a client; empty until then. */
  scopes: string;
  grants: string;
  /** Assigned at approval; the client itself is created when its secret is collected. */
  client_id: string | null;
  /** The one-time link is derived from it. */
  offer: string | null;
  offer_until: number | null;
  created_at: number;
  /** Null once there is a client. */
  forget_at: number | null;
}

/** A person who lets clients act for them, identified by an address or by the words of a case, never by both. */
export interface UserTable {
  id: string;
  address_tag: string | null;
  address_ciphertext: Uint8Array | null;
  /** HMAC of the `words_tag` of the case, so that the records do not reveal which case it is. */
  words_tag: string | null;
  /** The `words_tag` of the case, encrypted. */
  words_ciphertext: Uint8Array | null;
  created_at: number;
}

/** Everything the authorization server stores: tokens, codes, grants, sign-ins in progress, used proofs. */
export interface TokenTable {
  /** SHA-256 of the token value. */
  id: string;
  kind: string;
  /** The OAuth engine's JSON without that value; encrypted if it contains other such values. */
  payload: string;
  client_id: string | null;
  /** The user's grant: everything with the same value is revoked together. */
  grant_id: string | null;
  /** Who gave the grant; only in the row of the grant itself. */
  user_id: string | null;
  /** The second id of a session; for a sign-in that no person has completed yet, the `sign_in_tag` of its codes. */
  uid_hash: string | null;
  consumed_at: number | null;
  expires_at: number;
}

export interface SignInCodeTable {
  /** The code is derived from it. */
  id: string;
  /** HMAC of the sign-in that requested the code; no other sign-in can use it. */
  sign_in_tag: string;
  address_tag: string;
  address_ciphertext: Uint8Array;
  /** The row whose e-mail had the long code that this sign-in expects; null for a short code of its own. */
  long_code_id: string | null;
  tries_left: number;
  created_at: number;
  expires_at: number;
}
