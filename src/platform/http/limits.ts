/** How much and how long a request may take: the numbers of every limit, in one place. */
import { MINUTE_MS, SECOND_MS } from '#platform/durations.ts';

const KIB = 1_024;

export const httpLimits = {
  jsonBytes: 64 * KIB,
  headerBytes: 16 * KIB,
  jsonDepth: 32,
  pathParameterLength: 128,
  handshakeMs: 5 * SECOND_MS,
  headersMs: 10 * SECOND_MS,
  /** For headers and a small body. */
  requestMs: 10 * SECOND_MS,
  /** For a whole upload, as long as something keeps coming. */
  uploadMs: 15 * MINUTE_MS,
  answerMs: 20 * SECOND_MS,
  keepAliveMs: 5 * SECOND_MS,
  /** Nothing read or written on a connection: covers clients that never read their answer. */
  silenceMs: 30 * SECOND_MS,
  /** How often the limits above are looked at; Node's own default is 30 s. */
  checkMs: SECOND_MS,
  eventLoopDelayMs: 500,
  requestsPerMinute: 600,
  /** Addresses counted at once; more push the oldest out. */
  countedAddresses: 50_000,
} as const;
