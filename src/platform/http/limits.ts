/** The limits on the size, duration and rate of requests. */
import { MINUTE_MS, SECOND_MS } from '#platform/durations.ts';

const KIB = 1_024;

/** All limits by number count for this long. */
export const RATE_WINDOW_SECONDS = 60;

export const httpLimits = {
  jsonBytes: 64 * KIB,
  headerBytes: 16 * KIB,
  jsonDepth: 32,
  /** Our largest form has some 60. */
  formFields: 500,
  /** An authorization has some 15. */
  queryParameters: 100,
  pathParameterLength: 128,
  handshakeMs: 5 * SECOND_MS,
  headersMs: 10 * SECOND_MS,
  /** For headers and a small body. */
  requestMs: 10 * SECOND_MS,
  /** For a whole upload that keeps making progress. */
  uploadMs: 15 * MINUTE_MS,
  responseMs: 20 * SECOND_MS,
  keepAliveMs: 5 * SECOND_MS,
  /** Without any traffic on a connection; also ends clients that never read their response. */
  silenceMs: 30 * SECOND_MS,
  /** How often Node checks the limits above; its default is 30 s. */
  checkMs: SECOND_MS,
  eventLoopDelayMs: 500,
  /** Who comes while another has waited this long would hardly be served in time. */
  storeWaitMs: 500,
  /** Of one address, to all routes that do not declare more. */
  requestsPerMinute: 600,
  /** Of one address, with the words of a case: enough for a person who mistypes a word or two; guessing takes 2^127. */
  wordTriesPerMinute: 20,
  /** How many addresses are counted; beyond this the oldest are dropped. */
  countedAddresses: 50_000,
} as const;
