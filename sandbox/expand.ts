/** Replaces ids by whole objects in the fields that a request expands. */
import type { SandboxContext } from './context.ts';
import { createInvalidRequestError } from './errors.ts';
import { listStripeObjects } from './lists.ts';
import { listLineItems } from './sessions.ts';
import type { StripeObjectKind } from './state.ts';

interface JsonObject {
  [field: string]: unknown;
}

/** Which fields can be expanded, and into what; `empty` fields are always null in the sandbox. */
const EXPANDABLE: Readonly<
  Record<string, Readonly<Record<string, StripeObjectKind | 'line_items' | 'refunds' | 'empty'>>>
> = {
  'checkout.session': {
    customer: 'empty',
    invoice: 'empty',
    line_items: 'line_items',
    payment_intent: 'payment_intent',
    payment_link: 'empty',
    setup_intent: 'empty',
    subscription: 'empty',
  },
  payment_intent: { customer: 'empty', latest_charge: 'charge', on_behalf_of: 'empty', review: 'empty' },
  charge: { customer: 'empty', payment_intent: 'payment_intent', refunds: 'refunds', review: 'empty' },
  refund: { charge: 'charge', customer: 'empty', payment_intent: 'payment_intent' },
  dispute: { charge: 'charge', payment_intent: 'payment_intent' },
};

const MAX_DEPTH = 4;

export function expandFields(sandbox: SandboxContext, response: object, paths: readonly string[]): object {
  const object = structuredClone(response) as JsonObject;
  for (const path of paths) {
    const steps = path.split('.');
    if (steps.length > MAX_DEPTH) throw createExpandError(path, `deeper than ${MAX_DEPTH} levels`);
    expandPath(sandbox, object, steps, path);
  }
  return object;
}

function expandPath(
  sandbox: SandboxContext,
  object: JsonObject,
  steps: readonly string[],
  path: string,
): void {
  const [field, ...rest] = steps;
  if (field === undefined) return;
  if (object['object'] === 'list') {
    if (field !== 'data' || rest.length === 0)
      throw createExpandError(path, 'lists are expanded by data.<field>');
    for (const element of object['data'] as JsonObject[]) expandPath(sandbox, element, rest, path);
    return;
  }
  const target = EXPANDABLE[String(object['object'])]?.[field];
  if (target === undefined) throw createExpandError(path, 'the sandbox knows no such field to expand');
  object[field] = resolveField(sandbox, object, field, target);
  const inner = object[field];
  if (inner !== null && rest.length > 0) expandPath(sandbox, inner as JsonObject, rest, path);
}

function resolveField(
  sandbox: SandboxContext,
  object: JsonObject,
  field: string,
  target: StripeObjectKind | 'line_items' | 'refunds' | 'empty',
): unknown {
  const present = object[field] ?? null;
  const id = String(object['id']);
  if (target === 'line_items') return present ?? listLineItems(sandbox, id);
  if (target === 'refunds') return present ?? listChargeRefunds(sandbox, id);
  if (target === 'empty' || typeof present !== 'string') return present;
  return sandbox.state.findObject(target, present) ?? null;
}

function listChargeRefunds(sandbox: SandboxContext, charge: string): object {
  return listStripeObjects(sandbox.state, 'refund', `/v1/charges/${charge}/refunds`, {
    page: {},
    equal: { charge },
  });
}

function createExpandError(path: string, reason: string): Error {
  return createInvalidRequestError(`This property cannot be expanded (${path}): ${reason}.`, {
    param: 'expand',
  });
}
