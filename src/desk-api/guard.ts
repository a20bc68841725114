/**
 * The context of the desk API: its services and settings, and the investigator of a request, authenticated by a
 * session's token with a proof of the key that it is bound to (RFC 9449 §7).
 */
import type { FastifyRequest } from 'fastify';
import type { DeskViewer } from '#cases/desk/desk-acts.ts';
import {
  isInRecipientSet,
  listDeskPeople,
  type PreviousAssigneeCheck,
  toPreviousAssigneeCheck,
} from '#cases/desk/desk-people.ts';
import { readPresentedToken, requireRequestProof } from '#oauth/credential.ts';
import type { Config } from '#platform/config/config.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { DPOP_ALGORITHMS } from '#platform/grant-types.ts';
import type { App } from '#platform/http/app-type.ts';
import { createLazy } from '#platform/lazy.ts';
import type { Services } from '#services.ts';
import { hashTokenValue } from '#store/clients/tokens.ts';
import { findDeskSession } from '#store/desk-sessions.ts';
import type { RecipientSet } from '#store/keys/recipient-set.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';

export interface DeskServices extends Services {
  readonly deskPeople: () => Promise<readonly DeskPersonView[]>;
  /** True if no real payments are made here. */
  readonly isTest: boolean;
  /** The configured recipients, and the path of their file, which may have changed since the start. */
  readonly seal: Config['seal'];
  /** How long a finding or a decline can be taken back. */
  readonly undoMs: number;
}

export function toDeskServices(services: Services, config: Config): DeskServices {
  return {
    ...services,
    deskPeople: createLazy(() => listDeskPeople(services, config.seal)),
    seal: config.seal,
    isTest: !config.production,
    undoMs: config.deliveryUndoMinutes * MINUTE_MS,
  };
}

export interface Investigator extends DeskPersonView {
  readonly sessionId: string;
  readonly hasLeft: PreviousAssigneeCheck;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null unless the route belongs to the desk and needs a session. */
    investigator: Investigator | null;
  }
  interface FastifyContextConfig {
    /** For routes about the service itself rather than the work of investigators. */
    ownerOnly?: true;
  }
}

export const DESK_ACCESS = { access: 'desk' } as const;
export const OWNER_ACCESS = { ...DESK_ACCESS, ownerOnly: true } as const;

const AUTH_HEADERS = { 'www-authenticate': `DPoP algs="${DPOP_ALGORITHMS.join(' ')}"` };

/** Runs before the body is read, so that only investigators get errors about it. */
export function addDeskGuard(scope: App, services: DeskServices): void {
  scope.decorateRequest('investigator', null);
  scope.addHook('onRequest', async (request) => {
    const { access, ownerOnly = false } = request.routeOptions.config;
    if (access !== 'desk') return;
    try {
      request.investigator = await authenticateInvestigator(services, request);
      request.account = request.investigator.sessionId;
    } catch (error) {
      throw withDeskChallenge(error);
    }
    if (ownerOnly && !isOwner(request.investigator)) throw new ServiceError('owner_only');
  });
}

export function requireInvestigator({ investigator }: FastifyRequest): Investigator {
  if (investigator === null) throw new ServiceError('unauthorized', { headers: AUTH_HEADERS });
  return investigator;
}

export function isOwner({ role }: Pick<Investigator, 'role'>): boolean {
  return role === 'owner';
}

export function toDeskViewer(person: Pick<Investigator, 'holder' | 'role' | 'hasLeft'>): DeskViewer {
  return { investigator: person.holder, isOwner: isOwner(person), hasLeft: person.hasLeft };
}

/** RFC 9110 §15.5.2: a 401 says which credentials are needed. */
export function withDeskChallenge(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.status !== 401) return error;
  return new ServiceError(error.code, { detail: error.publicMessage, headers: AUTH_HEADERS });
}

async function authenticateInvestigator(
  services: DeskServices,
  request: FastifyRequest,
): Promise<Investigator> {
  const credential = readPresentedToken(request);
  if (credential === null) throw new ServiceError('unauthorized');
  const { scheme, token } = credential;
  const { records } = services.store;
  const { session, adopted } = (await findDeskSession(records, hashTokenValue(token))) ?? {};
  if (scheme !== 'dpop' || !session || session.expires_at <= services.clock.now())
    throw new ServiceError('invalid_token');
  const person = await findDeskPerson(services, session.investigator, adopted);
  if (!person) throw new ServiceError('invalid_token');
  await requireRequestProof(services, request, { token, jkt: session.jkt });
  return { ...person, sessionId: session.id, hasLeft: toPreviousAssigneeCheck(adopted) };
}

/** Looked up for every request, so that a removed person loses access at once. */
export async function findDeskPerson(
  { deskPeople, sealingKeys }: Pick<DeskServices, 'deskPeople' | 'sealingKeys'>,
  holder: string,
  adopted: RecipientSet | undefined,
): Promise<DeskPersonView | undefined> {
  const person = (await deskPeople()).find((each) => each.holder === holder);
  return person && isInRecipientSet(adopted, await sealingKeys, holder) ? person : undefined;
}
