/** Signs in at the office and sends requests in the session; replaces an expired session without asking. */
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Clock } from '#platform/clock.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { createSingleFlight } from '#platform/single-flight.ts';
import {
  type AgeIdentity,
  type AgeRecipient,
  computeSealedSize,
  isAgeRecipient,
  openSealedBytes,
} from '#seal/core/age.ts';
import { parseBoundedJson } from '#seal/core/bounded-json.ts';
import { DESK_CHALLENGE_BYTES } from '#seal/core/desk-challenge.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import { matchesSchema } from '#wire/checked-value.ts';
import {
  DeskChallengeSchema,
  type DeskChallengeText,
  DeskChallengeTextSchema,
  type DeskSession,
  DeskSessionSchema,
} from '#wire/desk-session.ts';
import { type AnswerSchema, isOverloaded, parseOfficeAnswer, requireSuccess } from './office-answer.ts';
import { OfficeFault } from './office-fault.ts';
import {
  createHostileFault,
  createLockedFault,
  type OfficeAnswer,
  type OfficeHttp,
  type OfficeRequest,
} from './office-http.ts';

const CHALLENGE_LIFETIME_MS = 60 * SECOND_MS;
/** How far the clocks of office and desk may be apart. */
const MAX_SKEW_MS = 120 * SECOND_MS;

/** `path` begins after `…/desk`. */
interface DeskRequest extends Pick<OfficeRequest, 'method' | 'path' | 'maxBytes' | 'answerMs'> {
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
}

export interface SignerOptions {
  readonly http: OfficeHttp;
  /** The address that the desk was started with, which challenges must name. */
  readonly origin: string;
  readonly apiPath: string;
  readonly sessionKey: SessionKey;
  readonly identity: AgeIdentity;
  readonly recipient: AgeRecipient;
  readonly clock: Clock;
  /** Called with every new session before it is used, including one that replaces another. */
  readonly onSession: (session: DeskSession) => Promise<void>;
}

const KIB = 1024;
const CHALLENGE_BYTES = 16 * KIB;
/** Room for a hundred people with their public keys. */
const SESSION_BYTES = 512 * KIB;

/** How old the list of people may be when something is sealed to them. */
const FRESH_MS = MINUTE_MS;
/** A service that does not answer must not prevent the desk from ending. */
const FAREWELL_MS = 3_000;
/** Retries are safe, because an overloaded office refuses a request before it begins. */
const OVERLOAD_PAUSES_MS = [1_000, 2_000, 4_000];
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;

