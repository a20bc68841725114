/** Signs in at the office, and sends requests of the session; one that has ended is replaced without asking. */
import type { Clock } from '#platform/clock.ts';
import { createSingleFlight } from '#platform/single-flight.ts';
import { type AgeIdentity, type AgeRecipient, isAgeRecipient } from '#seal/age.ts';
import { computeHolder } from '#seal/holder.ts';
import { DeskChallengeSchema, type DeskSession, DeskSessionSchema } from '#wire/desk-session.ts';
import { OfficeFault } from './office.ts';
import { parseOfficeAnswer, requireSuccess } from './office-answer.ts';
import { createHostileFault, type OfficeAnswer, type OfficeHttp, type OfficeRequest } from './office-http.ts';
import { createChallengeFault, openDeskChallenge } from './opened-challenge.ts';
import type { SessionKey } from './session-key.ts';

/** `path` begins after `…/desk`. */
interface DeskRequest extends Pick<OfficeRequest, 'method' | 'path' | 'maxBytes'> {
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
}

export interface OfficeSigner {
  /** Null before the first sign-in and after signing out. */
  readonly current: () => DeskSession | null;
  readonly signIn: () => Promise<DeskSession>;
  readonly signOut: () => Promise<void>;
  /** Returns answers of success alone. */
  readonly send: (request: DeskRequest) => Promise<OfficeAnswer>;
}

export interface SignerOptions {
  readonly http: OfficeHttp;
  /** The address that the desk was started with, which challenges must name. */
  readonly origin: string;
  /** Of the API, such as `/api`. */
  readonly apiPath: string;
  readonly sessionKey: SessionKey;
  readonly identity: AgeIdentity;
  readonly recipient: AgeRecipient;
  readonly clock: Clock;
}

const KIB = 1024;
const CHALLENGE_BYTES = 16 * KIB;
/** A hundred people with their public keys. */
const SESSION_BYTES = 512 * KIB;

export function createOfficeSigner(options: SignerOptions): OfficeSigner {
  const { clock, http, origin, apiPath, sessionKey } = options;
  const inOneFlight = createSingleFlight();
  /** A challenge that comes a second time is not answered again. */
  const answeredNonces = new Set<string>();
  let session: DeskSession | null = null;

  const sendOnce = async ({ method, path, json, bytes, maxBytes }: DeskRequest, token: string | null) => {
    const fullPath = `${apiPath}/desk${path}`;
    const url = `${origin}${fullPath.split('?', 1)[0]}`;
    const body = json === undefined ? bytes : Buffer.from(JSON.stringify(json));
    const type = json === undefined ? 'application/octet-stream' : 'application/json';
    const createHeaders = async () => ({
      ...(body ? { 'Content-Type': type } : {}),
      ...(token === null ? {} : { Authorization: `DPoP ${token}` }),
      DPoP: await sessionKey.prove({ method, url, token }),
    });
    return await http.send({ method, path: fullPath, createHeaders, body, maxBytes });
  };

  const signIn = async (): Promise<DeskSession> => {
    const request = { method: 'POST', path: '/challenges', json: { recipient: options.recipient } } as const;
    const answer = requireSuccess(await sendOnce({ ...request, maxBytes: CHALLENGE_BYTES }, null));
    const { id, sealed } = parseOfficeAnswer(DeskChallengeSchema, answer);
    const now = clock.now();
    const { nonce } = await openDeskChallenge(Buffer.from(sealed, 'base64url'), { ...options, now });
    if (answeredNonces.has(nonce)) throw createChallengeFault('it was answered before');
    answeredNonces.add(nonce);
    const opening = { method: 'POST', path: '/sessions', json: { id, nonce } } as const;
    const opened = requireSuccess(await sendOnce({ ...opening, maxBytes: SESSION_BYTES }, null));
    session = requireOwnSession(parseOfficeAnswer(DeskSessionSchema, opened), options.recipient);
    return session;
  };
  const signInOnce = () => inOneFlight('sign-in', signIn);

  return {
    current: () => session,
    signIn: signInOnce,
    signOut: async () => {
      const { token } = session ?? {};
      session = null;
      if (token !== undefined) await sendOnce({ method: 'DELETE', path: '/sessions', maxBytes: KIB }, token);
    },
    send: async (request) => {
      const isOpen = session !== null && Date.parse(session.expires_at) > clock.now();
      const { token } = isOpen ? session! : await signInOnce();
      const answer = await sendOnce(request, token);
      if (answer.status !== UNAUTHORIZED) return requireSuccess(answer);
      // Somebody else's request may have replaced it meanwhile.
      const renewed = session !== null && session.token !== token ? session : await signInOnce();
      const repeated = await sendOnce(request, renewed.token);
      if (repeated.status === UNAUTHORIZED)
        throw new OfficeFault(
          'sign_in_refused',
          'The office ends every session of your key at once. Ask whoever runs it.',
        );
      return requireSuccess(repeated);
    },
  };
}

const UNAUTHORIZED = 401;

/** What is said about people must fit their keys, because notes are sealed to these keys. */
function requireOwnSession(session: DeskSession, recipient: AgeRecipient): DeskSession {
  const { holder, people } = session;
  const fits = people.every(
    (person) => isAgeRecipient(person.recipient) && person.holder === computeHolder(person.recipient),
  );
  const isDistinct = new Set(people.map((person) => person.holder)).size === people.length;
  const own = people.find((person) => person.holder === holder);
  if (fits && isDistinct && own?.recipient === recipient) return session;
  throw createHostileFault('the people that it names do not fit their keys');
}
