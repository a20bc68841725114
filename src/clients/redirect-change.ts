/** Changes the redirect addresses of a client that has moved; takes effect at once. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { updateClient } from '#store/clients/clients.ts';
import { type Registration, updateRegistration } from '#store/clients/registrations.ts';
import { findClientFault } from './clients.ts';
import { findRedirectUriFault, MAX_REDIRECT_URIS } from './redirect-uris.ts';
import { listUsedRedirectUris, parseApprovedAccess } from './registration.ts';
import {
  applyDecision,
  createRegistrationStateError,
  type RegistrationWithClient,
} from './registration-decision.ts';

export interface RedirectChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Tokens and consents stay; `#oauth/engine.ts` and `#oauth/sign-in/visit.ts` refuse the removed addresses. */
export async function updateRedirectUris(
  services: Pick<Services, 'store' | 'clock'>,
  id: string,
  change: RedirectChange,
  by: string | null,
): Promise<RegistrationWithClient> {
  return await applyDecision(
    services,
    id,
    { by, act: 'redirect_agent' },
    async (records, { registration, client }) => {
      if (registration.status === 'rejected')
        throw createRegistrationStateError(
          'The registration was rejected; the program has to register again.',
        );
      const uris = requireChangedRedirectUris(JSON.parse(registration.redirect_uris) as string[], change);
      const moved = { ...registration, redirect_uris: JSON.stringify(uris) };
      requireUsableClient(moved);
      await updateRegistration(records, registration.id, { redirect_uris: moved.redirect_uris });
      if (!client) return;
      await updateClient(records, client.id, { redirect_uris: JSON.stringify(listUsedRedirectUris(moved)) });
    },
  );
}

/** The addresses after the change, checked by the rules of a registration. */
function requireChangedRedirectUris(current: readonly string[], { add, remove }: RedirectChange): string[] {
  const unknown = remove.find((uri) => !current.includes(uri));
  if (unknown !== undefined) throw createChangeError(`${unknown} is not one of its redirect addresses.`);
  for (const uri of add) {
    const fault = findRedirectUriFault(uri);
    if (fault !== null) throw createChangeError(`${uri} cannot be added: ${fault}.`);
  }
  const uris = [...new Set([...current.filter((uri) => !remove.includes(uri)), ...add])];
  if (uris.length > MAX_REDIRECT_URIS)
    throw createChangeError(`A client has at most ${MAX_REDIRECT_URIS} redirect addresses.`);
  return uris;
}

function createChangeError(detail: string): ServiceError {
  return new ServiceError('validation_failed', { detail });
}

/** Nothing has been granted to a pending registration yet. */
function requireUsableClient(registration: Registration): void {
  if (registration.status === 'pending') return;
  const redirectUris = listUsedRedirectUris(registration);
  const fault = findClientFault({ ...parseApprovedAccess(registration), redirectUris });
  if (fault) throw createRegistrationStateError(`This would leave a client that cannot work: ${fault}.`);
}
