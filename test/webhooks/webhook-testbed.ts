/** The service with programs that set webhooks, a clock that the test advances, and a sender that it runs by hand. */
import assert from 'node:assert/strict';
import { enqueueDueCaseEvents } from '#cases/case-events.ts';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import type { SealedMessage } from '#cases/messages/messages.ts';
import { createWebhookSender, isEventTurn } from '#clients/webhook-sender.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import type { EventKind } from '#store/schema/column-values.ts';
import { type AgentCase, type ApiAgent, openApiTestbed } from '#test/api/api-testbed.ts';
import { addSealedMessage } from '#test/cases/sealed-message.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import type { TestAppOptions } from '#test/test-app.ts';

const SWEEP_MS = MINUTE_MS;

export async function openWebhookTestbed(
  owner: CleanupScope,
  { answerMs, ...changes }: TestAppOptions & { readonly answerMs?: number } = {},
) {
  let offset = 0;
  const readTime = () => Date.now() + offset;
  const testbed = await openApiTestbed(owner, { ...changes, clock: { now: readTime } });
  const { services } = testbed;
  const send = createWebhookSender({ ...services, sweepMs: SWEEP_MS, ...(answerMs && { answerMs }) });
  /** Advances the clock to the next time for events of this kind, not close to its end: the machine may be slow. */
  const moveToTurn = (kind: EventKind) => {
    while (!isEventTurn(kind, readTime(), SWEEP_MS) || readTime() % SWEEP_MS > SWEEP_MS / 2)
      offset += SECOND_MS;
  };
  const setWebhook = async (agent: ApiAgent, url: string) => {
    const { status, json, text } = await agent.request('PUT', '/callback', { url });
    assert.equal(status, 201, text);
    return String(json['secret']);
  };
  const write = async (
    { id, form: { key } }: AgentCase,
    message: Pick<SealedMessage, 'seq' | 'act' | 'undoMs'>,
  ) => await addSealedMessage(services, { id, key }, { by: 'desk', ...message }, { text: 'CANARY?' });
  return {
    ...testbed,
    now: readTime,
    moveToTurn,
    moveClock: (ms: number) => {
      offset += ms;
    },
    /** Returns to the clock of the payment provider. */
    resetClock: () => {
      offset = 0;
    },
    /** Finds what is due and sends it, at the next time for events of this kind. */
    tell: async (kind: EventKind) => {
      await enqueueDueCaseEvents(services);
      moveToTurn(kind);
      await send();
    },
    /** Sends what is due at this moment. */
    send,
    setWebhook,
    /** Sends a test event to the webhook of a new client. */
    tryWebhook: async (url: string) => {
      const agent = await testbed.createAgent();
      await setWebhook(agent, url);
      await agent.request('POST', '/callback/test');
      await send();
      return agent;
    },
    /** Reads what is shown of the last delivery. */
    readDelivery: async (agent: ApiAgent): Promise<Readonly<Record<'state' | 'detail', string>>> =>
      Object((await agent.request('GET', '/callback')).json['last_delivery']),
    write,
    ask: (opened: AgentCase, seq = 0) => write(opened, { seq, act: 'ask' }),
    deliver: async ({ id, form }: AgentCase, undoMs = 0, seq = 0) => {
      const body = { markdown: 'CANARY', files: [] };
      const finding = await sealEnvelope(form.key, { kind: 'finding.v1', seq }, body);
      const uploader = toDeliveryUploader(id);
      await deliverSealedFinding(services, id, { finding, files: [], uploader, seq, undoMs });
    },
  };
}
