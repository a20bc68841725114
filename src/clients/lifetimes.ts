/** How long each thing that the authorization server issues is good for, in seconds; docs/agents.md repeats them. */
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

export const oauthLifetimes = {
  accessToken: 10 * MINUTE,
  authorizationCode: MINUTE,
  /** Counted anew at each use, since each use replaces it. */
  refreshToken: 30 * DAY,
  /** Ends what a person consented to, however often it was refreshed. */
  grant: 365 * DAY,
  /** From the first page to the last: a code by e-mail may take its time. */
  signIn: 20 * MINUTE,
  emailCode: 10 * MINUTE,
  /** Before and after our own clock (RFC 9449 §11.1). */
  dpopProof: 5 * MINUTE,
  /** A registration that nobody decided about, and what its program shows to ask for it. */
  registration: 30 * DAY,
  /** The link to credentials in a letter. */
  offer: 72 * HOUR,
} as const;
