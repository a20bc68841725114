/** The steps that all decisions about a registration share: find it, change it with an audit entry, or refuse. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import { type AuditedAct, appendAuditEntry } from '#store/audit-log.ts';
import { type ClientRecord, findClient } from '#store/clients/clients.ts';
import {
  findRegistrationByEitherId,
  type Registration,
  updateRegistration,
} from '#store/clients/registrations.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { Records } from '#store/schema/tables.ts';
import { oauthLifetimes } from './lifetimes.ts';
import { CREDENTIAL_OFFER_TOPIC } from './registration-mail.ts';

export type ApprovalServices = Pick<Services, 'store' | 'clock'>;

/** A registration and its client; null until the credentials are collected. */
export interface RegistrationWithClient {
  readonly registration: Registration;
  readonly client: ClientRecord | null;
}

export async function requireRegistrationWithClient(
  records: Records,
  id: string,
): Promise<RegistrationWithClient> {
  const registration = await findRegistrationByEitherId(records, id);
  if (!registration) throw new ServiceError('not_found', { detail: 'There is no such registration.' });
  const client = registration.client_id ? await findClient(records, registration.client_id) : undefined;
  return { registration, client: client ?? null };
}

type Decision = (records: Records, current: RegistrationWithClient) => Promise<void>;

/** Also writes the audit entry, whose subject is the registration, whichever id was given. */
export async function applyDecision(
  { clock, store }: ApprovalServices,
  id: string,
  { by, act }: Pick<AuditedAct, 'by' | 'act'>,
  decide: Decision,
): Promise<RegistrationWithClient> {
  return await store.transaction(async (records) => {
    const current = await requireRegistrationWithClient(records, id);
    await decide(records, current);
    const { id: registrationId } = current.registration;
    const subject = { kind: 'agent', id: registrationId } as const;
    await appendAuditEntry(records, { by, act, subject }, clock.now());
    return await requireRegistrationWithClient(records, registrationId);
  });
}

export function createRegistrationStateError(detail: string): ServiceError {
  return new ServiceError('registration_state', { detail });
}

/** A new offer invalidates the earlier link. */
export async function offerCredentials(
  { clock }: ApprovalServices,
  records: Records,
  { id, client_id, forget_at }: Registration,
): Promise<void> {
  const now = clock.now();
  const offer = generateId();
  await updateRegistration(records, id, {
    status: 'approved',
    client_id: client_id ?? generateId(),
    offer,
    offer_until: now + oauthLifetimes.offer * 1_000,
    forget_at: forget_at === null ? null : now + oauthLifetimes.registration * 1_000,
  });
  await enqueueOutboxEntry(records, {
    topic: CREDENTIAL_OFFER_TOPIC,
    dedupe: `${CREDENTIAL_OFFER_TOPIC} ${offer}`,
    payload: { id, offer },
    dueAt: now,
  });
}
