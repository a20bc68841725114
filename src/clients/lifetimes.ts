/** Lifetimes of everything the authorization server issues, in seconds; docs/agents.md repeats them. */
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

export const oauthLifetimes = {
  accessToken: 10 * MINUTE,
  authorizationCode: MINUTE,
  /** Starts again at each use, because each use replaces the token. */
  refreshToken: 30 * DAY,
  /** Ends a user's consent, however often its tokens were refreshed. */
  grant: 365 * DAY,
  /** From the first page to the last, including the wait for an e-mail. */
  signIn: 20 * MINUTE,
  emailCode: 10 * MINUTE,
  /** Allowed difference from our clock in either direction (RFC 9449 §11.1). */
  dpopProof: 5 * MINUTE,
  /** A registration without a decision, and the token with which its program polls it. */
  registration: 30 * DAY,
  /** The e-mailed link to the credentials. */
  offer: 72 * HOUR,
} as const;
