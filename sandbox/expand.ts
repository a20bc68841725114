/** Puts whole objects in the place of their ids where a request asks for it. */
import type { SandboxContext } from './context.ts';
import { createInvalidRequestError } from './errors.ts';
import { listStripeObjects } from './lists.ts';
import { listLineItems } from './sessions.ts';
import type { StripeObjectKind } from './state.ts';

interface Tree {
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

export function expandFields(sandbox: SandboxContext, answer: object, paths: readonly string[]): object {
  const tree = structuredClone(answer) as Tree;
  for (const path of paths) {
    const steps = path.split('.');
    if (steps.length > MAX_DEPTH) throw createExpandError(path, `deeper than ${MAX_DEPTH} levels`);
    expandPath(sandbox, tree, steps, path);
  }
  return tree;
}

function expandPath(sandbox: SandboxContext, tree: Tree, steps: readonly string[], path: string): void {
  const [field, ...rest] = steps;
  if (field === undefined) return;
  if (tree['object'] === 'list') {
    if (field !== 'data' || rest.length === 0)
      throw createExpandError(path, 'lists are expanded by data.<field>');
    for (const element of tree['data'] as Tree[]) expandPath(sandbox, element, rest, path);
    return;
  }
  const target = EXPANDABLE[String(tree['object'])]?.[field];
  if (target === undefined) throw createExpandError(path, 'the sandbox knows no such field to expand');
  tree[field] = resolveField(sandbox, tree, field, target);
  const inner = tree[field];
  if (inner !== null && rest.length > 0) expandPath(sandbox, inner as Tree, rest, path);
}

function resolveField(
  sandbox: SandboxContext,
  tree: Tree,
  field: string,
  target: StripeObjectKind | 'line_items' | 'refunds' | 'empty',
): unknown {
  const present = tree[field] ?? null;
  const id = String(tree['id']);
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

function createExpandError(path: string, why: string): Error {
  return createInvalidRequestError(`This property cannot be expanded (${path}): ${why}.`, {
    param: 'expand',
  });
}
