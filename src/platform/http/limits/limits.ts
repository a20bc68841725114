/** The limits on the size, duration, number and work of requests. */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#platform/durations.ts';

const KIB = 1_024;

export const httpLimits = {
  jsonBytes: 64 * KIB,
  headerBytes: 16 * KIB,
  /** Our largest form has about 60. */
  formFields: 500,
  /** An authorization request has about 15. */
  queryParameters: 100,
  pathParameterLength: 128,
  /** Requests of one connection, sent before the first of them is answered. */
  unanswered: 8,
  /** Chunks or packets of one body: each costs as much memory as kilobytes of data. */
  bodyChunks: 1_000,
  /** A wanted body may have one more chunk per this many bytes. */
  chunkBytes: 128,
  /** For an unwanted body, which is read and dropped so that the answer arrives. */
  droppedBytes: 8 * KIB * KIB,
  /** For one caller's bodies that are still arriving: 64 pieces of files, each of which may take minutes. */
  pendingBytes: 16 * KIB * KIB,
  /** The minimum that an upload counts for, because its connection takes that much memory while it runs. */
  uploadBytes: 64 * KIB,
  /** For sealed objects in one answer, or for the text of messages; the next answer continues from there. */
  answeredBytes: KIB * KIB,
  handshakeMs: 5 * SECOND_MS,
  headersMs: 10 * SECOND_MS,
  /** For headers and a small body. */
  requestMs: 10 * SECOND_MS,
  /** For a whole upload that keeps making progress. */
  uploadMs: 15 * MINUTE_MS,
  responseMs: 20 * SECOND_MS,
  keepAliveMs: 5 * SECOND_MS,
  /** Without any traffic on a connection; also disconnects clients that never read their response. */
  silenceMs: 30 * SECOND_MS,
  /** For an answer that waits to be read, plus the time that its bytes take at the minimum rate. */
  readMs: 30 * SECOND_MS,
  readBytesPerSecond: 16 * KIB,
  /** How often Node checks the limits above; its default is 30 s. */
  checkMs: SECOND_MS,
  eventLoopDelayMs: 500,
  /** A request that arrives while another has waited this long would hardly be served in time. */
  storeWaitMs: 500,
  /** How many counts are kept; beyond this the oldest are dropped. */
  counts: 100_000,
} as const;

export interface RateBudget {
  /**
   * Which requests count together: with a valid token, those of its client and person; without one, those of an IP
   * address (`stranger`: only these). In the database: the codes for an e-mail address and the guesses at a code.
   */
  readonly by: 'caller' | 'stranger' | 'email' | 'code';
  readonly max: number;
  readonly windowMs: number;
}

const createMinuteBudget = (max: number, by: RateBudget['by'] = 'caller'): RateBudget => ({
  by,
  max,
  windowMs: MINUTE_MS,
});

/**
 * The people of one client at one address, such as the users of a hosted one, share this many budgets. An address
 * that exceeds a budget this many times is refused without looking at its tokens.
 */
export const ADDRESS_FACTOR = 10;

/** All limits on numbers of requests. Routes and tools name the budget that they use; equal names share a budget. */
export const rateBudgets = {
  /** All requests, except those to routes whose own budget is larger. */
  requests: createMinuteBudget(600),
  /** Words of a case, or the token derived from them, on any route: enough for typos; guessing takes 2^127 tries. */
  words: createMinuteBudget(20),
  /** Every open page polls for news once a minute, and many of them may share an address. */
  news: createMinuteBudget(240),
  /** Sealed files: a finding may have fifty. */
  caseFiles: createMinuteBudget(120),
  /** Pieces of sealed files. */
  pieces: createMinuteBudget(3_000),
  messages: createMinuteBudget(60),
  /** Inquiries from programs, and from the form. */
  inquiries: createMinuteBudget(60),
  sentForms: createMinuteBudget(20),
  drafts: createMinuteBudget(30),
  landings: createMinuteBudget(60),
  returnLinkPages: createMinuteBudget(30),
  /** Payment pages opened by programs, and by people. */
  checkouts: createMinuteBudget(60),
  purchases: createMinuteBudget(20),
  /** From the payment provider. */
  paymentEvents: createMinuteBudget(3_000),
  contact: createMinuteBudget(20),
  contactForms: createMinuteBudget(6),
  webhookChanges: createMinuteBudget(10),
  webhookTests: createMinuteBudget(5),
  /** Messages to `/mcp` without a token. */
  mcpMessages: createMinuteBudget(60, 'stranger'),
  registrations: createMinuteBudget(6),
  registrationPolls: createMinuteBudget(60),
  credentialPages: createMinuteBudget(30),
  tokens: createMinuteBudget(300),
  authorizations: createMinuteBudget(60),
  /** The sign-in forms, except those for words and for an address. */
  signInForms: createMinuteBudget(60),
  permissionForms: createMinuteBudget(40),
  /** Each sends an e-mail to an address that anyone may type. */
  emailedCodes: createMinuteBudget(6),
  /** Every command signs in again, and a script runs many of them. */
  deskChallenges: createMinuteBudget(60),
  deskSignIns: createMinuteBudget(60),
  /** Each short code can be guessed five times, so a guesser has less than one chance in 40,000 a day. */
  shortSignInCodes: { by: 'email', max: 5, windowMs: DAY_MS },
  signInGuesses: { by: 'code', max: 5, windowMs: DAY_MS },
} as const satisfies Record<string, RateBudget>;

/** Budgets that are counted in the database do not belong to a route. */
export type BudgetName = Exclude<keyof typeof rateBudgets, 'shortSignInCodes' | 'signInGuesses'>;

/** How much of the event loop's time, which all callers share, one caller may use. */
export const workLimits = {
  windowSeconds: 10,
  /** A caller that held the loop for a larger part of the window is refused. */
  maxShare: 0.3,
  /** Above this share, a caller's requests take turns with those of others. */
  heavyShare: 0.05,
  /**
   * A caller with a larger part of recent work counts as large. While the service is behind, all callers are shed, but
   * only the large ones if most of that work was for them.
   */
  largePart: 0.1,
  /** Requests of one caller that are worked on at once; the rest must wait, because begun work cannot be stopped. */
  atWork: 4,
  /** The part of the memory that V8 or the container allows; while more is in use, requests are answered with 503. */
  memoryShare: 0.8,
  /** The part of the container's or machine's memory for bodies that are still arriving. */
  pendingShare: 0.25,
} as const;
