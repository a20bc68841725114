/** Challenges and sessions over HTTP: how an investigator's desk signs in and out. */
import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { createFieldError } from '#cases/intake/field-problems.ts';
import { requireRequestProof } from '#oauth/credential.ts';
import { VERSION } from '#platform/config/version.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import { generateId } from '#platform/text/ids.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { isAgeRecipient } from '#seal/core/age.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import { hashTokenValue } from '#store/clients/tokens.ts';
import {
  consumeDeskChallenge,
  deleteDeskSession,
  findDeskChallenge,
  insertDeskChallenge,
  insertDeskSession,
} from '#store/desk-sessions.ts';
import { findRecipientSet } from '#store/keys/recipient-set.ts';
import {
  type DeskChallenge,
  DeskChallengeRequestSchema,
  DeskChallengeSchema,
  type DeskPersonView,
  type DeskSession,
  type DeskSessionRequest,
  DeskSessionRequestSchema,
  DeskSessionSchema,
} from '#wire/desk-session.ts';
import { type DeskServices, findDeskPerson, requireInvestigator, withDeskChallenge } from './guard.ts';

const CHALLENGE_MS = MINUTE_MS;
const SESSION_MS = 12 * HOUR_MS;
const SECRET_BYTES = 32;

export function addDeskSessionRoutes(scope: App, services: DeskServices): void {
  scope.post(
    '/challenges',
    {
      config: { access: 'public', budget: 'deskChallenges' },
      schema: { body: DeskChallengeRequestSchema, response: { 201: DeskChallengeSchema } },
    },
    async (request, reply) => {
      reply.code(201);
      return await createDeskChallenge(services, request.body.recipient);
    },
  );
  scope.post(
    '/sessions',
    {
      config: { access: 'public', budget: 'deskSignIns' },
      schema: { body: DeskSessionRequestSchema, response: { 201: DeskSessionSchema } },
    },
    async (request, reply) => {
      reply.code(201);
      return await openDeskSession(services, request, request.body).catch((error: unknown) => {
        throw withDeskChallenge(error);
      });
    },
  );
  scope.delete(
    '/sessions',
    { config: { access: 'desk' }, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { sessionId } = requireInvestigator(request);
      await services.store.transaction((records) => deleteDeskSession(records, sessionId));
      return reply.code(204).send(null);
    },
  );
}

/** Responds the same for known and unknown keys, so that a stranger does not learn who works here. */
async function createDeskChallenge(services: DeskServices, recipient: string): Promise<DeskChallenge> {
  const { addresses, clock, sealing, store } = services;
  if (!isAgeRecipient(recipient)) throw createFieldError('/recipient', 'is damaged; copy it again');
  const nonce = generateSecret();
  const expires = clock.now() + CHALLENGE_MS;
  const sealed = await sealing.sealDeskChallenge({ origin: addresses.site, nonce, expires }, recipient);
  const row = {
    id: generateId(),
    investigator: computeInvestigatorId(recipient),
    nonce_hash: hashTokenValue(nonce),
    expires_at: expires,
  };
  await store.transaction((records) => insertDeskChallenge(records, row));
  return { id: row.id, sealed: toBase64url(sealed) };
}

/** `request` contains the proof of the key that the session is bound to. */
async function openDeskSession(
  services: DeskServices,
  request: FastifyRequest,
  answer: DeskSessionRequest,
): Promise<DeskSession> {
  const { clock, deskPeople, isTest, sealingKeys, store } = services;
  const person = await requireAnswer(services, answer);
  const jkt = await requireRequestProof(services, request, null);
  const token = generateSecret();
  const expires = clock.now() + SESSION_MS;
  const session = { id: hashTokenValue(token), investigator: person.holder, jkt, expires_at: expires };
  await store.transaction(async (records) => {
    // Of two concurrent answers, only one gets a session.
    if (!(await consumeDeskChallenge(records, answer.id))) throw new ServiceError('sign_in_refused');
    await insertDeskSession(records, session);
  });
  return {
    token,
    expires_at: toIsoTime(expires),
    holder: person.holder,
    people: [...(await deskPeople())],
    recovery: (await sealingKeys).recovery,
    office: { version: VERSION, test: isTest },
  };
}

/** A wrong answer ends the challenge. */
async function requireAnswer(
  services: DeskServices,
  { id, nonce }: DeskSessionRequest,
): Promise<DeskPersonView> {
  const { clock, store } = services;
  const challenge = await findDeskChallenge(store.records, id);
  const isAnswered =
    challenge !== undefined &&
    challenge.expires_at > clock.now() &&
    isEqualInConstantTime(challenge.nonce_hash, hashTokenValue(nonce));
  const adopted = await findRecipientSet(store.records);
  const person = isAnswered ? await findDeskPerson(services, challenge.investigator, adopted) : undefined;
  if (person) return person;
  if (challenge) await store.transaction((records) => consumeDeskChallenge(records, id));
  throw new ServiceError('sign_in_refused');
}

function generateSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
