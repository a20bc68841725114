/** The steps of a change of the master key that concern callbacks: whose they are, whom they are told of, what waits. */
import {
  CALLBACK_CLIENT_PURPOSE,
  CALLBACK_EVENT_PURPOSE,
  CALLBACK_PURPOSE,
  type CallbackFacts,
  computeCallbackTags,
  computeQueueTags,
  type EventFacts,
} from '#store/callback-boxes.ts';
import { listCaseCallbacks, replaceCaseCallbackBox } from '#store/case-callbacks.ts';
import type { Keyring } from '#store/keyring.ts';
import { listOrderCallbacks, replaceOrderCallbackBox } from '#store/order-callbacks.ts';
import { createRotationStep, type RotationStep, resealBox } from '#store/rotation.ts';
import { replaceRotatedRow } from '#store/rotation-rows.ts';
import { createRowStep, toChange } from './row-steps.ts';

export function createCallbackSteps(keyring: Keyring): readonly RotationStep[] {
  return [
    createRowStep('callbacks', 'callbacks', ({ id, box }) => {
      const resealed = resealBox(keyring, { purpose: CALLBACK_PURPOSE, box, context: id });
      if (!resealed) return null;
      const { clientId } = JSON.parse(resealed.secret) as CallbackFacts;
      const change = { client_tag: computeCallbackTags(keyring, clientId)[0], box: resealed.box };
      return toChange((records) => replaceRotatedRow(records, 'callbacks', { id, box }, change));
    }),
    createRowStep('events of callbacks', 'callback_events', ({ id, kind, box }) => {
      const resealed = resealBox(keyring, { purpose: CALLBACK_EVENT_PURPOSE, box, context: id });
      if (!resealed) return null;
      const { clientId } = JSON.parse(resealed.secret) as EventFacts;
      const change = { queue_tag: computeQueueTags(keyring, clientId, kind)[0], box: resealed.box };
      return toChange((records) => replaceRotatedRow(records, 'callback_events', { id, box }, change));
    }),
    createRotationStep({
      what: 'cases with a callback',
      table: 'case_callbacks',
      list: listCaseCallbacks,
      plan: (row) => {
        const sealed = {
          purpose: CALLBACK_CLIENT_PURPOSE,
          box: row.client_box,
          context: row.case_id,
        } as const;
        const resealed = resealBox(keyring, sealed);
        return resealed && toChange((records) => replaceCaseCallbackBox(records, row, resealed.box));
      },
    }),
    createRotationStep({
      what: 'orders with a callback',
      table: 'order_callbacks',
      list: listOrderCallbacks,
      plan: (row) => {
        const sealed = {
          purpose: CALLBACK_CLIENT_PURPOSE,
          box: row.client_box,
          context: row.order_id,
        } as const;
        const resealed = resealBox(keyring, sealed);
        return resealed && toChange((records) => replaceOrderCallbackBox(records, row, resealed.box));
      },
    }),
  ];
}
