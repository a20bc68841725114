/** A registration with its client as JSON, for the command line and for the desk. */
import { toIsoTimeOrNull } from '#platform/text/iso-time.ts';
import type { Services } from '#services.ts';
import type { RegistrationWithClient } from './registration-decision.ts';
import { decryptRegistrationContact } from './registration-mail.ts';

/** The state of the client if there is one, else of the registration. */
function toAgentState({ registration, client }: RegistrationWithClient): string {
  if (!client) return registration.status;
  if (client.status === 'suspended') return 'suspended';
  return registration.status === 'approved' ? 'rotating' : 'active';
}

/** Scripts rely on these names and formats, so they must not change. */
export function toAgentJson({ keyring }: Pick<Services, 'keyring'>, agent: RegistrationWithClient) {
  const { registration } = agent;
  return {
    registration_id: registration.id,
    state: toAgentState(agent),
    client_name: registration.name,
    contact: decryptRegistrationContact(keyring, registration),
    identity_type: registration.identity_type,
    credential_types: registration.credentials.split(' '),
    redirect_uris: JSON.parse(registration.redirect_uris) as string[],
    created_at: toIsoTimeOrNull(registration.created_at),
    client_id: registration.client_id,
    scopes: registration.scopes === '' ? [] : registration.scopes.split(' '),
    grants: registration.grants === '' ? [] : registration.grants.split(' '),
    link_until: toIsoTimeOrNull(registration.offer_until),
  };
}