export class OfficeSigner {
  readonly #options: SignerOptions;
  readonly #inOneFlight = createSingleFlight();
  /** A repeated challenge is not answered again. */
  readonly #answeredNonces = new Set<string>();
  #session: DeskSession | null = null;
  #openedAt = 0;
  #signingIn: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(options: SignerOptions) {
    this.#options = options;
  }

  /** Concurrent callers share one sign-in. */
  async signIn(): Promise<DeskSession> {
    const signingIn = this.#inOneFlight('sign-in', () => this.#openSession());
    this.#signingIn = signingIn.catch(() => undefined);
    return await signingIn;
  }

  /** True after signing out: nothing more is sent, and no answer is used. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** A session whose list of people is at most a minute old. */
  async signInFreshly(): Promise<DeskSession> {
    const isFresh = this.#session !== null && this.#options.clock.now() - this.#openedAt < FRESH_MS;
    return isFresh ? this.#session! : await this.signIn();
  }

  /** Final: answers to requests under way are dropped, and a session that is being opened is ended too. */
  async signOut(): Promise<void> {
    const { token } = this.#session ?? {};
    this.#session = null;
    this.#hasEnded = true;
    const farewell = Promise.all([this.#signingIn, token === undefined ? null : this.#endSession(token)]);
    await Promise.race([farewell, sleep(FAREWELL_MS, undefined, { ref: false })]);
  }

  /** Signs in if there is no session; returns only successful answers. */
  async send(request: DeskRequest): Promise<OfficeAnswer> {
    const session = this.#session;
    const isOpen = session !== null && Date.parse(session.expires_at) > this.#options.clock.now();
    const { token } = isOpen ? session : await this.signIn();
    const answer = await this.#sendInSession(request, token);
    if (answer.status !== UNAUTHORIZED) return requireSuccess(answer);
    // Another request may have replaced the session meanwhile.
    const current: DeskSession | null = this.#session;
    const renewed = current !== null && current.token !== token ? current : await this.signIn();
    const repeated = await this.#sendInSession(request, renewed.token);
    if (repeated.status !== UNAUTHORIZED) return requireSuccess(repeated);
    throw new OfficeFault(
      'sign_in_refused',
      'The office ends every session of your key immediately. Ask the operator.',
    );
  }

  /** Sends a request whose answer is JSON of this schema. */
  async ask<Schema extends AnswerSchema>(schema: Schema, request: DeskRequest) {
    return parseOfficeAnswer(schema, await this.send(request));
  }

  async read<Schema extends AnswerSchema>(schema: Schema, path: string, maxBytes: number) {
    return await this.ask(schema, { method: 'GET', path, maxBytes });
  }

  async #openSession(): Promise<DeskSession> {
    const { clock, onSession, recipient } = this.#options;
    const asking = { path: '/challenges', json: { recipient }, maxBytes: CHALLENGE_BYTES };
    const answer = await this.#sendInSession({ method: 'POST', ...asking }, null);
    if (answer.status === NOT_FOUND)
      throw new OfficeFault(
        'not_for_desk',
        'The office refused this machine: DESK_NETWORKS does not contain its address, or there is no office with a desk API at the address that you gave.',
      );
    const { id, sealed } = parseOfficeAnswer(DeskChallengeSchema, requireSuccess(answer));
    const bytes = Buffer.from(sealed, 'base64url');
    const { nonce } = await openDeskChallenge(bytes, { ...this.#options, now: clock.now() });
    if (this.#answeredNonces.has(nonce)) throw createChallengeFault('it has already been answered');
    this.#answeredNonces.add(nonce);
    if (this.#hasEnded) throw createLockedFault();
    const opening = { path: '/sessions', json: { id, nonce }, maxBytes: SESSION_BYTES };
    const opened = requireSuccess(await this.#sendOnce({ method: 'POST', ...opening }, null));
    const session = requireOwnSession(parseOfficeAnswer(DeskSessionSchema, opened), recipient);
    if (!this.#hasEnded) await onSession(session);
    if (this.#hasEnded) {
      await this.#endSession(session.token);
      throw createLockedFault();
    }
    this.#session = session;
    this.#openedAt = clock.now();
    return session;
  }

  async #endSession(token: string): Promise<void> {
    await this.#sendOnce({ method: 'DELETE', path: '/sessions', maxBytes: KIB }, token);
  }

  async #sendInSession(request: DeskRequest, token: string | null): Promise<OfficeAnswer> {
    for (let tries = 0; ; tries += 1) {
      if (this.#hasEnded) throw createLockedFault();
      const answer = await this.#sendOnce(request, token);
      if (this.#hasEnded) throw createLockedFault();
      const pauseMs = isOverloaded(answer) ? OVERLOAD_PAUSES_MS[tries] : undefined;
      if (pauseMs === undefined) return answer;
      await sleep(pauseMs);
    }
  }

  async #sendOnce({ json, bytes, ...request }: DeskRequest, token: string | null) {
    const { method, path } = request;
    const { apiPath, http, origin, sessionKey, clock } = this.#options;
    const fullPath = `${apiPath}/desk${path}`;
    const url = `${origin}${fullPath.split('?', 1)[0]}`;
    const body = json === undefined ? bytes : Buffer.from(JSON.stringify(json));
    const type = json === undefined ? OCTET_STREAM : 'application/json';
    const createHeaders = async () => ({
      ...(body ? { 'Content-Type': type } : {}),
      ...(token === null ? {} : { Authorization: `DPoP ${token}` }),
      DPoP: await new SignJWT({
        jti: randomUUID(),
        htm: method,
        htu: url,
        ...(token === null ? {} : { ath: hash('sha256', token, 'base64url') }),
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: ALGORITHM, jwk: sessionKey.jwk })
        .setIssuedAt(Math.floor(clock.now() / 1_000))
        .sign(sessionKey.privateKey),
    });
    return await http.send({ ...request, path: fullPath, createHeaders, body });
  }
}

/** The people must match their keys, because notes and refunds are sealed to these keys. */
function requireOwnSession(session: DeskSession, recipient: AgeRecipient): DeskSession {
  const { holder, people, recovery } = session;
  const fits = people.every(
    (person) => isAgeRecipient(person.recipient) && person.holder === computeInvestigatorId(person.recipient),
  );
  const isDistinct = new Set(people.map((person) => person.holder)).size === people.length;
  const own = people.find((person) => person.holder === holder);
  if (fits && isDistinct && own?.recipient === recipient && isAgeRecipient(recovery)) return session;
  throw createHostileFault('the people that it names do not match their keys');
}

/** Opens only data of a challenge's size and sends only its nonce, so that it decrypts nothing for others. */
export async function openDeskChallenge(
  sealed: Uint8Array,
  {
    identity,
    origin,
    now,
  }: { readonly identity: AgeIdentity; readonly origin: string; readonly now: number },
): Promise<DeskChallengeText> {
  if (sealed.length !== computeSealedSize(DESK_CHALLENGE_BYTES))
    throw createChallengeFault('it has the wrong size');
  const opened = await openSealedBytes(sealed, identity).catch((error: unknown) => {
    throw createChallengeFault('your key does not open it', error);
  });
  const challenge = parseChallenge(opened);
  // Otherwise another site could relay the challenge of your office, and sign in there as you.
  if (challenge.origin !== origin)
    throw createChallengeFault('it was made for an address other than the one you started the desk with');
  if (challenge.expires < now - MAX_SKEW_MS)
    throw createChallengeFault('it is old, or the clock of this machine is wrong');
  if (challenge.expires > now + CHALLENGE_LIFETIME_MS + MAX_SKEW_MS)
    throw createChallengeFault('it is valid for too long, or the clock of this machine is wrong');
  return challenge;
}

/** Accepts only one spelling, padded with spaces. */
function parseChallenge(bytes: Uint8Array): DeskChallengeText {
  const text = Buffer.from(bytes).toString('latin1').replace(/ +$/, '');
  const value = parseBoundedJson(text);
  if (bytes.length !== DESK_CHALLENGE_BYTES || !matchesSchema(DeskChallengeTextSchema, value))
    throw createChallengeFault('it has the wrong format');
  const { v, kind, origin, nonce, expires } = value;
  if (JSON.stringify({ v, kind, origin, nonce, expires }) !== text)
    throw createChallengeFault('it has the wrong format');
  return value;
}

function createChallengeFault(reason: string, cause?: unknown): OfficeFault {
  return new OfficeFault(
    'challenge_refused',
    `The desk did not sign in, because it rejected the office's challenge: ${reason}.`,
    cause,
  );
}

const ALGORITHM = 'ES256';

type SessionKey = Awaited<ReturnType<typeof generateSessionKey>>;

/** The key that a session is bound to: made at the start, never stored, and proven with every request (RFC 9449). */
export async function generateSessionKey() {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
  return { privateKey, jwk: await exportJWK(publicKey) };
}
