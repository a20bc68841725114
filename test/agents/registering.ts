/** Registrations as tests send them, and the letters that come of them. */
import assert from 'node:assert/strict';
import { registrationMailers } from '#clients/registration-mail.ts';
import type { Letter } from '#platform/mail.ts';
import { outboxWorker } from '#store/outbox-worker.ts';
import type { BuiltApp } from '#test/built-app.ts';
import type { Answer, Client } from '#test/https-client.ts';

export const sample = {
  client_name: 'Sample Agent',
  contact: 'someone@agent.example',
  supported_identity_types: 'email',
  credential_types: ['bearer', 'dpop'],
  redirect_uris: ['https://agent.example/callback'],
} as const;

export function postJson(get: Client, body: unknown): Promise<Answer> {
  return get('/auth.md', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export interface Sent {
  readonly id: string;
  readonly token: string;
  readonly poll: () => Promise<Answer>;
}

export async function registered(get: Client, changes: Record<string, unknown> = {}): Promise<Sent> {
  const answer = await postJson(get, { ...sample, ...changes });
  assert.equal(answer.status, 202, answer.text);
  const id = String(answer.json['registration_id']);
  const token = String(answer.json['registration_token']);
  return { id, token, poll: () => poll(get, id, token) };
}

export function poll(get: Client, id: string, token: string): Promise<Answer> {
  return get(`/agents/registrations/${id}`, { headers: { authorization: `Bearer ${token}` } });
}

/** Sends what waits in the outbox, and gives all letters so far. */
export function lettersOf({ services }: Pick<BuiltApp, 'services'>): () => Promise<readonly Letter[]> {
  const letters: Letter[] = [];
  const sendMail = async (letter: Letter) => void letters.push(letter);
  const handlers = registrationMailers({
    ...services,
    siteName: 'Inquiry Office',
    maintainer: 'boss@x.example',
    sendMail,
  });
  const work = outboxWorker({ ...services, handlers });
  return async () => {
    await work();
    return letters;
  };
}

export function linkIn(letter: Letter | undefined): string {
  const path = /^https:\/\/localhost:\d+(\/agents\/credentials\/\S+)$/m.exec(letter?.text ?? '')?.[1];
  assert.ok(path, 'no letter with a link came');
  return path;
}
