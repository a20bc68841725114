/** Sends sample registrations and reads the e-mails that follow. */
import assert from 'node:assert/strict';
import type { ClientCredentials } from '#clients/clients.ts';
import { createRegistrationMailers } from '#clients/registration-mail.ts';
import type { MailMessage } from '#platform/mail/mail.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import type { TestApp } from '#test/test-app.ts';

export const sampleRegistration = {
  client_name: 'Sample Agent',
  contact: 'someone@agent.example',
  supported_identity_types: 'email',
  credential_types: ['bearer', 'dpop'],
  redirect_uris: ['https://agent.example/callback'],
} as const;

export function postRegistration(
  get: HttpsClient,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<HttpsResponse> {
  return get('/auth.md', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

export async function registerSampleAgent(get: HttpsClient, changes: Record<string, unknown> = {}) {
  const answer = await postRegistration(get, { ...sampleRegistration, ...changes });
  assert.equal(answer.status, 202, answer.text);
  const id = String(answer.json['registration_id']);
  const token = String(answer.json['registration_token']);
  return { id, token, poll: () => pollRegistrationStatus(get, id, token) };
}

export function pollRegistrationStatus(get: HttpsClient, id: string, token: string): Promise<HttpsResponse> {
  return get(`/agents/registrations/${id}`, { headers: { authorization: `Bearer ${token}` } });
}

/** Sends the mail that waits in the outbox; returns all e-mails so far. */
export function createEmailReader({
  services,
}: Pick<TestApp, 'services'>): () => Promise<readonly MailMessage[]> {
  const emails: MailMessage[] = [];
  const sendMail = async (email: MailMessage) => void emails.push(email);
  const handlers = createRegistrationMailers({
    ...services,
    siteName: 'Inquiry Office',
    maintainer: 'boss@x.example',
    sendMail,
  });
  const work = createOutboxWorker({ ...services, handlers });
  return async () => {
    await work();
    return emails;
  };
}

/** The credentials in the answer to a poll. */
export function parseCredentials({ status, text, json }: HttpsResponse): ClientCredentials {
  assert.equal(status, 200, text);
  return { clientId: String(json['client_id']), clientSecret: String(json['client_secret']) };
}

export function parseCredentialsLink(email: MailMessage | undefined): string {
  const path = /^https:\/\/localhost:\d+(\/agents\/credentials\/\S+)$/m.exec(email?.text ?? '')?.[1];
  assert.ok(path, 'no e-mail with a link came');
  return path;
}
