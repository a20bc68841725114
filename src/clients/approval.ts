/** What a maintainer decides about a registration, and about the client that came of it; each act works at once. */
import { ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import type { Scope } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { type Client, changeClient, findClient } from '#store/clients.ts';
import { enqueue } from '#store/outbox.ts';
import { changeRegistration, findByEitherId, type Registration } from '#store/registrations.ts';
import type { Records } from '#store/tables.ts';
import { endAccess } from '#store/tokens.ts';
import { clientFault, newSecret, secretHash } from './clients.ts';
import type { GrantType } from './grant-types.ts';
import { lifetimes } from './lifetimes.ts';
import { choiceOf, usedRedirects } from './registration.ts';
import { OFFER_TOPIC } from './registration-mail.ts';

type Parts = Pick<Services, 'store' | 'clock'>;

/** A registration and its client, if it has one already. */
export interface Standing {
  readonly registration: Registration;
  readonly client: Client | null;
}

export interface Choice {
  readonly scopes: readonly Scope[];
  readonly grants: readonly GrantType[];
}

export async function standingOf(records: Records, id: string): Promise<Standing> {
  const registration = await findByEitherId(records, id);
  if (!registration) throw new ServiceError('not_found', { detail: 'There is no such registration.' });
  const client = registration.client_id ? await findClient(records, registration.client_id) : undefined;
  return { registration, client: client ?? null };
}

/**
 * Of a new registration: offers it credentials. Of one that was approved before: sends a new link, with a new choice
 * if there is one. Of a client: gives it the choice, and lets it work again if it was suspended.
 */
export async function approve(parts: Parts, id: string, choice: Choice | null): Promise<Standing> {
  return await decide(parts, id, async (records, { registration, client }) => {
    const chosen = choiceFor(registration, choice);
    await changeRegistration(records, registration.id, chosen);
    if (client) return await changeChoice(records, { ...registration, ...chosen }, client);
    await offer(parts, records, registration);
  });
}

function choiceFor(
  { status, scopes, grants, redirect_uris }: Registration,
  choice: Choice | null,
): Pick<Registration, 'scopes' | 'grants'> {
  if (status === 'rejected') throw refusal('It was rejected; the program has to register again.');
  if (!choice && status === 'pending') throw refusal('A new registration needs scopes and grants.');
  const chosen = choice
    ? { scopes: choice.scopes.join(' '), grants: choice.grants.join(' ') }
    : { scopes, grants };
  const redirectUris = usedRedirects({ ...chosen, redirect_uris });
  const fault = clientFault({ ...choiceOf(chosen), redirectUris });
  if (fault) throw refusal(`This cannot be granted: ${fault}.`);
  return chosen;
}

async function changeChoice(records: Records, registration: Registration, client: Client): Promise<void> {
  const { scopes, grants } = registration;
  const redirects = JSON.stringify(usedRedirects(registration));
  await changeClient(records, client.id, { status: 'active', scopes, grants, redirect_uris: redirects });
  // A token remembers the scopes that it was made with.
  if (client.scopes !== scopes || client.grants !== grants) await endAccess(records, client.id);
}

export async function reject(parts: Parts, id: string): Promise<Standing> {
  return await decide(parts, id, async (records, { registration, client }) => {
    if (client) throw refusal('It has its credentials already; suspend it instead.');
    await changeRegistration(records, registration.id, {
      status: 'rejected',
      offer: null,
      offer_until: null,
    });
  });
}

/** Its tokens and its secret are refused from the next request on; `approve` lets it work again. */
export async function suspend(parts: Parts, id: string): Promise<Standing> {
  return await decide(parts, id, async (records, { client }) => {
    if (!client) throw refusal('It has no credentials yet; reject it instead.');
    await changeClient(records, client.id, { status: 'suspended' });
  });
}

/** Ends the secret, and what was made with it; a letter offers a new one. What people allowed stays. */
export async function rotate(parts: Parts, id: string): Promise<Standing> {
  return await decide(parts, id, async (records, { registration, client }) => {
    if (!client) throw refusal('It has no secret yet.');
    await changeClient(records, client.id, { secret_hash: secretHash(newSecret()) });
    await endAccess(records, client.id);
    await offer(parts, records, registration);
  });
}

/** An older link ends with a newer one. */
async function offer(
  { clock }: Parts,
  records: Records,
  { id, client_id, forget_at }: Registration,
): Promise<void> {
  const now = clock.now();
  const made = newId();
  await changeRegistration(records, id, {
    status: 'approved',
    client_id: client_id ?? newId(),
    offer: made,
    offer_until: now + lifetimes.offer * 1_000,
    forget_at: forget_at === null ? null : now + lifetimes.registration * 1_000,
  });
  await enqueue(records, {
    topic: OFFER_TOPIC,
    dedupe: `${OFFER_TOPIC} ${made}`,
    payload: { id, offer: made },
    dueAt: now,
  });
}

type Act = (records: Records, standing: Standing) => Promise<void>;

async function decide({ store }: Parts, id: string, act: Act): Promise<Standing> {
  return await store.transaction(async (records) => {
    const found = await standingOf(records, id);
    await act(records, found);
    return await standingOf(records, found.registration.id);
  });
}

function refusal(detail: string): ServiceError {
  return new ServiceError('registration_state', { detail });
}
