/** The service with programs that set webhooks, a clock that the test advances, and a sender that it runs by hand. */
import assert from 'node:assert/strict';
import { enqueueDueCaseEvents } from '#cases/case-events.ts';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import type { SealedMessage } from '#cases/messages/messages.ts';
import { createWebhookSender, isEventTurn } from '#clients/webhook-sender.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import type { EventKind } from '#store/schema/column-values.ts';
import { type AgentCase, type ApiAgent, type ApiTestbed, openApiTestbed } from '#test/api/api-testbed.ts';
import { addSealedMessage } from '#test/cases/sealed-message.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import type { TestAppOptions } from '#test/test-app.ts';

const SWEEP_MS = MINUTE_MS;

export interface WebhookTestbed extends ApiTestbed {
  readonly now: () => number;
  readonly moveClock: (ms: number) => void;
  /** Returns to the clock of the payment provider. */
  readonly resetClock: () => void;
  /** Advances the clock to the next time for events of this kind. */
  readonly moveToTurn: (kind: EventKind) => void;
  /** Finds what is due and sends it, at the next time for events of this kind. */
  readonly tell: (kind: EventKind) => Promise<void>;
  /** Sends what is due at this moment. */
  readonly send: () => Promise<void>;
  readonly setWebhook: (agent: ApiAgent, url: string) => Promise<string>;
  /** Sends a test event to the webhook of a new client. */
  readonly tryWebhook: (url: string) => Promise<ApiAgent>;
  /** Reads what is shown of the last delivery. */
  readonly readDelivery: (agent: ApiAgent) => Promise<Readonly<Record<'state' | 'detail', string>>>;
  readonly write: (
    opened: AgentCase,
    message: Pick<SealedMessage, 'seq' | 'act' | 'undoMs'>,
  ) => Promise<void>;
  readonly ask: (opened: AgentCase, seq?: number) => Promise<void>;
  readonly deliver: (opened: AgentCase, undoMs?: number, seq?: number) => Promise<void>;
}

export async function openWebhookTestbed(
  owner: CleanupScope,
  { answerMs, ...changes }: TestAppOptions & { readonly answerMs?: number } = {},
): Promise<WebhookTestbed> {
  let offset = 0;
  const readTime = () => Date.now() + offset;
  const testbed = await openApiTestbed(owner, { ...changes, clock: { now: readTime } });
  const { services } = testbed;
  const send = createWebhookSender({ ...services, sweepMs: SWEEP_MS, ...(answerMs && { answerMs }) });
  // Not close to the end of a turn: the machine may be slow.
  const moveToTurn = (kind: EventKind) => {
    while (!isEventTurn(kind, readTime(), SWEEP_MS) || readTime() % SWEEP_MS > SWEEP_MS / 2)
      offset += SECOND_MS;
  };
  const setWebhook: WebhookTestbed['setWebhook'] = async (agent, url) => {
    const { status, json, text } = await agent.request('PUT', '/callback', { url });
    assert.equal(status, 201, text);
    return String(json['secret']);
  };
  const write: WebhookTestbed['write'] = async ({ id, form: { key } }, message) =>
    void (await addSealedMessage(services, { id, key }, { by: 'desk', ...message }, { text: 'CANARY?' }));
  return {
    ...testbed,
    now: readTime,
    moveToTurn,
    moveClock: (ms) => {
      offset += ms;
    },
    resetClock: () => {
      offset = 0;
    },
    tell: async (kind) => {
      await enqueueDueCaseEvents(services);
      moveToTurn(kind);
      await send();
    },
    send,
    setWebhook,
    tryWebhook: async (url) => {
      const agent = await testbed.createAgent();
      await setWebhook(agent, url);
      await agent.request('POST', '/callback/test');
      await send();
      return agent;
    },
    readDelivery: async (agent) => Object((await agent.request('GET', '/callback')).json['last_delivery']),
    write,
    ask: (opened, seq = 0) => write(opened, { seq, act: 'ask' }),
    deliver: async ({ id, form }, undoMs = 0, seq = 0) => {
      const body = { markdown: 'CANARY', files: [] };
      const finding = await sealEnvelope(form.key, { kind: 'finding.v1', seq }, body);
      await deliverSealedFinding(services, id, {
        finding,
        files: [],
        uploader: toDeliveryUploader(id),
        seq,
        undoMs,
      });
    },
  };
}
