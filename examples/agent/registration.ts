/** Registers the agent and waits until a maintainer has decided; the credentials are shown to it once. */
import { AgentFailure, printText } from './failure.ts';
import type { AgentRun } from './run.ts';
import { fetchBounded } from './service.ts';
import type { AgentCredentials, PendingRegistration } from './state.ts';

export async function ensureRegistered(run: AgentRun, contact: string): Promise<AgentCredentials> {
  const { state } = run;
  const known = state.facts.credentials;
  if (known) return known;
  const registration = state.facts.registration ?? (await sendRegistration(run.service.registerUri, contact));
  state.store({ registration });
  printText(`Registered as ${registration.id}; waiting for a maintainer.`);
  const credentials = await waitForDecision(run, registration);
  state.store({ credentials });
  printText(`Approved as client ${credentials.clientId}.`);
  return credentials;
}

async function sendRegistration(registerUri: string, contact: string): Promise<PendingRegistration> {
  const response = await fetchBounded(registerUri, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'office-agent',
      contact,
      supported_identity_types: 'email',
      credential_types: 'dpop',
    }),
  });
  const answer = (await response.json()) as Record<string, string>;
  if (response.status !== 202) throw new AgentFailure(`The registration was refused: ${answer['detail']}`);
  return {
    id: answer['registration_id'] ?? '',
    statusUri: answer['status_uri'] ?? '',
    token: answer['registration_token'] ?? '',
  };
}

async function waitForDecision(
  run: AgentRun,
  { statusUri, token }: PendingRegistration,
): Promise<AgentCredentials> {
  for (;;) {
    const response = await fetchBounded(statusUri, { headers: { authorization: `Bearer ${token}` } });
    const answer = (await response.json()) as Record<string, string>;
    const { status, client_id: clientId, client_secret: clientSecret } = answer;
    if (status === 'approved') {
      if (clientId && clientSecret) return { clientId, clientSecret };
      throw new AgentFailure('The credentials were fetched before; ask the maintainer for a new secret.');
    }
    // Too many requests, or the service starts again: both say how long to wait.
    const mayFollow = status === 'pending' || response.status === 429 || response.status === 503;
    if (!mayFollow) throw new AgentFailure(`The registration is ${status ?? response.status}.`);
    await run.wait(Number(response.headers.get('retry-after')) || 60);
  }
}
