/** Lifetimes of everything the authorization server issues, in seconds; docs/agents.md repeats them. */
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '#platform/durations.ts';
import { REGISTRATION_DAYS } from '#platform/expiry.ts';

export const oauthLifetimes = {
  accessToken: 10 * MINUTE_SECONDS,
  authorizationCode: MINUTE_SECONDS,
  /** Starts again at each use, because each use replaces the token. */
  refreshToken: 30 * DAY_SECONDS,
  /** Ends a user's consent, however often its tokens were refreshed. */
  grant: 365 * DAY_SECONDS,
  /** From the first page to the last, including the wait for an e-mail. */
  signIn: 20 * MINUTE_SECONDS,
  emailCode: 10 * MINUTE_SECONDS,
  /** Sent instead of further short codes, and valid in every sign-in of the address. */
  longEmailCode: DAY_SECONDS,
  /** Allowed difference from our clock in either direction (RFC 9449 §11.1). */
  dpopProof: 5 * MINUTE_SECONDS,
  /** A registration without a decision, and the token with which its program polls it. */
  registration: REGISTRATION_DAYS * DAY_SECONDS,
  /** The e-mailed link to the credentials. */
  offer: 72 * HOUR_SECONDS,
} as const;
